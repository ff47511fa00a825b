// SPDX-License-Identifier: Apache-2.0
// A trace that is written and read again equals the rehearsal.
#include <gtest/gtest.h>

#include <sstream>

#include "engine/base/error.hpp"
#include "model/predict/trace.hpp"

namespace sc::model {
namespace {

/// A shell that sends a piece, and a core that depends on an arrival.
Rehearsal rehearsal() {
  RehearsedRun run{.stage = "advance", .plan = {}};
  const int piece = run.plan.add(Piece{.movement = 2, .number = 5, .at_once = true});
  const int arrival = run.plan.add(Arrival{.movement = 2, .number = -1, .step = 1});
  const int shell = run.plan.add(Chunk{.part = 1}, {}, {}, std::vector{piece});
  run.plan.add(Chunk{.part = 7, .step = 1, .divisible = true}, std::vector{shell}, std::vector{arrival}, {});
  run.kernels = {{"advance"}, {"copy"}};
  run.works = {{{Work::Part::shell, 10, 2}}, {{Work::Part::core, 100, 20}, {Work::Part::core, 7, 1, 1}}};
  run.departures = {{Passage::Way::network, 3, 4096}};
  run.arrivals = {{{{Passage::Way::node, 1, 512}, 0}, {{Passage::Way::self, 0, 8}, -1}}};
  Rehearsal all;
  all.events.emplace_back(std::move(run));
  all.events.emplace_back(RehearsedReduction{&all, 8, true});
  all.events.emplace_back(RehearsedReduction{nullptr, 16, true});
  all.events.emplace_back(RehearsedReduction{&all, 8, false});
  return all;
}

Machine machine() {
  Machine m;
  m.rates["advance"] = {{0.1, 0.5}};
  m.rates["copy"] = {{3, 0}};
  m.copied_byte = 1.0 / 3;
  m.node.copied_byte = 2e-10;
  m.network.overhead = 5e-6;
  m.look = 1e-7;
  m.run = 3e-6;
  return m;
}

TEST(Trace, IsReadAsItWasRehearsed) {
  std::stringstream text;
  write_trace(text, rehearsal(), machine(), "pipelined", 3);
  const Trace trace = read_trace(text);
  EXPECT_EQ(trace.strategy, "pipelined");
  EXPECT_EQ(trace.ranks_per_node, 3);
  EXPECT_EQ(trace.machine.copied_byte, 1.0 / 3);
  EXPECT_EQ(trace.machine.network.overhead, 5e-6);
  EXPECT_EQ(trace.machine.poke, machine().poke);
  ASSERT_EQ(trace.events.size(), 4U);
  const auto reduction = [&](std::size_t n) { return std::get<TracedReduction>(trace.events[n]); };
  EXPECT_TRUE(reduction(1).begins && reduction(2).begins && !reduction(3).begins);
  EXPECT_EQ(reduction(1).number, 0);
  EXPECT_EQ(reduction(2).number, 1);
  EXPECT_EQ(reduction(2).bytes, 16);
  EXPECT_EQ(reduction(3).number, 0);  // the wait for the reduction that was started first
  const TracedRun& traced = std::get<TracedRun>(trace.events[0]);
  EXPECT_EQ(traced.seconds, (std::vector{10 * 0.1 + 2 * 0.5, 100 * 0.1 + 20 * 0.5 + 7 * 3}));
  const Plan& plan = traced.run.plan;
  ASSERT_EQ(plan.chunks().size(), 2U);
  EXPECT_EQ(plan.pieces()[0].number, 5);
  EXPECT_TRUE(plan.pieces()[0].at_once);
  EXPECT_EQ(plan.pieces()[0].givers, 1);
  EXPECT_EQ(plan.arrivals()[0].number, -1);
  EXPECT_EQ(plan.arrivals()[0].step, 1);
  EXPECT_TRUE(plan.chunks()[1].divisible);
  EXPECT_EQ(plan.ids(plan.chunks()[1].after)[0], 0);
  EXPECT_EQ(plan.ids(plan.chunks()[1].needs)[0], 0);
  EXPECT_EQ(traced.run.departures[0].peer, 3);
  EXPECT_EQ(traced.run.departures[0].bytes, 4096);
  EXPECT_EQ(traced.run.arrivals[0][0].like, 0);
  EXPECT_EQ(traced.run.arrivals[0][1].passage.way, Passage::Way::self);
}

TEST(Trace, ThatEndsEarlyIsAnError) {
  std::stringstream text;
  write_trace(text, rehearsal(), machine(), "pipelined", 3);
  const std::string whole = text.str();
  std::istringstream half(whole.substr(0, whole.size() / 2)), other("nothing");
  EXPECT_THROW(read_trace(half), Error);
  EXPECT_THROW(read_trace(other), Error);
}

}  // namespace
}  // namespace sc::model
