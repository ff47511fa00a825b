// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 4
// timed: yes
// The account of a run: samples do not change bits, bytes are counted when they are sent, and solvers of one
// context do not record each other's times.
#include "engine/overlap/ledger.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/move/output/gather.hpp"
#include "engine/subcurrent.hpp"
#include "tests/mpi/kernels.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

struct Outcome {
  std::vector<std::byte> bits;
  Terms terms;
  std::vector<Ledger::Line> lines;
};

struct Heat {
  Heat(Context& context, RunnerOptions options)
      : grid(context, {.cells = {12, 10, 24}, .periodic = {true, false, true}, .halo = 1}),
        T(grid, "temperature", {.levels = 2}),
        diffuse("diffuse", Diffuse{}, writes(T.next()), reads(T.now(), star(1))),
        runner(context, options),
        ledger(runner) {
    T.boundaries().leave_others(Beyond::given);
    T.fill([](int x, int y, int z) { return 1.0 / (1 + x + 2 * y + 3 * z); });
  }
  void step(int count) {
    for (int n = 0; n < count; ++n) {
      ledger.open();
      runner.run(diffuse, Diffuse{0.1});
      T.advance();
      ledger.close();
    }
  }
  Grid grid;
  Field<double> T;
  decltype(Sweep("", Diffuse{}, writes(std::declval<Field<double>&>().next()),
                 reads(std::declval<Field<double>&>().now(), star(1)))) diffuse;
  Runner runner;
  Ledger ledger;
};

Outcome run(Context& context, Strategy strategy, int steps, Sampling sampling = {.first = 0, .every = 0}) {
  context.accounts().sampling = sampling;
  Heat heat(context, {.strategy = strategy});
  heat.step(steps);
  Outcome outcome{gather(heat.T.storage(0)), heat.ledger.terms(), heat.ledger.lines()};
  context.barrier();
  return outcome;
}

const Ledger::Line* find(const Outcome& outcome, std::string_view name) {
  for (const Ledger::Line& line : outcome.lines)
    if (line.name == name) return &line;
  return nullptr;
}

constexpr Strategy hiding[] = {Strategy::boundary_first, Strategy::interior_first, Strategy::halo_thread,
                               Strategy::pipelined};

TEST(Ledger, SamplesCostNoBits) {
  TestContext context;
  const Outcome expected = run(context, Strategy::blocking, 12);
  for (const Strategy strategy : hiding) {
    const Outcome sampled = run(context, strategy, 12, {.first = 5, .every = 4});
    EXPECT_EQ(sampled.bits, expected.bits) << strategy.name;
    ASSERT_TRUE(find(sampled, "diffuse ordered")) << strategy.name;
  }
}

TEST(Ledger, MeasuresMovementsWhereNothingOverlaps) {
  constexpr double delay = 5e-3;
  constexpr int steps = 12;
  TestContext context({.transport = TransportPolicy::delayed, .delay = delay});
  for (const Strategy strategy : {Strategy::blocking, Strategy::ordered}) {
    const Moved moved = run(context, strategy, steps).terms.moved();
    EXPECT_GT(moved.apart, 0.8 * steps * delay) << strategy.name;
    EXPECT_NEAR(moved.apart, moved.start + moved.wait, 1e-4);
    EXPECT_NEAR(moved.hidden(), 0, 1e-2) << strategy.name << " hides nothing";
  }
  for (const Strategy strategy : hiding) {
    const Outcome sampled = run(context, strategy, steps, {.first = 3, .every = 0});
    const Moved moved = sampled.terms.moved();
    EXPECT_GT(moved.apart, 0.8 * steps * delay) << strategy.name;
    EXPECT_GT(moved.apart, moved.hideable);
    const double waited = find(sampled, "diffuse ordered")->seconds[static_cast<std::size_t>(Phase::wait)];
    EXPECT_GT(waited, 3 * 0.8 * delay);
    EXPECT_GE(sampled.terms.samples, waited);
    // Waiting in samples is not attributed to the strategy.
    const double own = find(sampled, "diffuse")->seconds[static_cast<std::size_t>(Phase::wait)];
    EXPECT_LE(moved.wait, own + 1e-2);
    const Moved unknown = run(context, strategy, steps).terms.moved();
    EXPECT_TRUE(std::isnan(unknown.apart)) << "nothing was sampled";
    EXPECT_TRUE(std::isnan(unknown.hidden()));
  }
}

// However long the interval is, slabs of the core grow: 1, 4, 16 and 64 planes.
TEST(Ledger, LongIntervalsMeanFewPokes) {
  for (const double poke_seconds : {1.0, 1e7}) {
    TestContext context({.transport = TransportPolicy::delayed, .delay = 20e-3});
    context.accounts().sampling = {.first = 0, .every = 0};
    const Grid grid(context, {.cells = {8, 8, 64 * context.size()},
                              .periodic = {false, false, true},
                              .halo = 1,
                              .split = {1, 1, context.size()}});
    Field<double> T(grid, "T", {.levels = 2});
    T.boundaries().leave_others(Beyond::given);
    T.fill([](int x, int y, int z) { return 1.0 / (1 + x + y + z); });
    Sweep diffuse("diffuse", Diffuse{0.1}, writes(T.next()), reads(T.now(), star(1)));
    Runner runner(context, {.strategy = Strategy::boundary_first, .poke_seconds = poke_seconds});
    for (int run = 0; run < 3; ++run) {
      runner.run(diffuse);
      T.advance();
    }
    EXPECT_LE(context.accounts()[Resource::messages].looks, 3 * 4) << poke_seconds;
    context.barrier();
  }
}

TEST(Ledger, SaysThatNothingMoves) {
  TestContext context;
  context.accounts().sampling = {.first = 0, .every = 0};
  const Grid grid(context, {.cells = {8, 8, 16}, .halo = 0});
  Field<double> a(grid, "a");
  struct One {
    SC_FN void operator()(At c, Out<double> to) const { to[c] = 1; }
  };
  Sweep set("set", One{}, writes(a.now()));
  Runner runner(context, {.strategy = Strategy::boundary_first});
  Ledger ledger(runner);
  ledger.open();
  for (int n = 0; n < 3; ++n) runner.run(set, One{});
  ledger.close();
  EXPECT_EQ(ledger.terms().moved().apart, 0);
  EXPECT_EQ(ledger.terms().moved().bytes, 0);
  context.barrier();
}

TEST(Ledger, CountsBytesThatTravel) {
  TestContext context;
  const auto bytes = [&](Strategy strategy, int steps) {
    return run(context, strategy, steps).terms.of(Resource::messages).bytes;
  };
  const double once = bytes(Strategy::blocking, 1);
  if (context.size() > 1) {
    EXPECT_GT(once, 0);  // copies within the rank are not sent
  }
  // A lazy strategy refreshes its input before every run. An eager one does so before the first two runs,
  // while the readers are unknown to the writer, and refreshes its output from the second run on.
  for (const Strategy lazy : {Strategy::interior_first, Strategy::halo_thread})
    EXPECT_EQ(bytes(lazy, 6), 6 * once) << lazy.name;
  for (const Strategy eager :
       {Strategy::blocking, Strategy::ordered, Strategy::boundary_first, Strategy::pipelined})
    EXPECT_EQ(bytes(eager, 6), 7 * once) << eager.name;
}

// Diagnostics run beside the steps; neither their time nor their bytes count.
TEST(Ledger, CountsTheBytesOfItsStepsAlone) {
  TestContext context;
  struct Largest {
    SC_FN double operator()(At c, In<double> T) const { return T[c]; }
  };
  Heat heat(context, {.strategy = Strategy::blocking});
  Sweep largest("largest", Largest{}, SweepOptions{.reduce = Reduce::max}, reads(heat.T.now()));
  for (int n = 0; n < 4; ++n) {
    heat.runner.run(largest);
    heat.step(1);
    heat.runner.run(largest);
  }
  const double step = 2.0 * sizeof(double) * static_cast<double>(heat.grid.own().cells());
  EXPECT_EQ(heat.ledger.terms().bytes_declared, 4 * step);
  heat.ledger.restart();
  EXPECT_EQ(heat.ledger.terms().bytes_declared, 0);
  heat.step(2);
  EXPECT_EQ(heat.ledger.terms().bytes_declared, 2 * step);
  context.barrier();
}

TEST(Ledger, LeavesOutWhatOtherSolversDo) {
  TestContext context;
  Heat busy(context, {.strategy = Strategy::ordered}), idle(context, {.strategy = Strategy::ordered});
  busy.step(20);
  EXPECT_GT(busy.ledger.terms().total(), 0);
  EXPECT_EQ(idle.ledger.terms().total(), 0);
  EXPECT_EQ(idle.ledger.terms().moved().bytes, 0);
  context.barrier();
}

TEST(Ledger, ReportsTheRankThatTookLongest) {
  TestContext context;
  EXPECT_EQ(of_largest(context, context.rank() == context.size() - 1 ? 2.0 : 1.0, context.rank()),
            context.size() - 1);
  EXPECT_EQ(of_largest(context, 0.0, 7), 7);
}

}  // namespace
}  // namespace sc::test
