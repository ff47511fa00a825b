// SPDX-License-Identifier: Apache-2.0
// ranks: 3
// ranks when long: 1 2 4
// threads: 2
// timeout: 300
// optimise: no
// The passive scalar's bits for any ranks, strategy and storage; the bits of the flow that carries it, which
// are those without a scalar; the bytes that its files move, and random initial fields.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/move/output/gather.hpp"
#include "tests/mpi/flow_modes.hpp"
#include "tests/mpi/shared_folder.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

using namespace turbulence;

/// Long along z, so that each of four ranks has 16 planes to divide.
TurbulenceOptions small() {
  return {.points = {12, 16, 64},
          .viscosity = 0.01,
          .dt = 0.01,
          .scalar = ScalarOptions{0.007, {0.3, -1, 0.5}},
          .storage = {.where = Where::memory}};
}

struct Kind {
  Scheme scheme;
  Form form;
  Dealiasing dealiasing;
  double courant;
};
/// A Courant number with the rotational form only.
std::vector<Kind> kinds() {
  std::vector<Kind> all;
  for (const Scheme scheme : {Scheme::rk4, Scheme::rk3})
    for (const Form form : {Form::rotational, Form::divergence})
      for (const Dealiasing dealiasing : {Dealiasing::two_thirds, Dealiasing::phase_shift})
        all.push_back({scheme, form, dealiasing, form == Form::rotational ? 0.02 : 0.0});
  return all;
}
TurbulenceOptions with(TurbulenceOptions options, const Kind& kind) {
  options.scheme = kind.scheme;
  options.form = kind.form;
  options.dealiasing = kind.dealiasing;
  options.courant = kind.courant;
  return options;
}

using Bits = std::pair<std::vector<std::byte>, std::array<double, 4>>;
/// The modes on rank 0; the scalar's balance and the clock on all.
Bits after_steps(Context& context, const TurbulenceOptions& options, int steps = 2) {
  Turbulence flow(context, options);
  flow.start(lively);
  for (int n = 0; n < steps; ++n) flow.step();
  const ScalarBalance b = flow.has_scalar() ? flow.scalar_balance() : ScalarBalance{};
  return {gather(flow.modes().storage(0)), {b.variance, b.dissipation, b.production, flow.time()}};
}

// Every strategy in both precisions and with both transports, on either process grid in turn.
TEST(ScalarBits, AreThoseOfOneRankUnderEveryStrategy) {
  int turn = 0;
  for (const bool single : {false, true}) {
    TurbulenceOptions options = small();
    options.points = {20, 18, 16};
    options.single = single;
    options.engine.strategy = Strategy::blocking;
    const Bits one = on_one_rank([&](Context& alone) { return after_steps(alone, options, 4); });
    for (const TransportPolicy policy : {TransportPolicy::automatic, TransportPolicy::delayed}) {
      TestContext context({.threads = 2, .transport = policy, .delay = 1e-4});
      for (const Strategy& strategy : undivided_strategies()) {
        options.process_grid =
            turn++ % 2 == 0 ? std::array{1, context.size()} : std::array{context.size(), 1};
        options.engine.strategy = strategy;
        expect_same(context, after_steps(context, options, 4), one, strategy.name);
      }
    }
  }
}

TEST(ScalarBits, InFilesAreThoseOfMemoryForEveryKindOfStep) {
  Context self(MPI_COMM_SELF);
  TestContext context({.threads = 2});
  const SharedFolder folder(context, "scratch-scalar-");
  int turn = 0;
  for (const Kind& kind : kinds()) {
    TurbulenceOptions options = with(small(), kind);
    const Bits memory = after_steps(self, options);
    expect_same(context, after_steps(context, options), memory, "memory");
    for (const int pieces : {1, 3, 8}) {  // with either strategy in turn
      options.storage = {.where = Where::files, .pieces = pieces, .scratch = folder.path()};
      options.engine.strategy = turn++ % 2 == 0 ? Strategy::blocking : Strategy::boundary_first;
      expect_same(context, after_steps(context, options), memory, options.engine.strategy.name);
    }
  }
  self.close();
  context.barrier();
  EXPECT_TRUE(folder.empty());
}

TEST(ScalarBits, InFilesTheBytesMoveThatWerePlanned) {
  TestContext context;
  const SharedFolder folder(context, "scratch-scalar-");
  for (const Kind& kind : kinds()) {
    TurbulenceOptions options = with(small(), kind);
    options.storage = {.where = Where::files, .pieces = 3, .scratch = folder.path()};
    Turbulence flow(context, options);
    flow.start_taylor_green();
    flow.step();
    flow.finish_files();
    const std::array before{flow.store().bytes(Way::in), flow.store().bytes(Way::out)};
    flow.step();
    flow.finish_files();
    EXPECT_EQ(flow.store().bytes(Way::in) - before[0], flow.budget().read);
    EXPECT_EQ(flow.store().bytes(Way::out) - before[1], flow.budget().written);
  }
}

// The scalar does not act on the flow: its modes have the bits that they have without one.
TEST(ScalarBits, OfTheFlowAreThoseWithoutAScalar) {
  TestContext context;
  for (const bool single : {false, true})
    for (const Kind& kind : kinds()) {
      TurbulenceOptions options = with(small(), kind);
      options.single = single;
      options.forcing = {.kind = ForcingKind::negative_viscosity};
      const Bits both = after_steps(context, options);
      options.scalar.reset();
      const Bits flow = after_steps(context, options);
      EXPECT_EQ(both.second[3], flow.second[3]);
      if (context.rank() != 0) continue;
      ASSERT_EQ(3 * both.first.size(), 4 * flow.first.size());
      EXPECT_TRUE(std::equal(flow.first.begin(), flow.first.end(), both.first.begin()))
          << single << ' ' << int(kind.scheme) << int(kind.form) << int(kind.dealiasing);
    }
}

TEST(ScalarBits, ARandomScalarIsTheSameOnAnyRanksAndPoints) {
  const auto field = [](std::uint64_t seed) {
    return RandomField{.spectrum = {0, 0.1, 0.3, 0.2}, .seed = seed};
  };
  const auto modes = [&](Context& context, Int3 points, std::uint64_t seed) {
    Turbulence flow(context, {.points = points, .scalar = ScalarOptions{}});
    flow.start_random(field(1));
    const std::vector<double> energy = flow.spectrum();
    flow.start_scalar(field(seed));
    EXPECT_EQ(flow.spectrum(), energy) << "the flow stays";
    const std::vector<double> variance = flow.scalar_spectrum();
    for (std::size_t k = 0; k < variance.size(); ++k)
      EXPECT_NEAR(variance[k], k < 4 ? field(1).spectrum[k] : 0, 1e-14) << k;
    return modes_of<4>(flow, flow.modes());
  };
  const auto one = on_one_rank([&](Context& alone) { return modes(alone, {16, 18, 20}, 1); });
  TestContext context;
  const auto many = modes(context, {16, 18, 20}, 1), more = modes(context, {24, 32, 20}, 1),
             other = modes(context, {16, 18, 20}, 2);
  if (context.rank() != 0) return;
  EXPECT_EQ(one, many);
  for (const auto& [k, u] : one) {
    if (k[0] * k[0] + k[1] * k[1] + k[2] * k[2] > 12) continue;
    EXPECT_NEAR(std::abs(u[3] - more.at(k)[3]), 0, 1e-14);
  }
  const Wave wave{1, 1, 0};
  EXPECT_NE(one.at(wave)[3], other.at(wave)[3]);
  // Independent of the velocity of the same seed, and a real field
  EXPECT_NE(one.at(wave)[3], one.at(wave)[0]);
  EXPECT_EQ(one.at({0, 1, 2})[3], std::conj(one.at({0, -1, -2})[3]));
}

}  // namespace
}  // namespace sc::test
