// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 4
// The account of a run: movements measured in place cost no bits, bytes are counted when they travel, solvers
// of one context do not book each other's time.
#include "engine/overlap/ledger.hpp"

#include <gtest/gtest.h>

#include "engine/move/gather.hpp"
#include "engine/subcurrent.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

struct Diffuse {
  double a;
  SC_FN void operator()(At c, Out<double> next, In<double> T) const {
    next[c] =
        T[c] + a * (T[c.x(1)] + T[c.x(-1)] + T[c.y(1)] + T[c.y(-1)] + T[c.z(1)] + T[c.z(-1)] - 6 * T[c]);
  }
};

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

Outcome run(Context& context, RunnerOptions options, int steps) {
  Heat heat(context, options);
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
  const Outcome expected = run(context, {.strategy = Strategy::blocking}, 12);
  for (const Strategy strategy : hiding) {
    const Outcome sampled = run(context, {.strategy = strategy, .samples = 5}, 12);
    EXPECT_EQ(sampled.bits, expected.bits) << strategy_name(strategy);
    ASSERT_TRUE(find(sampled, "diffuse ordered")) << strategy_name(strategy);
  }
}

TEST(Ledger, MeasuresMovementsWhereNothingOverlaps) {
  constexpr double delay = 5e-3;
  constexpr int steps = 12;
  TestContext context({.transport = TransportPolicy::delayed, .delay = delay});
  for (const Strategy strategy : {Strategy::blocking, Strategy::ordered}) {
    const Terms terms = run(context, {.strategy = strategy}, steps).terms;
    EXPECT_GT(terms.movement, 0.8 * steps * delay) << strategy_name(strategy);
    EXPECT_LT(terms.movement, 1.2 * (terms.start + terms.wait) + 1e-4);
  }
  for (const Strategy strategy : hiding) {
    const Outcome sampled = run(context, {.strategy = strategy, .samples = 3}, steps);
    EXPECT_GT(sampled.terms.movement, 0.8 * steps * delay) << strategy_name(strategy);
    const double waited = find(sampled, "diffuse ordered")->seconds[static_cast<std::size_t>(Phase::wait)];
    EXPECT_GT(waited, 3 * 0.8 * delay);
    // What the samples waited is not the strategy's own waiting.
    const double own = find(sampled, "diffuse")->seconds[static_cast<std::size_t>(Phase::wait)];
    EXPECT_LE(sampled.terms.wait, own + 1e-2);
    EXPECT_EQ(run(context, {.strategy = strategy}, steps).terms.movement, 0) << "nothing was sampled";
  }
}

TEST(Ledger, CountsBytesThatTravel) {
  TestContext context;
  const auto bytes = [&](Strategy strategy, int steps) {
    return run(context, {.strategy = strategy}, steps).terms.bytes_moved;
  };
  const double once = bytes(Strategy::blocking, 1);
  if (context.size() > 1) {
    EXPECT_GT(once, 0);  // copies onto itself are not sent anywhere
  }
  // A lazy strategy refreshes its input before every run; an eager one too before the first two, while nobody
  // has told the writer what is read of it, and its output from the second run on.
  for (const Strategy lazy : {Strategy::interior_first, Strategy::halo_thread})
    EXPECT_EQ(bytes(lazy, 6), 6 * once) << strategy_name(lazy);
  for (const Strategy eager :
       {Strategy::blocking, Strategy::ordered, Strategy::boundary_first, Strategy::pipelined})
    EXPECT_EQ(bytes(eager, 6), 7 * once) << strategy_name(eager);
}

TEST(Ledger, LeavesOutWhatOtherSolversDo) {
  TestContext context;
  Heat busy(context, {.strategy = Strategy::ordered}), idle(context, {.strategy = Strategy::ordered});
  busy.step(20);
  EXPECT_GT(busy.ledger.terms().total(), 0);
  EXPECT_EQ(idle.ledger.terms().total(), 0);
  EXPECT_EQ(idle.ledger.terms().bytes_moved, 0);
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
