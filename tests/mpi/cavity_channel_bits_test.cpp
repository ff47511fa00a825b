// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3
// ranks when long: 4
// threads: 2
// timeout: 300
// device: yes
// optimise: no
// Equal bits of flows through open faces for all strategies x splits x threads, and on devices.
#include <gtest/gtest.h>

#include "engine/move/output/gather.hpp"
#include "tests/mpi/backends.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/channels.hpp"
#include "tests/mpi/test_context.hpp"

namespace {

using namespace sc;
using cavity::CavityOptions;
using cavity::Clustering;
using cavity::Method;
using test::FaceKind;

struct Outcome {
  std::vector<std::byte> V, p, outflow, mean, mean_p, stress;
  cavity::StepReport report;
  std::vector<cavity::FaceForce> forces;
};

Outcome run(Context& context, const CavityOptions& options) {
  cavity::Cavity solver(context, options);
  Outcome r;
  for (int n = 0; n < 4; ++n) r.report = solver.step();
  r.V = gather(solver.velocity().storage(0));
  r.p = gather(solver.pressure().storage(0));
  if (AnyField* outflow = solver.outflow()) r.outflow = gather(outflow->storage(0));
  if (cavity::Averages* averages = solver.averages()) {
    r.mean = gather(averages->V.storage(0));
    r.mean_p = gather(averages->p.storage(0));
    r.stress = gather(averages->stress.storage(0));
  }
  r.forces = solver.forces({0.1, 0.2, 0.3});
  context.barrier();
  return r;
}
Outcome alone(const CavityOptions& options) {
  return test::on_one_rank([&](Context& one) { return run(one, options); });
}

void expect_same(const Outcome& got, const Outcome& expected, Context& context) {
  EXPECT_EQ(got.report.dt, expected.report.dt);
  EXPECT_EQ(got.report.residual, expected.report.residual);
  EXPECT_EQ(got.report.source_balance, expected.report.source_balance);
  ASSERT_FALSE(expected.forces.empty());
  ASSERT_EQ(got.forces.size(), expected.forces.size());
  for (std::size_t n = 0; n < got.forces.size(); ++n) {
    EXPECT_EQ(got.forces[n].pressure, expected.forces[n].pressure) << n;
    EXPECT_EQ(got.forces[n].viscous, expected.forces[n].viscous) << n;
    EXPECT_EQ(got.forces[n].moment, expected.forces[n].moment) << n;
  }
  if (context.rank() != 0) return;
  EXPECT_TRUE(got.V == expected.V);
  EXPECT_TRUE(got.p == expected.p);
  EXPECT_TRUE(got.outflow == expected.outflow);
  EXPECT_TRUE(got.mean == expected.mean);
  EXPECT_TRUE(got.mean_p == expected.mean_p);
  EXPECT_TRUE(got.stress == expected.stress);
}

/// A jet through a part of the face, a lid and slip, blocks that are not equal; leaves freely or against a
/// given pressure.
CavityOptions jet(Method method, bool given) {
  CavityOptions o = test::channel({23, 9, 15}, {2, 0.7, 1}, 30);
  o.clustering = Clustering::tanh;
  o.smallest = 0.05;
  o.faces[0].inflow = {.velocity = {1, 0.2, 0}, .parabolic = true, .from = {0, 0, 0.3}, .to = {2, 0.5, 0.9}};
  o.faces[2].kind = FaceKind::slip;
  o.faces[3].kind = FaceKind::wall;
  o.faces[5] = {.kind = FaceKind::moving, .motion = {.velocity = {0.5, 0, 0}}};
  if (given) o.faces[1] = {.kind = FaceKind::pressure, .pressure = 0.3};
  o.pressure.method = method;
  o.pressure.fixed_iterations = method == Method::multigrid ? 3 : 20;
  o.engine.strategy = Strategy::blocking;
  o.average_from = 0;
  o.order = method == Method::multigrid ? 2 : 1;
  return o;
}

TEST(CavityChannelBits, AreThoseOfOneRank) {
  for (const bool given : {false, true})
    for (const Method method : {Method::multigrid, Method::sor, Method::jacobi}) {
      CavityOptions o = jet(method, given);
      const Outcome expected = alone(o);
      std::size_t turn = 0;
      for (const int threads : {1, 2}) {
        test::TestContext context({.threads = threads});
        const std::vector<Strategy> strategies = test::all_strategies(context);
        for (const Int3 split : test::splits(context.size())) {
          if (7 / split.y < 3 || 13 / split.z < 3) continue;
          for (int n = 0; n < 3; ++n) {
            o.split = split;
            o.engine.strategy = strategies[turn++ % strategies.size()];
            SCOPED_TRACE(testing::Message()
                         << o.engine.strategy.name << to_string(split) << int(method) << given);
            expect_same(run(context, o), expected, context);
          }
        }
      }
    }
}

TEST(CavityChannelBits, AreThoseOfSingleSweeps) {
  for (const bool given : {false, true}) {
    CavityOptions o = jet(Method::multigrid, given);
    const Outcome expected = alone(o);
    test::TestContext context;
    o.engine.strategy = Strategy::boundary_first;
    o.split = {context.size(), 1, 1};
    o.pressure.sweeps_per_pass = 3;
    expect_same(run(context, o), expected, context);
  }
}

// Four points across a periodic axis: with two ranks along it, two points a rank.
TEST(CavityChannelBits, AreThoseOfThinBlocks) {
  CavityOptions o = test::channel({14, 4, 12}, {2, 0.3, 1}, 30);
  const Outcome expected = alone(o);
  test::TestContext context;
  for (const Int3 split : test::splits(context.size())) {
    o.split = split;
    SCOPED_TRACE(to_string(split));
    if (4 / split.y < 2 || 10 / split.z < 3) {
      EXPECT_THROW(run(context, o), Error);
      continue;
    }
    expect_same(run(context, o), expected, context);
  }
}

class OnDevices : public test::OnBackend {};
INSTANTIATE_TEST_SUITE_P(On, OnDevices, testing::ValuesIn(test::backends()), test::backend_name);

TEST_P(OnDevices, LeaveTheBitsOfTheHost) {
  for (const bool single : {false, true})
    for (const bool given : {false, true}) {
      CavityOptions o = jet(Method::multigrid, given);
      o.single = single;
      o.order = given ? 2 : 1;
      const Outcome expected = alone(o);
      test::TestContext context;
      open(context, GetParam());
      o.space = test::space_of(GetParam());
      o.split = {context.size(), 1, 1};
      o.engine.strategy = given ? Strategy::boundary_first : Strategy::pipelined;
      SCOPED_TRACE(testing::Message() << single << given);
      expect_same(run(context, o), expected, context);
    }
}

}  // namespace
