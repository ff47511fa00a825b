// SPDX-License-Identifier: Apache-2.0
// The dendrite's step on a device, on fields that are interface everywhere: cells a second, with operations
// as counted by tests/unit/dendrite_kernels_test, and as fractions of two bounds, the peak of fused
// multiply-adds and the bandwidth of a copy, both measured on the same card. One rank: all sizes. Several
// ranks on one card: `blocking` against `boundary_first`. Finally the step on fields in the host's memory,
// which are copied through the device once a pass, with 1 to 8 steps a pass.
//   gpu_bench [cells along an axis = 512] [steps = 60] [device = cuda] [--trial]
// Without a device it says so and ends successfully.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/arguments.hpp"
#include "bench/on_device.hpp"
#include "engine/exec/launch.hpp"
#include "engine/field/fused.hpp"
#include "engine/stage/slabs.hpp"
#include "solvers/dendrite/stages.hpp"

namespace {

using namespace sc;
using namespace sc::dendrite;

/// Eight chains of fused multiply-adds for each thread; the result is stored conditionally, so that the
/// compiler keeps it.
template <class Real>
struct Multiplying {
  static constexpr int chains = 8, rounds = 2048;
  Real a, b;
  Real* out;
  SC_FN void operator()(Int3 place) const {
    Real sum[chains];
    for (int c = 0; c < chains; ++c) sum[c] = Real(place.x + c);
    for (int n = 0; n < rounds; ++n)
      for (int c = 0; c < chains; ++c) sum[c] = fused(sum[c], a, b);
    Real all{};
    for (int c = 0; c < chains; ++c) all += sum[c];
    if (all == Real(-1)) out[0] = all;
  }
};

/// Seconds of one of `times` runs on a device, after one that is not timed.
template <class F>
double timed(Device& device, int times, F&& run) {
  run();
  device.finish();
  const auto begin = std::chrono::steady_clock::now();
  for (int n = 0; n < times; ++n) run();
  device.finish();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return took.count() / times;
}

template <class Real>
double peak(Device& device, int threads) {
  const Device::Memory out = device.allocate(sizeof(Real));
  const Multiplying<Real> body{Real(0.5), Real(1), reinterpret_cast<Real*>(out.get())};
  const double flops = 2.0 * body.chains * body.rounds * threads;
  return flops / timed(device, 5, [&] { launch(device, Stream::edge, {threads, 1, 1}, body, "the peak"); });
}

double copy_bandwidth(Device& device, std::size_t bytes) {
  const Device::Memory from = device.allocate(bytes), to = device.allocate(bytes);
  return 2.0 * double(bytes) /
         timed(device, 20, [&] { device.copy(Stream::edge, to.get(), from.get(), bytes); });
}

struct Bounds {
  double flops, bytes;
};

DendriteOptions options_of(bool single, bool noisy) {
  DendriteOptions options;
  options.single = single;
  if (!noisy) options.material.noise = 0;
  options.seeds = {{}};
  return options;
}

struct Bed {
  Bed(Context& context, int cells, const DendriteOptions& options, Strategy strategy,
      const FieldOptions& where = {.space = Space::device}, int length = 1)
      : runner(context, {.strategy = strategy, .steps_per_pass = length}),
        stages(make_stages(
            Grid(context, {.cells = {cells, cells, cells}, .periodic = {true, true, true}, .halo = length}),
            options, where, 1e-15)) {
    std::vector<double> wave(std::size_t(3 * cells));  // phi between 0.05 and 0.95, steep in every cell
    for (int i = 0; i < cells; ++i)
      for (int axis = 0; axis < 3; ++axis)
        wave[std::size_t(3 * i + axis)] = std::sin((1.1 + 0.1 * axis) * i + 0.3);
    typed(*stages.phi, [&]<class Real>(Field<Real>& phi) {
      phi.fill([&](int x, int y, int z) {
        return Real(0.5 + 0.45 * wave[std::size_t(3 * x)] * wave[std::size_t(3 * y + 1)] *
                              wave[std::size_t(3 * z + 2)]);
      });
    });
    typed(*stages.theta, [&]<class Real>(Field<Real>& theta) {
      theta.fill([&](int x, int, int) { return Real(-100 + 50 * wave[std::size_t(3 * x)]); });
    });
  }
  /// Seconds of a step on the slowest rank.
  static constexpr int first_steps = 8;  // not timed
  double step(Context& context, int steps) {
    const auto run = [&](int count) {
      runner.steps(count, [&](int n) {
        stages.advance.set(n);
        runner.run(*stages.advance);
        stages.phi->advance();
        stages.theta->advance();
      });
      context.device()->finish();
    };
    run(first_steps);
    context.barrier();
    const auto begin = std::chrono::steady_clock::now();
    run(steps);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    return context.max(took.count()) / steps;
  }

  Runner runner;
  Stages stages;
};

template <class Real, bool noisy>
void measure(Context& context, const char* name, int cells, int steps, Strategy strategy, const Bounds& b) {
  Bed bed(context, cells, options_of(sizeof(Real) == 4, noisy), strategy);
  const double seconds = bed.step(context, steps);
  const double rate = double(cells) * cells * cells / seconds;
  const double flops = bed.stages.advance->flops(), bytes = bed.stages.advance->bytes_per_cell();
  if (context.rank() != 0) return;
  const double of_peak = rate * flops / b.flops, of_copy = rate * bytes / b.bytes;
  std::printf("| %-14s | %4d | %-14s | %9.1f | %9.1f | %8.1f | %4.0f %% | %4.0f %% | %s |\n", name, cells,
              std::string(strategy.name).c_str(), 1e-6 * rate, 1e-9 * rate * flops, 1e-9 * rate * bytes,
              100 * of_peak, 100 * of_copy, of_peak > of_copy ? "peak" : "copy");
}

/// Also reports the bytes copied in each direction during that time.
void measure_passing(Context& context, int cells, int steps, int pieces, int length) {
  const auto place = in_host_memory_of(context.device(), pieces);
  Bed bed(context, cells, options_of(true, true), Strategy::boundary_first, {.place = place}, length);
  const double seconds = bed.step(context, steps);
  place->finish();
  const double runs = steps + bed.first_steps;
  const double in = double(place->memory().bytes(Way::in)) / runs;
  const double out = double(place->memory().bytes(Way::out)) / runs;
  if (context.rank() != 0) return;
  std::printf(
      "single, noise, %d^3 on the host, %d pieces, %d steps a pass: %.1f million cells/s; %.0f MiB on the "
      "device; %.4g MB a step to it and %.4g back, at %.1f and %.1f GB/s, on each of %d ranks\n",
      cells, pieces, length, 1e-6 * double(cells) * cells * cells / seconds,
      double(place->ring().near_bytes()) / (1 << 20), 1e-6 * in, 1e-6 * out, 1e-9 * in / seconds,
      1e-9 * out / seconds, context.size());
}

void measure_all(Context& context, int cells, int steps) {
  Device& device = *context.device();
  const bool small = device.runs_on_host() || cells < 64;  // a trial, whose speed means nothing
  const int threads = small ? 256 : 1 << 20;
  const std::size_t copied = small ? std::size_t{1} << 20 : std::size_t{1} << 30;
  const Bounds single{peak<float>(device, threads), copy_bandwidth(device, copied)};
  const Bounds twice{peak<double>(device, threads), single.bytes};
  if (context.rank() == 0) {
    std::printf("%s, %d ranks; fused multiply-adds %.1f TFLOP/s single, %.1f double; copy %.0f GB/s\n",
                device.describe().c_str(), context.size(), 1e-12 * single.flops, 1e-12 * twice.flops,
                1e-9 * single.bytes);
    std::printf(
        "| fields | cells | strategy | million cells/s | GFLOP/s | GB/s | of peak | of copy | nearer |\n");
    std::printf("|---|---|---|---|---|---|---|---|---|\n");
  }
  const int few = 8 * std::max(1, steps / 48);  // whole passes
  if (context.size() > 1) {
    for (const Strategy strategy : {Strategy::blocking, Strategy::boundary_first, Strategy::interior_first})
      measure<float, true>(context, "single, noise", cells, steps, strategy, single);
    measure_passing(context, cells, few, 8, 1);
    return;
  }
  for (int size = 64; size <= cells; size *= 2)
    measure<float, true>(context, "single, noise", size, steps, Strategy::boundary_first, single);
  measure<float, true>(context, "single, noise", cells, steps, Strategy::blocking, single);
  measure<float, false>(context, "single", cells, steps, Strategy::boundary_first, single);
  measure<double, true>(context, "double, noise", cells, steps, Strategy::boundary_first, twice);
  for (const int pieces : {4, 8, 16}) measure_passing(context, cells, few, pieces, 1);
  for (const int length : {2, 4, 8}) measure_passing(context, cells, few, cells >= 128 ? 8 : 1, length);
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv);
  const int cells = arguments.number(1, "cells", 512, 16), steps = arguments.number(2, "steps", 60, 2);
  return bench::measure_on_device(argc, argv, arguments.word(3, "cuda"),
                                  [&](Context& context) { measure_all(context, cells, steps); });
}
