// SPDX-License-Identifier: Apache-2.0
// ranks: 2
// In shared memory the receiver copies, and on the rank that comes last at its first look: the time of these
// copies must be in the account, of stages, of passes of several steps, and of transforms.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "engine/overlap/ledger.hpp"
#include "engine/subcurrent.hpp"
#include "spectral/fft.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

constexpr int components = 16;
constexpr int runs = 5;
constexpr int halo = 8;
constexpr Int3 cells{96, 96, 16};  // per rank a halo of 19 MB, twice its own cells

struct Shift {
  int by;
  SC_FN void operator()(At c, Out<double> to, In<double, components> from) const {
    to[c] = from[0][c.z(by)] - from[0][c.z(-by)];
  }
};

struct Spent {
  Terms terms;
  double elapsed = 0;
};

/// The terms and the time of `action` on this rank, which comes last if it is rank 1. The first runs, which
/// plan, do not count.
template <class Prepare, class Action>
Spent last(Context& context, Prepare&& prepare, Action&& action) {
  using namespace std::chrono_literals;
  const Runner runner(context, {});
  Ledger ledger(runner);
  const Timeline& timeline = context.timeline();
  Spent spent;
  for (int run = -2; run < runs; ++run) {
    prepare();
    if (context.rank() == 1) std::this_thread::sleep_for(20ms);
    ledger.open();
    const double begin = timeline.now();
    action();
    if (run >= 0) spent.elapsed += timeline.now() - begin;
    ledger.close();
    if (run < 0) ledger.restart();
  }
  context.barrier();
  spent.terms = ledger.terms();
  return spent;
}

/// Calls measure() until rank 1 has an account of nearly all its time; other programs may disturb a run.
template <class Measure>
void expect_complete(const Strategy& strategy, Measure&& measure) {
  Spent spent;
  for (int attempt = 0; attempt < 4; ++attempt) {
    TestContext context({.transport = TransportPolicy::shared, .sampling = {.first = 0, .every = 0}});
    spent = measure(context);
    const bool complete = context.rank() == 0 || spent.terms.total() >= 0.9 * spent.elapsed;
    if (context.largest(complete ? 0 : 1) == 0) break;
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) return;
  EXPECT_GE(spent.terms.total(), 0.9 * spent.elapsed) << strategy.name;
  EXPECT_LE(spent.terms.total(), 1.001 * spent.elapsed) << strategy.name;
  const Moved m = spent.terms.moved();
  const double moving = m.start + m.poke + m.wait;
  EXPECT_GT(moving, 0) << strategy.name;
  if (!strategy.overlaps) {
    EXPECT_NEAR(m.apart, moving, 0.01 * moving) << strategy.name;
  }
}

Spent shifted(Context& context, RunnerOptions options) {
  const Grid grid(context,
                  {.cells = cells, .periodic = {false, false, true}, .halo = halo, .split = {1, 1, 2}});
  Field<double, components> from(grid, "from");
  Field<double> to(grid, "to");
  from.boundaries().leave_others(Beyond::given);
  from.fill([](int k, int x, int y, int z) { return 1.0 / (1 + k + x + 2 * y + 3 * z); });
  Sweep shift("shift", Shift{halo}, writes(to.now()), reads(from.now(), star(halo)));
  Runner runner(context, options);
  return last(
      context, [&] { from.modify(); },
      [&] { runner.steps(options.steps_per_pass, [&](int) { runner.run(shift, Shift{halo}); }); });
}

TEST(FirstLook, OfStagesIsInTheAccount) {
  for (const Strategy& strategy : undivided_strategies())
    expect_complete(strategy, [&](Context& context) { return shifted(context, {.strategy = strategy}); });
}

TEST(FirstLook, OfPassesIsInTheAccount) {
  for (const Strategy& strategy : {Strategy::blocking, Strategy::boundary_first})
    expect_complete(strategy, [&](Context& context) {
      return shifted(context, {.strategy = strategy, .steps_per_pass = 2});
    });
}

TEST(FirstLook, OfTransformsIsInTheAccount) {
  for (const Strategy& strategy : {Strategy::blocking, Strategy::boundary_first})
    expect_complete(strategy, [&](Context& context) {
      spectral::FFT<double> fft(context, {.cells = {128, 128, 64}, .strategy = strategy});
      Field<double> points(fft.real_grid(), "points");
      Field<std::complex<double>> modes(fft.mode_grid(), "modes");
      points.fill([](int x, int y, int z) { return 1.0 / (1 + x + y + z); });
      return last(
          context, [&] { context.barrier(); }, [&] { fft.forward(points.now(), modes.now()); });
    });
}

}  // namespace
}  // namespace sc::test
