// SPDX-License-Identifier: Apache-2.0
// ranks: 1 3
// ranks when long: 2
// optimise: no
// What a pass is said to move before it, against what runs send and what their declarations amount to.
#include <gtest/gtest.h>

#include <utility>

#include "solvers/dendrite/solver.hpp"
#include "solvers/magnetosphere/solver.hpp"
#include "solvers/wave/wave.hpp"
#include "tests/mpi/crystals.hpp"
#include "tests/mpi/test_context.hpp"

namespace {

using namespace sc;

/// Bytes and messages of this rank to others.
template <class Solver>
std::pair<double, double> sent(Solver& solver) {
  double bytes = 0, messages = 0;
  for (int t = 0; t < transport_count; ++t) {
    if (static_cast<Transport>(t) == Transport::self) continue;
    const Traffic part = solver.runner().traffic(static_cast<Transport>(t));
    bytes += static_cast<double>(part.bytes);
    messages += static_cast<double>(part.messages);
  }
  return {bytes, messages};
}

/// The same of `steps` steps, after `before` others.
template <class Solver, class Options>
StepCost counted(Context& context, Options options, int length, int before, int steps) {
  options.engine.steps_per_pass = length;
  options.engine.strategy = Strategy::blocking;
  Solver solver(context, options);
  solver.steps(before);
  const auto [bytes, messages] = sent(solver);
  solver.steps(steps);
  const auto [all_bytes, all_messages] = sent(solver);
  context.barrier();
  return {.sent = (all_bytes - bytes) / steps, .messages = (all_messages - messages) / steps};
}

template <class Solver, class Options>
PassCost said(Context& context, Options options, int length) {
  options.engine.steps_per_pass = length;
  Solver solver(context, options);
  const std::optional<PassCost> cost = solver.pass_cost();
  EXPECT_TRUE(cost.has_value());
  EXPECT_EQ(cost->steps, length);
  context.barrier();
  return *cost;
}

template <class Solver, class Options>
PassCost expect_counted(Context& context, const Options& options, int length, int before, int steps) {
  const PassCost cost = said<Solver>(context, options, length);
  const StepCost passes = counted<Solver>(context, options, length, before, steps);
  const StepCost singles = counted<Solver>(context, options, 1, before, steps);
  EXPECT_DOUBLE_EQ(cost.passes.sent, passes.sent);
  EXPECT_DOUBLE_EQ(cost.passes.messages, passes.messages);
  EXPECT_DOUBLE_EQ(cost.singles.sent, singles.sent);
  EXPECT_DOUBLE_EQ(cost.singles.messages, singles.messages);
  EXPECT_EQ(context.size() > 1, cost.passes.sent > 0);
  return cost;
}

TEST(PassCost, OfSoundIsWhatItSends) {
  test::TestContext context;
  wave::WaveOptions o;
  o.cells = {26, 25, 30};
  o.spacing = 1;
  o.faces.fill(wave::FaceKind::rigid);
  o.faces[0] = o.faces[1] = wave::FaceKind::periodic;
  o.split = {1, 1, context.size()};
  const PassCost cost = expect_counted<wave::Wave>(context, o, 4, 4, 8);
  const Box own = wave::Wave(context, o).grid().own();
  const double level = 8.0 * static_cast<double>(own.cells());
  EXPECT_DOUBLE_EQ(cost.singles.read, 2 * level);  // both levels are read, one is written
  EXPECT_DOUBLE_EQ(cost.singles.written, level);
  EXPECT_DOUBLE_EQ(cost.passes.read, 2 * level / 4);  // both once in a pass
  EXPECT_DOUBLE_EQ(cost.passes.written, 2 * level / 4);
  // Beyond the block: 6, 4, 2 and 0 layers around the periodic axis and beside each neighbour.
  double more = 0;
  const int beside = (context.rank() > 0) + (context.rank() + 1 < context.size());
  for (const int layers : {6, 4, 2, 0})
    more += (own.hi.x + 2.0 * layers) * own.hi.y * (own.hi.z + beside * layers) / double(own.cells()) - 1;
  EXPECT_NEAR(cost.more, more / 4, 1e-12);
  EXPECT_FALSE(wave::Wave(context, o).pass_cost().has_value());
  context.barrier();
}

TEST(PassCost, OfThePlasmaIsWhatItSends) {
  test::TestContext context;
  magnetosphere::MagnetosphereOptions o;
  o.cells = {26, 24, 25};
  o.spacing = 0.1;
  o.faces.fill(magnetosphere::FaceKind::periodic);
  o.diffusion.density = 1e-3;
  expect_counted<magnetosphere::Magnetosphere>(context, o, 2, 2, 6);
}

TEST(PassCost, OfACrystalLeavesItsLevels) {
  test::TestContext context;
  dendrite::DendriteOptions o = test::two_crystals({24, 26, 27}, false, false, true);
  expect_counted<dendrite::Dendrite>(context, o, 3, 3, 6);
  o.engine.steps_per_pass = 3;
  dendrite::Dendrite asked(context, o), other(context, o);
  asked.pass_cost();
  asked.steps(4);
  other.steps(4);
  EXPECT_EQ(asked.measure().solid, other.measure().solid);
  context.barrier();
}

}  // namespace
