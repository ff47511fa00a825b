// SPDX-License-Identifier: Apache-2.0
// One step of the dendrite on fields that are interface everywhere, so that no cell could be skipped: cells a
// second, and what share of this machine's FMA peak and copy bandwidth, measured in the same turns, that is.
// The same once more on fields that stay in the last cache, where no neighbour on the host stands in the way
// of memory.
//   dendrite_bench [cells along an axis = 160] [threads = 2] [turns = 15]
#include <cmath>
#include <memory>

#include "bench/copy_loop.hpp"
#include "bench/measure.hpp"
#include "engine/exec/face_kernel.hpp"
#include "solvers/dendrite/model.hpp"
#include "solvers/dendrite/stages.hpp"

namespace {

using namespace sc;
using namespace sc::dendrite;

// Twelve chains of fused multiply-adds a thread, each as wide as a vector: as many as keep two units busy.
template <class Real>
struct Peak {
  static constexpr int chains = 12, bytes = 64, rounds = 2'000'000;
  static constexpr double flops = 2.0 * chains * (bytes / sizeof(Real)) * rounds;
  using Vector [[gnu::vector_size(bytes)]] = Real;

  [[gnu::noinline]] static Real run(Real a, Real b) {
    Vector sum[chains];
    for (int c = 0; c < chains; ++c) sum[c] = Vector{} + Real(c);
    for (int n = 0; n < rounds; ++n)
      for (int c = 0; c < chains; ++c) sum[c] = sum[c] * a + b;
    Vector all{};
    for (int c = 0; c < chains; ++c) all += sum[c];
    return all[0];
  }
  static double of_threads(int threads) {
    double kept = 0;
#pragma omp parallel num_threads(threads) reduction(+ : kept)
    kept += double(run(Real(0.5), Real(1)));
    return kept;
  }
};

/// A cell of the paper's kernel (decision 81).
constexpr double paper_flops = 373;

template <class Real, bool noisy, bool turned>
struct Bed {
  Bed(Context& context, Int3 cells)
      : runner(context, {.strategy = Strategy::blocking}),
        grid(context, {.cells = cells, .periodic = {true, true, true}, .halo = 1}),
        fields(grid, Space::host),
        advance(advance_stage<Real, noisy, turned>(fields)) {
    // phi between 0.05 and 0.95, steep in every cell.
    fields.phi.fill([](int x, int y, int z) {
      return Real(0.5 + 0.45 * std::sin(1.1 * x + 0.3) * std::sin(0.9 * y + 0.7) * std::sin(1.3 * z + 1.1));
    });
    fields.theta.fill([](int x, int y, int z) { return Real(-100 + 50 * std::sin(0.2 * (x + y + z))); });
    if constexpr (turned)
      fields.turn.fill([](int k, int x, int, int) {
        return Real(k == 0 ? std::cos(0.01 * x) : k == 1 ? std::sin(0.01 * x) : 0);
      });
    options.seeds = {{}};
  }
  void run() { runner.run(advance, {coefficients_of<Real>(options, 4e-12, 1)}); }

  DendriteOptions options;
  Runner runner;
  Grid grid;
  Fields<Real, turned> fields;
  AdvanceStage<Real, noisy, turned> advance;
};

struct Size {
  Int3 cells;
  int steps;  ///< a turn
  bool in_cache;
};

template <class Real, bool noisy, bool turned>
void measure(Context& context, const std::string& kind, const Size& size, int threads, int turns) {
  const std::string name = kind + (size.in_cache ? ", in cache" : "");
  Bed<Real, noisy, turned> bed(context, size.cells);
  bench::Copy copy(std::size_t{1} << 24, threads);
  volatile double kept = 0;
  std::vector<bench::Way> ways{
      {.name = "step",
       .run =
           [&] {
             for (int n = 0; n < size.steps; ++n) bed.run();
           }},
      {.name = "peak", .run = [&] { kept = kept + Peak<Real>::of_threads(threads); }},
      {.name = "copy", .run = [&] { copy.run(); }}};
  bench::take_turns(context, ways, turns, 2);
  const double count = double(Box{{0, 0, 0}, size.cells}.cells()) * size.steps;
  const double rate = count / bench::median(ways[0]);
  const double flops = bed.advance.flops(), bytes = bed.advance.bytes_per_cell();
  const double peak = threads * Peak<Real>::flops / bench::median(ways[1]);
  const double band = copy.bytes() / bench::median(ways[2]);
  std::printf(
      "%-32s %7.1f million cells/s, %5.1f GFLOP/s (%.0f a cell) of %5.1f, %5.1f GB/s (%.0f a cell) of "
      "%5.1f\n",
      name.c_str(), 1e-6 * rate, 1e-9 * rate * flops, flops, 1e-9 * peak, 1e-9 * rate * bytes, bytes,
      1e-9 * band);
  // Which of the two would take longer; in cache, memory takes no part.
  const bool computing = size.in_cache || flops / peak > bytes / band;
  bench::report(name + (computing ? ", share of the FMA peak" : ", share of the copy bandwidth"),
                computing ? rate * flops / peak : rate * bytes / band,
                computing ? "goal >= 0.5" : "goal >= 0.8");
  if constexpr (!turned)
    bench::report(name + ", cells / those of the paper's operations at half the FMA peak",
                  rate * paper_flops / (0.5 * peak), "goal >= 1");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const auto number = [&](int n, int otherwise) { return argc > n ? std::atoi(argv[n]) : otherwise; };
  const int cells = number(1, 160), threads = number(2, 2), turns = number(3, 15);
  Context context(MPI_COMM_WORLD, {.threads = threads});
  const Size sizes[] = {{{cells, cells, cells}, 1, false}, {{96, 96, 32}, 12, true}};
  for (const Size& size : sizes) {
    measure<float, false, false>(context, "single", size, threads, turns);
    measure<float, true, false>(context, "single, noise", size, threads, turns);
    measure<double, false, false>(context, "double", size, threads, turns);
    measure<double, true, false>(context, "double, noise", size, threads, turns);
    measure<float, true, true>(context, "single, noise, turned", size, threads, turns);
  }
  context.close();
  MPI_Finalize();
}
