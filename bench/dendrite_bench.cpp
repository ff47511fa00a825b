// SPDX-License-Identifier: Apache-2.0
// Steps of the dendrite solver, as in a run, on fields that are interface everywhere, so that no cell can be
// skipped. Results are cells a second, as fractions of this machine's FMA peak and copy bandwidth, which are
// measured in the same turns. The same on fields that stay in the last-level cache, so that other programs on
// the host do not affect the memory bandwidth.
//   dendrite_bench [cells along an axis = 160] [threads = 2] [turns = 15] [--trial]
#include <cmath>
#include <memory>

#include "bench/arguments.hpp"
#include "bench/copy_loop.hpp"
#include "bench/measure.hpp"
#include "solvers/dendrite/solver.hpp"
#include "solvers/dendrite/stages.hpp"

namespace {

using namespace sc;
using namespace sc::dendrite;

// Twelve chains of fused multiply-adds for each thread, each one vector wide: enough to keep two units busy.
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

/// Operations for a cell in the paper's kernel (decision 43).
constexpr double paper_flops = 373;

struct Kind {
  const char* name;
  bool single, noisy, rotated;
  double flops() const { return (rotated ? rotated_flops : advance_flops) + (noisy ? noise_flops : 0); }
};

/// As in a run except for the step, which is so short that the fields hardly change.
DendriteOptions options_of(const Kind& kind, Int3 cells,
                           Strategy strategy = DendriteOptions{}.engine.strategy) {
  DendriteOptions o;
  o.engine.strategy = strategy;
  o.cells = cells;
  o.single = kind.single;
  o.dt = 1e-18;
  if (!kind.noisy) o.material.noise = 0;
  Seed seed;
  if (kind.rotated) seed.angle = 0.5;
  o.seeds = {seed};
  return o;
}

/// phi between 0.05 and 0.95, with a large gradient in every cell.
template <class Real>
void fill(Dendrite& solver) {
  static_cast<Field<Real>&>(solver.phase()).fill([](int x, int y, int z) {
    return Real(0.5 + 0.45 * std::sin(1.1 * x + 0.3) * std::sin(0.9 * y + 0.7) * std::sin(1.3 * z + 1.1));
  });
  static_cast<Field<Real>&>(solver.heat()).fill([](int x, int y, int z) {
    return Real(-100 + 50 * std::sin(0.2 * (x + y + z)));
  });
}

struct Size {
  Int3 cells;
  int steps;  ///< in a turn
  bool in_cache;
};

template <class Real>
void measure(Context& context, const Kind& kind, const Size& size, int turns) {
  const std::string name = std::string("dendrite, ") + kind.name + (size.in_cache ? ", in cache" : "");
  const int threads = context.threads();
  const auto solver = std::make_unique<Dendrite>(context, options_of(kind, size.cells));
  fill<Real>(*solver);
  const auto blocking = std::make_unique<Dendrite>(context, options_of(kind, size.cells, Strategy::blocking));
  fill<Real>(*blocking);
  const auto steps_of = [&](Dendrite& of) {
    return [&, steps = size.steps] {
      for (int n = 0; n < steps; ++n) of.step();
    };
  };
  bench::Copy copy(std::size_t{1} << 24, threads);
  volatile double kept = 0;
  std::vector<bench::Way> ways{
      {.name = "step", .run = steps_of(*solver)},
      {.name = "peak", .run = [&] { kept = kept + Peak<Real>::of_threads(threads); }},
      {.name = "copy", .run = [&] { copy.run(); }},
      {.name = "blocking", .run = steps_of(*blocking)}};
  bench::take_turns(context, ways, turns, 2);
  solver->check_finite();
  const double count = double(Box{{0, 0, 0}, size.cells}.cells()) * size.steps;
  const double rate = count / bench::median(ways[0]);
  const double flops = kind.flops(), bytes = (kind.rotated ? 8 : 4) * sizeof(Real);
  const double peak = threads * Peak<Real>::flops / bench::median(ways[1]);
  const double band = copy.bytes() / bench::median(ways[2]);
  std::printf(
      "%-32s %7.1f million cells/s, %5.1f GFLOP/s (%.0f a cell) of %5.1f, %5.1f GB/s (%.0f a cell) of "
      "%5.1f\n",
      name.c_str(), 1e-6 * rate, 1e-9 * rate * flops, flops, 1e-9 * peak, 1e-9 * rate * bytes, bytes,
      1e-9 * band);
  // The larger of the two lower bounds; in the cache, memory bandwidth does not matter.
  const bool computing = size.in_cache || flops / peak > bytes / band;
  bench::report(name + (computing ? ", share of the FMA peak" : ", share of the copy bandwidth"),
                computing ? rate * flops / peak : rate * bytes / band,
                computing ? "goal >= 0.5" : "goal >= 0.8");
  bench::report(name + ", time with blocking / time with the default strategy",
                bench::median(ways[3]) / bench::median(ways[0]), "goal >= 0.98");
  if (!kind.rotated)
    bench::report(name + ", cells a second / those of the paper's kernel at half the FMA peak",
                  rate * paper_flops / (0.5 * peak), "goal >= 1");
}

constexpr Kind kinds[] = {{"single", true, false, false},
                          {"single, noise", true, true, false},
                          {"double", false, false, false},
                          {"double, noise", false, true, false},
                          {"single, noise, rotated", true, true, true}};

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv);
  const int cells = arguments.number(1, "cells", 160, 20), threads = arguments.number(2, "threads", 2, 2),
            turns = arguments.number(3, "turns", 15, 1);
  std::vector<Size> sizes{{{cells, cells, cells}, 2, false}, {{96, 96, 32}, 12, true}};
  if (arguments.trial()) sizes = {{{cells, cells, cells}, 2, false}, {{16, 16, 16}, 2, true}};
  Context context(MPI_COMM_WORLD, {.threads = threads});
  std::printf("strategy %s, %d threads, periodic boxes on one rank\n",
              std::string(DendriteOptions{}.engine.strategy.name).c_str(), threads);
  for (const Size& size : sizes)
    for (const Kind& kind : kinds)
      kind.single ? measure<float>(context, kind, size, turns) : measure<double>(context, kind, size, turns);
  context.close();
}
