// SPDX-License-Identifier: Apache-2.0
// ranks: 1
// Messages in predictions: the eager limit, ranks that wait for each other, copies within a node.
#include <gtest/gtest.h>

#include "tests/mpi/predict_sweeps.hpp"

namespace sc::test {
namespace {

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

/// A message to the next rank and one from the previous rank, for which two chunks wait: one by its number,
/// one for all of its movement.
Rehearsal awaited_twice() {
  RehearsedRun run{.stage = "twice", .plan = {}, .kernels = {{"twice"}}};
  const int piece = run.plan.add(Piece{.movement = 0, .number = 0});
  const int one = run.plan.add(Arrival{.movement = 0, .number = 0});
  const int all = run.plan.add(Arrival{.movement = 0, .number = -1});
  const int first = run.plan.add(Chunk{}, {}, {}, {{piece}});
  const int second = run.plan.add(Chunk{.step = 1}, {{first}}, {{one}}, {});
  run.plan.add(Chunk{.step = 1}, {{second}}, {{all}}, {});
  run.works.resize(3);
  run.departures = {{Passage::Way::network, 1, 1000}};
  const RehearsedRun::Awaited awaited{{Passage::Way::network, 3, 1000}, 0};
  run.arrivals = {{awaited}, {awaited}};
  Rehearsal rehearsal;
  rehearsal.events.emplace_back(std::move(run));
  return rehearsal;
}

TEST(Forecast, AMessageThatTwoArrivalsAwaitIsUnpackedOnce) {
  const Machine m = wires();
  const double handling = m.network.overhead + 1000 * m.copied_byte;
  for (const Strategy& strategy : {Strategy::blocking, Strategy::boundary_first}) {
    const double taken = model::forecast(awaited_twice(), m, strategy).total;
    EXPECT_NEAR(taken, m.run + 2 * handling + 1000 * m.network.byte + m.network.latency, 1e-12);
  }
}

}  // namespace
}  // namespace sc::test
