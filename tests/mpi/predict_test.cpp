// SPDX-License-Identifier: Apache-2.0
// ranks: 1
// A step rehearsed as one of many ranks, and its time on a described machine, against sums by hand.
#include <gtest/gtest.h>

#include "model/predict/forecast.hpp"
#include "tests/mpi/rehearsals.hpp"

namespace sc::test {
namespace {

using model::Forecast;
using model::Machine;

constexpr Int3 cells{64, 32, 64};
constexpr double own_cells = 64 * 32 * 16, own_rows = 32 * 16;
constexpr double shell_cells = 2 * 64 * 32, shell_rows = 2 * 32;
constexpr double message = 64 * 32 * 8;  // bytes of a plane, which is one piece

/// Runs `sweeps` of the stencil, recorded after the readers are known.
template <class Note>
void sweep_over(Context& context, const Grid& grid, const Strategy& strategy, int sweeps, const Note& note) {
  Field<double> T(grid, "T", {.levels = 2});
  for (int side = 0; side < 2; ++side)
    if (!grid.periodic()[2]) boundary(T, {2, side}, Mirrored<double>{});
  Runner runner(context, {.strategy = strategy});
  auto mean = mean_of(T);
  const auto step = [&] {
    for (int s = 0; s < sweeps; ++s) {
      runner.run(mean);
      T.advance();
    }
  };
  step();
  step();
  note(step);
}

/// A rank of four along z, each on its own node; `sweeps` of the stencil.
Rehearsal rehearse(const Strategy& strategy, int sweeps = 1, int ranks_per_node = 1) {
  return rehearsed({1, 4, ranks_per_node}, [&](Context& context, const auto& note) {
    const Grid grid(context, {.cells = cells, .periodic = {true, true, true}, .halo = 1, .split = {1, 1, 4}});
    sweep_over(context, grid, strategy, sweeps, note);
  });
}

Machine wires() {
  Machine m;
  m.rates["mean"] = {{2e-9, 30e-9}};
  m.network = {.latency = 20e-6, .byte = 40e-9, .overhead = 2e-6, .gap = 1e-6};
  m.copied_byte = 0.1e-9;
  m.node = {.latency = 1e-6, .copied_byte = 0.2e-9};
  m.look = 1e-6;
  m.run = 5e-6;
  return m;
}

double computing(const Machine& m, double n, double rows) {
  const model::Rate rate = m.rate({"mean"}, 1);
  return n * rate.cell + rows * rate.row;
}

// C, then the first plane is packed, both are sent one after another, and the last one is unpacked. Copies
// along x and y, where the rank is its own neighbour, and the remaining packing overlap with that.
double blocking_by_hand(const Machine& m, int sweeps = 1) {
  const double handling = m.network.overhead + message * m.copied_byte;
  return sweeps * (m.run + computing(m, own_cells, own_rows) + handling + 2 * message * m.network.byte +
                   m.network.latency + handling);
}

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

/// Two slabs between walls, with different numbers of planes.
Rehearsal rehearse_slab(int rank, int planes, int of, int sweeps) {
  return rehearsed({rank, 2, 1}, [&](Context& context, const auto& note) {
    const Grid grid(context,
                    {.cells = {64, 32, of},
                     .periodic = {true, true, false},
                     .halo = 1,
                     .split = {1, 1, 2},
                     .cuts = {std::vector<int>{}, std::vector<int>{}, std::vector<int>{0, planes, of}}});
    sweep_over(context, grid, Strategy::blocking, sweeps, note);
  });
}

// Above the eager limit a question goes to the receiver and its answer comes back before the message leaves:
// a rank that waits answers at once.
TEST(Forecast, ALargeMessageIsAskedForBefore) {
  Machine m = wires();
  const Rehearsal rehearsal = rehearse(Strategy::blocking);
  m.network.eager_limit = static_cast<std::int64_t>(message);
  EXPECT_EQ(model::forecast(rehearsal, m, Strategy::blocking).total,
            model::forecast(rehearsal, wires(), Strategy::blocking).total)
      << "up to the limit";
  m.network.eager_limit -= 1;
  const Forecast f = model::forecast(rehearsal, m, Strategy::blocking);
  EXPECT_NEAR(f.total, blocking_by_hand(m) + 2 * m.network.latency, 1e-9);
  const double twice = model::forecast(rehearse(Strategy::blocking, 2), m, Strategy::blocking).total;
  EXPECT_NEAR(twice, 2 * f.total, 1e-12);
}

// A core hides a large message only if progress calls during it answer the question; otherwise question,
// answer and message remain. Copies and calls take no time here.
TEST(Forecast, ALargeMessageWaitsForAProgressCall) {
  Machine m = wires();
  m.copied_byte = m.network.overhead = m.look = 0;
  m.network.byte = 1e-9;
  m.rates["mean"] = {{40e-9, 0}};
  const double core = 40e-9 * (own_cells - shell_cells), link = 2 * message * m.network.byte;
  const auto waited = [&](double poke, std::int64_t limit) {
    m.poke = poke;
    m.network.eager_limit = limit;
    return model::forecast(rehearse(Strategy::boundary_first), m, Strategy::boundary_first).stages[0].wait;
  };
  ASSERT_GT(core, 2 * (2 * m.network.latency + link));
  constexpr std::int64_t small = 1000, large = 1 << 20;
  for (const double poke : {core / 3, 2 * core}) EXPECT_NEAR(waited(poke, large), 0, 1e-12);
  EXPECT_NEAR(waited(core / 3, small), 0, 1e-12);
  EXPECT_NEAR(waited(2 * core, small), 2 * m.network.latency + link, 1e-12);
}

// The rank that has more cells answers late; the message to it, too, travels after its core.
TEST(Forecast, ALargeMessageWaitsForTheSlowerReceiver) {
  constexpr int few = 10, more = 22;
  Machine m = wires();
  m.copied_byte = m.network.overhead = m.look = 0;
  m.network.byte = 0.2e-9;
  const Rehearsal first = rehearse_slab(0, few, few + more, 1), last = rehearse_slab(1, few, few + more, 1);
  const auto both = [&](std::int64_t limit) {
    m.network.eager_limit = limit;
    return model::forecast({.rehearsals = {&first, &last}, .numbers = {0, 1}, .like = {0, 1}}, m,
                           Strategy::blocking);
  };
  const double slow = m.run + computing(m, 64.0 * 32 * more, 32.0 * more);
  const double wire = message * m.network.byte + m.network.latency;
  const auto small = both(1 << 20), large = both(1000);
  EXPECT_NEAR(small[0].total, slow + wire, 1e-9);
  EXPECT_NEAR(small[1].total, slow, 1e-9) << "its message has arrived meanwhile";
  // Both questions are answered when the slower rank waits: its own then travels, and that of the other is
  // already asked.
  EXPECT_NEAR(large[0].total, slow + 2 * m.network.latency + wire, 1e-9);
  EXPECT_NEAR(large[1].total, slow + m.network.latency + wire, 1e-9);
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

// Of two ranks, the one with fewer planes waits for the other, whose messages are late; those for the other
// have arrived during its computation. Simulated alone, each rank is assumed to be among equal ranks.
TEST(Forecast, RanksWaitForThoseThatHaveMoreCells) {
  constexpr int few = 10, more = 22, sweeps = 3;
  Machine m = wires();
  m.copied_byte = 0;
  m.network.byte = 0.2e-9;
  const Rehearsal first = rehearse_slab(0, few, few + more, sweeps),
                  last = rehearse_slab(1, few, few + more, sweeps);
  const auto both = model::forecast({.rehearsals = {&first, &last}, .numbers = {0, 1}, .like = {0, 1}}, m,
                                    Strategy::blocking);
  const auto sweep = [&](int planes) {
    return m.run + computing(m, 64.0 * 32 * planes, 32.0 * planes) + 2 * m.network.overhead;
  };
  const double wire = message * m.network.byte + m.network.latency;
  ASSERT_GT(sweep(more) - sweep(few), 2 * wire);  // in both directions
  EXPECT_NEAR(both[1].total, sweeps * sweep(more), 1e-9);
  EXPECT_NEAR(both[0].total, sweeps * sweep(more) + wire, 1e-9);
  EXPECT_NEAR(model::forecast(first, m, Strategy::blocking).total, sweeps * (sweep(few) + wire), 1e-9);
}

TEST(Forecast, WithinANodeTheReceiverCopies) {
  Machine m = wires();
  const Forecast f = model::forecast(rehearse(Strategy::blocking, 1, 4), m, Strategy::blocking);
  EXPECT_EQ(f.stages.at(0).messages, 2);
  m.network = {.latency = 1, .byte = 1, .overhead = 1, .gap = 1};  // nothing is sent over the network
  EXPECT_EQ(model::forecast(rehearse(Strategy::blocking, 1, 4), m, Strategy::blocking).total, f.total);
  m.node.copied_byte += 1e-9;
  EXPECT_NEAR(model::forecast(rehearse(Strategy::blocking, 1, 4), m, Strategy::blocking).total - f.total,
              2 * message * 1e-9, 1e-12);
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
