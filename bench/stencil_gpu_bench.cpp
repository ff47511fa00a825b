// SPDX-License-Identifier: Apache-2.0
// Kernels with little arithmetic on a GPU: the heat equation and a largest value, microseconds a run, as
// fractions of a copy of as many bytes on the same card; and a step of the magnetosphere.
//   stencil_gpu_bench [cells along an axis = 512] [steps = 100] [device = cuda] [--trial]
// Without a device it says so and ends successfully.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/arguments.hpp"
#include "bench/heat_kernel.hpp"
#include "bench/measure.hpp"
#include "bench/on_device.hpp"
#include "engine/exec/launch.hpp"
#include "engine/subcurrent.hpp"
#include "solvers/magnetosphere/solver.hpp"

namespace {

using namespace sc;

template <class Real>
struct Highest {
  SC_FN double operator()(At c, In<Real> T) const { return double(T[c]); }
};

/// Medians of five times of `steps` runs, in microseconds a run.
std::vector<double> microseconds(Context& context, int steps, std::vector<bench::Way> ways) {
  bench::take_turns(context, ways, 5, 1);
  std::vector<double> medians;
  for (const bench::Way& way : ways) medians.push_back(1e6 * bench::median(way) / steps);
  return medians;
}

bench::Way runs(const char* name, Device& device, int steps, std::function<void()> run) {
  return {.name = name, .run = [&device, steps, run = std::move(run)] {
            for (int n = 0; n < steps; ++n) run();
            device.finish();
          }};
}

template <class Real>
void heat(Context& context, const char* precision, int n, int steps) {
  Device& device = *context.device();
  const Grid grid(context, {.cells = {n, n, n}, .periodic = {true, true, true}, .halo = 1});
  Field<Real> T(grid, "temperature", {.levels = 2, .space = Space::device});
  T.fill([](int x, int y, int z) { return Real((x + 2 * y + 3 * z) % 17); });
  Sweep diffuse("diffuse", bench::Diffuse<Real>{Real(0.1)}, writes(T.next()), reads(T.now(), star(1)));
  Sweep highest("highest", Highest<Real>{}, SweepOptions{.reduce = Reduce::max}, reads(T.now()));
  Runner runner(context, {});
  const std::size_t bytes = sizeof(Real) * std::size_t(grid.own().cells());
  const Device::Memory from = device.allocate(bytes), to = device.allocate(bytes);
  const auto took = microseconds(
      context, steps,
      {runs("copy", device, steps, [&] { device.copy(Stream::edge, to.get(), from.get(), bytes); }),
       runs("heat", device, steps,
            [&] {
              runner.run(diffuse);
              T.advance();
            }),
       runs("highest", device, steps, [&] { runner.run(highest); })});
  if (context.rank() != 0) return;
  std::printf("%s, %d^3 cells: copy %.0f us (%.0f GB/s), heat %.0f us, highest %.0f us\n", precision, n,
              took[0], 2e-3 * double(bytes) / took[0], took[1], took[2]);
  bench::report(std::string("heat equation, ") + precision + ", speed / copy", took[0] / took[1],
                "goal >= 0.8");
  bench::report(std::string("largest value, ") + precision + ", speed / copy of half the bytes",
                took[0] / 2 / took[2], "for the record");
}

void mhd(Context& context, int n, int steps) {
  magnetosphere::MagnetosphereOptions o;
  o.cells = {n, n, n};
  o.spacing = 60.0 / n;
  o.dt = 1e-4;
  o.space = Space::device;
  o.wind = {.rho = 5e-4, .v = {0.044, 0, 0}, .p = 3.56e-8, .B = {0, 0, 1.5e-4}};
  o.faces.fill(magnetosphere::FaceKind::periodic);
  magnetosphere::Magnetosphere solver(context, o);
  const auto took =
      microseconds(context, steps, {runs("step", *context.device(), steps, [&] { solver.step(); })});
  if (context.rank() == 0) std::printf("magnetosphere, %d^3: a step %.0f us\n", n, took[0]);
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv);
  const int cells = arguments.number(1, "cells", 512, 16, 8), steps = arguments.number(2, "steps", 100, 2);
  return bench::measure_on_device(argc, argv, arguments.word(3, "cuda"), [&](Context& context) {
    heat<float>(context, "single", cells, steps);
    heat<double>(context, "double", cells, steps);
    mhd(context, std::max(cells / 2, 16), steps);
  });
}
