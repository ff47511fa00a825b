// SPDX-License-Identifier: Apache-2.0
// The distributed transform, forward and backward, against FFTW's own three-dimensional one on as many cores:
// one rank for each thread of FFTW.
//   fft_bench [turns [cells…]] [--trial]
#include <fftw3.h>
#include <mpi.h>
#include <unistd.h>

#include <cmath>
#include <memory>

#include "bench/arguments.hpp"
#include "bench/measure.hpp"
#include "spectral/fft.hpp"

namespace {

using namespace sc;
using spectral::FFT;
using spectral::Library;

/// FFTW's plans on rank 0, with a thread for every rank; the other ranks sleep meanwhile.
class Reference {
 public:
  Reference(Context& context, int n, unsigned flags) : context_(context) {
    if (context.rank() != 0) return;
    fftw_plan_with_nthreads(context.size());
    const auto cells = static_cast<std::size_t>(n);
    real_ = fftw_alloc_real(cells * cells * cells);
    modes_ = fftw_alloc_complex(cells * cells * (cells / 2 + 1));
    there_ = fftw_plan_dft_r2c_3d(n, n, n, real_, modes_, flags);
    back_ = fftw_plan_dft_c2r_3d(n, n, n, modes_, real_, flags);
    fftw_plan_with_nthreads(1);  // the planner is shared: the distributed transform plans lines next
    for (std::size_t i = 0; i < cells * cells * cells; ++i) real_[i] = std::sin(0.1 * double(i % 977));
    scale_ = 1.0 / (double(n) * n * n);
    count_ = cells * cells * cells;
  }
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;
  ~Reference() {
    if (!real_) return;
    fftw_destroy_plan(there_);
    fftw_destroy_plan(back_);
    fftw_free(real_);
    fftw_free(modes_);
  }
  void run() {
    if (real_) {
      fftw_execute(there_);
      fftw_execute(back_);
    }
    MPI_Request done = MPI_REQUEST_NULL;
    MPI_Ibarrier(context_.comm(), &done);
    for (int there = 0; MPI_Test(&done, &there, MPI_STATUS_IGNORE), there == 0;) usleep(100);
  }
  /// FFTW leaves scaling to the caller; here it is part of the transform, so FFTW's is not timed.
  void scale() {
    for (std::size_t i = 0; i < count_; ++i) real_[i] *= scale_;
  }

 private:
  Context& context_;
  double* real_ = nullptr;
  fftw_complex* modes_ = nullptr;
  fftw_plan there_ = nullptr, back_ = nullptr;
  double scale_ = 1;
  std::size_t count_ = 0;
};

struct Ours {
  Ours(Context& context, int n, Library library, int largest)
      : fft(context, {.cells = {n, n, n}, .largest_mode = {largest, largest, largest}, .library = library}),
        u(fft.real_grid(), "u"),
        modes(fft.mode_grid(), "modes") {
    u.fill([](int x, int y, int z) { return std::sin(0.1 * x + 0.2 * y + 0.3 * z); });
  }
  void run() {
    fft.forward(u.now(), modes.now());
    fft.backward(modes.now(), u.now(), spectral::Input::destroy);  // FFTW destroys its input too
  }
  FFT<double> fft;
  Field<double> u;
  Field<std::complex<double>> modes;
};

void compare(Context& context, int n, int turns) {
  Reference estimate(context, n, FFTW_ESTIMATE), measure(context, n, FFTW_MEASURE);
  Ours pocket(context, n, Library::pocketfft, -1), third(context, n, Library::pocketfft, (n - 1) / 3);
  std::unique_ptr<Ours> fftw;
  if (has(Library::fftw)) fftw = std::make_unique<Ours>(context, n, Library::fftw, -1);
  std::vector<bench::Way> ways{
      {"FFTW 3-D, estimate", [&] { estimate.run(); }, [] {}, [&] { estimate.scale(); }},
      {"FFTW 3-D, measure", [&] { measure.run(); }, [] {}, [&] { measure.scale(); }},
      {"pocketfft lines", [&] { pocket.run(); }},
      {"pocketfft lines, 2/3 of the modes", [&] { third.run(); }}};
  if (fftw) ways.push_back({"FFTW lines", [&] { fftw->run(); }});
  bench::take_turns(context, ways, turns, 2);
  if (context.rank() != 0) return;
  for (const bench::Way& way : ways)
    std::printf("%d^3, %d ranks, %s: %.2f ms there and back\n", n, context.size(), way.name.c_str(),
                1e3 * bench::median(way));
  const std::string what =
      std::to_string(n) + "^3, " + std::to_string(context.size()) + (context.size() > 1 ? " ranks" : " rank");
  bench::report("FFTW 3-D (ESTIMATE) / Subcurrent, " + what, bench::ratio(ways[0], ways[2]), "goal >= 0.9");
  bench::report("FFTW 3-D (MEASURE) / Subcurrent, " + what, bench::ratio(ways[1], ways[2]), "goal >= 0.9");
  if (fftw)
    bench::report("FFTW 3-D (ESTIMATE) / Subcurrent with 1-D FFTW, " + what, bench::ratio(ways[0], ways[4]),
                  "no goal");
  bench::report("transform with 2/3 of the modes / with all, " + what, bench::ratio(ways[3], ways[2]),
                "no goal");
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv);
  const int turns = arguments.number(1, "turns", 9, 1);
  const std::vector<int> sizes = arguments.numbers(2, "cells", {128, 256}, 16, 2);
  fftw_init_threads();
  Context context;
  for (int n : sizes) compare(context, n, turns);
  context.close();
}
