// SPDX-License-Identifier: Apache-2.0
// ranks: 1
// optimise: no
// A step rehearsed as one of many ranks, and its time on a described machine, against sums by hand.
#include <gtest/gtest.h>

#include "engine/grid/cells.hpp"
#include "tests/mpi/kernels.hpp"
#include "tests/mpi/predict_sweeps.hpp"

namespace sc::test {
namespace {

TEST(Forecast, BlockingIsComputingAndThenMoving) {
  const Machine m = wires();
  const Forecast f = model::forecast(rehearse(Strategy::blocking), m, Strategy::blocking);
  ASSERT_EQ(f.stages.size(), 1U);
  EXPECT_EQ(f.stages[0].stage, "mean");
  EXPECT_EQ(f.stages[0].messages, 2);
  EXPECT_EQ(f.stages[0].bytes, 2 * static_cast<std::int64_t>(message));
  EXPECT_NEAR(f.stages[0].core, computing(m, own_cells, own_rows), 1e-12);
  EXPECT_EQ(f.stages[0].shell, 0);
  EXPECT_NEAR(f.total, blocking_by_hand(m), 1e-9);
}

TEST(Forecast, WhatACoreCoversIsNotWaitedFor) {
  Machine m = wires();
  m.network.byte = 1e-9;
  m.rates["mean"] = {{20e-9, 0}};
  const Forecast f = model::forecast(rehearse(Strategy::boundary_first), m, Strategy::boundary_first);
  const model::StageTimes& t = f.stages.at(0);
  EXPECT_NEAR(t.shell, 20e-9 * shell_cells, 1e-12);
  EXPECT_NEAR(t.core, 20e-9 * (own_cells - shell_cells), 1e-12);
  EXPECT_NEAR(t.wait, 0, 1e-9);
  EXPECT_NEAR(f.total, m.run + t.shell + t.core + t.start + t.poke, 1e-12);
}

TEST(Forecast, WhatIsLongerThanTheCoreIsWaitedFor) {
  const Machine m = wires();
  const Forecast f = model::forecast(rehearse(Strategy::boundary_first), m, Strategy::boundary_first);
  const model::StageTimes& t = f.stages.at(0);
  EXPECT_NEAR(t.shell, computing(m, shell_cells, shell_rows), 1e-12);
  const double handling = m.network.overhead + message * m.copied_byte;
  // After the shell, the link is the bottleneck.
  const double by_hand =
      m.run + t.shell + handling + 2 * message * m.network.byte + m.network.latency + handling;
  EXPECT_NEAR(f.total, by_hand, 0.01 * by_hand);
}

TEST(Forecast, HalfTheBandwidthMovesTheWaitingAndNothingElse) {
  Machine m = wires();
  const Rehearsal rehearsal = rehearse(Strategy::blocking);
  const Forecast before = model::forecast(rehearsal, m, Strategy::blocking);
  m.network.byte *= 2;
  const Forecast after = model::forecast(rehearsal, m, Strategy::blocking);
  EXPECT_EQ(before.stages[0].core, after.stages[0].core);
  EXPECT_EQ(before.stages[0].start, after.stages[0].start);
  EXPECT_EQ(before.stages[0].messages, after.stages[0].messages);
  EXPECT_NEAR(after.stages[0].wait - before.stages[0].wait, 2 * message * m.network.byte / 2, 1e-9);
  EXPECT_NEAR(after.total - before.total, after.stages[0].wait - before.stages[0].wait, 1e-12);
}

TEST(Forecast, AnotherSweepTakesItsTime) {
  const Machine m = wires();
  const double one = model::forecast(rehearse(Strategy::blocking), m, Strategy::blocking).total;
  const Forecast two = model::forecast(rehearse(Strategy::blocking, 2), m, Strategy::blocking);
  EXPECT_NEAR(two.total, 2 * one, 1e-12);
  EXPECT_EQ(two.stages.at(0).runs, 2);
}

// Its result is awaited after the mean. Both add up to the step.
TEST(Forecast, AReductionBelongsToTheStageBeforeIt) {
  Machine m = wires();
  m.reduction = 5e-3;
  const Rehearsal rehearsal = rehearsed({1, 4, 1}, [&](Context& context, const auto& note) {
    const Grid grid(context, {.cells = cells, .periodic = {true, true, true}, .halo = 1, .split = {1, 1, 4}});
    Field<double> T(grid, "T", {.levels = 2});
    Runner runner(context, {.strategy = Strategy::blocking});
    auto mean = mean_of(T);
    Sweep sum("sum", Value{}, SweepOptions{.reduce = Reduce::sum}, reads(T.now()));
    GlobalValue value(context);
    const auto step = [&] {
      runner.run(sum);
      value.start(sum.accumulators());
      runner.run(mean);
      value.value(0);
      T.advance();
    };
    step();
    step();
    note(step);
  });
  const Forecast f = model::forecast(rehearsal, m, Strategy::blocking);
  ASSERT_EQ(f.stages.size(), 2U);
  EXPECT_EQ(f.stages[0].stage, "sum");
  EXPECT_GT(f.stages[0].reduction, 0);
  EXPECT_LT(f.stages[0].reduction, m.reduction) << "the mean covers a part of it";
  EXPECT_EQ(f.stages[1].reduction, 0);
  EXPECT_EQ(f.stages[0].reduction, f.reductions);
  EXPECT_NEAR(f.total, f.stages[0].total + f.stages[1].total + f.reductions, 1e-12);
}

// If communication takes no time, dividing the cells can only lose time: by additional rows, and by progress
// calls.
TEST(Forecast, HidingLosesWhereThereIsNothingToHide) {
  Machine m = wires();
  m.network = {};
  m.copied_byte = 0;
  const double plain = model::forecast(rehearse(Strategy::blocking), m, Strategy::blocking).total;
  const double hidden =
      model::forecast(rehearse(Strategy::boundary_first), m, Strategy::boundary_first).total;
  EXPECT_GE(hidden, plain);
}

TEST(Forecast, AStageThatIsNotNamedGoesByItsDeclarations) {
  Machine m = wires();
  m.rates.clear();
  m.byte = {1e-9};
  m.flop = {1e-12};
  const Rehearsal rehearsal = rehearse(Strategy::blocking);
  EXPECT_NEAR(model::forecast(rehearsal, m, Strategy::blocking).stages.at(0).core, own_cells * 16 * 1e-9,
              1e-12);
  m.flop = {1e-8};
  EXPECT_NEAR(model::forecast(rehearsal, m, Strategy::blocking).stages.at(0).core, own_cells * 5 * 1e-8,
              1e-12);
}

/// One rank between walls across x and z, with a condition each, in a box of own_cells.
Rehearsal rehearse_walls(const Strategy& strategy) {
  return rehearsed({0, 1, 1}, [&](Context& context, const auto& note) {
    const Grid grid(context, {.cells = {64, 32, 16}, .periodic = {false, true, false}, .halo = 2});
    Field<double> T(grid, "T", {.levels = 2});
    for (const int axis : {0, 2})
      for (int side = 0; side < 2; ++side) boundary(T, {axis, side}, Mirrored<double>{});
    Runner runner(context, {.strategy = strategy});
    auto mean = Sweep("mean", Mean{}, writes(T.next()), reads(T.now(), star(2)));
    const auto step = [&] {
      runner.run(mean);
      T.advance();
    };
    step();
    step();
    note(step);
  });
}

// Two layers beyond each wall, across z with the halo across x; a row through a wall across x counts as a
// cache line, which is 8 cells.
TEST(Forecast, ConditionsTakeTimeOfTheirOwn) {
  constexpr double beyond_x = 8 * 32 * 16, beyond_z = 2 * (64 + 4) * 32;  // cells of two layers, of one wall
  for (const Strategy& strategy : {Strategy::blocking, Strategy::boundary_first}) {
    const Rehearsal rehearsal = rehearse_walls(strategy);
    Machine m = wires();
    const Forecast without = model::forecast(rehearsal, m, strategy);
    EXPECT_EQ(without.stages.at(0).boundary, 0);
    m.rates["T (boundary)"] = {{3e-9, 0}};
    const Forecast with = model::forecast(rehearsal, m, strategy);
    const double filled = 2 * (beyond_x + beyond_z) * 3e-9;
    EXPECT_NEAR(with.stages.at(0).boundary, filled, 1e-12);
    EXPECT_NEAR(with.total - without.total, filled, 1e-12);
    m.rates.erase("T (boundary)");
    m.byte = {1e-9};
    EXPECT_NEAR(model::forecast(rehearsal, m, strategy).stages.at(0).boundary,
                2 * (beyond_x + beyond_z) * 16 * 1e-9, 1e-12);
  }
}

TEST(Forecast, RefusesAStrategyThatChooses) {
  EXPECT_THROW(model::forecast(Rehearsal{}, wires(), Strategy::automatic), Error);
}

TEST(Rehearsal, IsPlayedByOneRankThatIsOfTheRun) {
  for (const Rehearsed wrong :
       {Rehearsed{4, 4, 1}, Rehearsed{-1, 4, 1}, Rehearsed{0, 0, 1}, Rehearsed{0, 4, 0}})
    EXPECT_THROW(Context(MPI_COMM_SELF, {.rehearsed = wrong}), Error);
}

struct One {
  SC_FN void operator()(At c, Out<double> next, In<double>) const { next[c] = 1; }
};

// No thread computes, under any strategy: cells keep their zeros.
TEST(Rehearsal, ComputesNothing) {
  for (const Strategy& strategy : {Strategy::blocking, Strategy::boundary_first, Strategy::halo_thread}) {
    Context context(MPI_COMM_SELF, {.threads = 2, .rehearsed = Rehearsed{1, 4, 1}});
    {
      const Grid grid(context, {.cells = {8, 8, 32}, .halo = 1, .split = {1, 1, 4}});
      Field<double> T(grid, "T", {.levels = 2});
      for (const Face face : all_faces) boundary(T, face, Mirrored<double>{});
      Runner runner(context, {.strategy = strategy});
      auto ones = Sweep("ones", One{}, writes(T.next()), reads(T.now(), star(1)));
      runner.run(ones);
      double most = 0;
      const auto* cells = reinterpret_cast<const double*>(T.storage(1).host_base());
      each_cell(grid.own(), [&](Int3 c) { most = std::max(most, cells[grid.layout().offset(c)]); });
      EXPECT_EQ(most, 0) << strategy.name;
    }
    context.close();
  }
}

// A rank with 64 GiB of cells allocates no memory.
TEST(Rehearsal, TakesNoMemory) {
  Context context(MPI_COMM_SELF, {.rehearsed = Rehearsed{5, 8, 1}});
  {
    const Grid grid(context, {.cells = {4096, 4096, 4096}, .halo = 1, .split = {2, 2, 2}});
    Field<double> T(grid, "T");
    T.fill([](int, int, int) { return 1.0; });
    EXPECT_EQ(grid.own().cells(), std::int64_t{2048} * 2048 * 2048);
  }
  context.close();
}

}  // namespace
}  // namespace sc::test
