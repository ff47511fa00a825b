// SPDX-License-Identifier: Apache-2.0
// The transform by itself: the x derivative of a field on any number of ranks, without a solver or a case
// file.
//   mpirun -n 4 spectral_derivative [points per axis]
#include <cmath>
#include <cstdio>
#include <numbers>

#include "engine/base/run_main.hpp"
#include "engine/overlap/runner.hpp"
#include "engine/stage/global_value.hpp"
#include "spectral/fft.hpp"

using namespace sc;

struct Differentiate {  // modes <- i kx modes
  SC_FN void operator()(At c, Index k, InOut<std::complex<double>> modes) const {
    modes[c] = std::complex<double>(-modes[c].imag(), modes[c].real()) * double(k.x);
  }
};

void run(Context& context, Arguments given) {
  const int n = given.whole("the number of points", 64, 8);
  given.end();
  spectral::FFT<double> fft(context, {.cells = {n, n, n}, .largest_mode = {(n - 1) / 2, -1, -1}});
  Field<double> u(fft.real_grid(), "u");
  Field<std::complex<double>> modes(fft.mode_grid(), "modes");
  const double h = 2 * std::numbers::pi / n;
  u.fill([h](int x, int y, int) { return std::sin(3 * h * x) * std::cos(h * y); });

  Sweep differentiate("differentiate", Differentiate{}, updates(modes.now()));
  Runner runner(context, {.strategy = Strategy::blocking});
  fft.forward(u.now(), modes.now());
  runner.run(differentiate);
  fft.backward(modes.now(), u.now());

  double worst = 0;
  const Int3 first = fft.real_grid().origin(), own = fft.real_grid().own().extent();
  for (int z = 0; z < own.z; ++z)
    for (int y = 0; y < own.y; ++y)
      for (int x = 0; x < own.x; ++x)
        worst = std::max(worst, std::abs(u.get({x, y, z}) -
                                         3 * std::cos(3 * h * (first.x + x)) * std::cos(h * (first.y + y))));
  worst = context.max(worst);
  if (context.rank() == 0)
    std::printf("%d^3 points on %d ranks, derivative off by %.1e\n", n, context.size(), worst);
  if (!(worst < 1e-11)) throw Error(Exit::failure, "the derivative is off by more than rounding errors");
}

int main(int argc, char** argv) { return run_main(argc, argv, run); }
