// SPDX-License-Identifier: Apache-2.0
// ranks: 1 3
// ranks when long: 2
// threads: 2
// timeout: 400
// device: yes
// label: checked
// The cavity against its serial reference, and equal bits for all strategies x splits x threads, and on
// devices.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "engine/move/output/gather.hpp"
#include "solvers/cavity/solver.hpp"
#include "tests/mpi/backends.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/oracle/cavity_reference.hpp"
#include "tests/refusal.hpp"

namespace {

using namespace sc;
using cavity::CavityOptions;
using cavity::Clustering;
using cavity::FaceKind;
using cavity::Method;

CavityOptions lid_driven(Int3 points, Clustering clustering, Method method) {
  CavityOptions o;
  o.points = points;
  o.clustering = clustering;
  o.smallest = 0.4 / (std::max({points.x, points.y, points.z}) - 1);
  o.skew = 0.06;
  o.pressure.method = method;
  o.pressure.tolerance = 1e-7;
  o.pressure.max_iterations = 200000;
  o.faces[5] = {FaceKind::moving, {.velocity = {1, 0.25, 0}}};
  return o;
}

std::vector<double> values_of(const std::vector<std::byte>& bytes) {
  std::vector<double> values(bytes.size() / sizeof(double));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

struct Outcome {
  std::vector<std::byte> V, p;
  std::vector<cavity::StepReport> reports;
  double divergence = 0;
};

Outcome after(cavity::Cavity& solver, int steps) {
  Outcome r;
  for (int n = 0; n < steps; ++n) r.reports.push_back(solver.step());
  r.V = gather(solver.velocity().storage(0));
  r.p = gather(solver.pressure().storage(0));
  r.divergence = solver.divergence_rms();
  solver.grid().context().barrier();
  return r;
}

Outcome run(Context& context, const CavityOptions& options, int steps) {
  cavity::Cavity solver(context, options);
  return after(solver, steps);
}

oracle::Cavity oracle_of(const CavityOptions& o) {
  const Int3 n = o.cells();
  const Bool3 periodic = o.periodic();
  oracle::CavityOptions options;
  options.reynolds = o.reynolds;
  options.upwind = o.upwind == cavity::Upwind::utopia ? oracle::Upwind::utopia : oracle::Upwind::kawamura;
  for (std::size_t f = 0; f < 6; ++f)
    if (o.faces[f].kind == FaceKind::moving) {
      const cavity::WallMotion& motion = o.faces[f].motion;
      options.faces[f / 2][f % 2] = {motion.velocity, motion.spin, motion.about};
    }
  options.tolerance = o.pressure.tolerance;
  options.method = o.pressure.method == Method::jacobi ? oracle::Method::jacobi
                   : o.pressure.method == Method::sor  ? oracle::Method::sor
                                                       : oracle::Method::multigrid;
  options.max_iterations = o.pressure.max_iterations;
  options.dt = o.dt;
  auto geometry =
      oracle::make_cavity_geometry({n.x, n.y, n.z}, {periodic.x, periodic.y, periodic.z},
                                   o.clustering == Clustering::tanh ? o.smallest : 0.0,
                                   o.clustering == Clustering::skewed ? o.skew : 0.0, o.fourth_order_metrics);
  return {std::move(geometry), options};
}

double largest_difference(const oracle::Mesh& m, const oracle::Array& expected, const double* got) {
  double worst = 0;
  std::size_t n = 0;
  for (int k = 0; k < m.n[2]; ++k)
    for (int j = 0; j < m.n[1]; ++j)
      for (int i = 0; i < m.n[0]; ++i)
        worst = std::max(worst, std::abs(expected[std::size_t(m.at(i, j, k))] - got[n++]));
  return worst;
}

void agree_with_the_oracle(Context& context, const CavityOptions& options) {
  const int steps = 3;
  const Outcome got = run(context, options, steps);
  if (context.rank() != 0) return;
  oracle::Cavity expected = oracle_of(options);
  for (int n = 0; n < steps; ++n) {
    const oracle::StepResult r = expected.step();
    const cavity::StepReport& report = got.reports[std::size_t(n)];
    EXPECT_NEAR(report.dt, r.dt, 1e-14 * r.dt);
    EXPECT_FALSE(report.capped);
    EXPECT_LE(report.source_balance, 1e-12);
    if (options.pressure.method == Method::multigrid && options.clustering != Clustering::skewed) {
      EXPECT_NEAR(report.iterations, r.iterations, 1);
    }
  }
  const std::vector<double> V = values_of(got.V), p = values_of(got.p);
  for (std::size_t e = 0; e < 3; ++e)
    EXPECT_LT(largest_difference(expected.g.mesh, expected.V[e], V.data() + e * p.size()), 2e-8);
  EXPECT_LT(largest_difference(expected.g.mesh, expected.p, p.data()), 2e-6);
}

TEST(Cavity, AgreesWithTheOracle) {
  test::TestContext context;
  for (const Clustering clustering : {Clustering::uniform, Clustering::tanh, Clustering::skewed})
    for (const Method method : {Method::jacobi, Method::sor, Method::multigrid})
      for (const bool kawamura : {false, true}) {
        const Int3 points = method == Method::jacobi ? Int3{11, 9, 12} : Int3{15, 14, 18};  // sweeps ~ n^2
        CavityOptions options = lid_driven(points, clustering, method);
        options.fourth_order_metrics = kawamura;
        if (kawamura) options.upwind = cavity::Upwind::kawamura;
        SCOPED_TRACE(testing::Message() << int(clustering) << int(method) << kawamura);
        agree_with_the_oracle(context, options);
      }
}

/// Tens of sweeps a step, or two to four cycles, with several convergence tests.
CavityOptions some_sweeps(Clustering clustering, Method method) {
  CavityOptions options = lid_driven({19, 16, 17}, clustering, method);
  options.pressure.tolerance = method == Method::jacobi ? 50.0 : method == Method::sor ? 5.0 : 0.1;
  options.engine.strategy = Strategy::blocking;
  if (method != Method::jacobi) options.faces[2] = options.faces[3] = {FaceKind::periodic, {}};
  return options;
}

Outcome on_one_rank_of_the_host(const CavityOptions& options) {
  return test::on_one_rank([&](Context& one) { return run(one, options, 3); });
}

void expect_same(const Outcome& got, const Outcome& expected, Context& context) {
  EXPECT_EQ(got.reports.back().iterations, expected.reports.back().iterations);
  EXPECT_EQ(got.reports.back().residual, expected.reports.back().residual);
  EXPECT_EQ(got.reports.back().source_balance, expected.reports.back().source_balance);
  EXPECT_EQ(got.divergence, expected.divergence);
  if (context.rank() != 0) return;
  EXPECT_TRUE(got.V == expected.V);
  EXPECT_TRUE(got.p == expected.p);
}

/// Every setting with every other; on more than two ranks, in a quarter of the runs, every pair of settings.
TEST(Cavity, LeavesTheSameBits) {
  for (const Clustering clustering : {Clustering::tanh, Clustering::skewed})
    for (const Method method : {Method::jacobi, Method::sor, Method::multigrid}) {
      CavityOptions options = some_sweeps(clustering, method);
      const Outcome expected = on_one_rank_of_the_host(options);
      for (int threads : {1, 2}) {
        test::TestContext context({.threads = threads});
        const int quarter = 2 * int(clustering == Clustering::skewed) + threads - 1;
        int turn_of_split = 0;
        for (const Int3 split : test::splits(context.size())) {
          int turn = turn_of_split++;
          for (const Strategy& strategy : test::all_strategies(context)) {
            if (context.size() > 2 && turn++ % 4 != quarter) continue;
            options.split = split;
            options.engine.strategy = strategy;
            options.engine.poke_seconds = 1e-6;
            SCOPED_TRACE(testing::Message() << strategy.name << to_string(split) << int(method));
            expect_same(run(context, options, 3), expected, context);
          }
        }
      }
    }
}

/// Blocks of 8 cells: as wide as the halo for two sweeps with four colours, or four with two.
TEST(Cavity, LeavesTheSameBitsWithSeveralSweepsAPass) {
  for (const Clustering clustering : {Clustering::tanh, Clustering::skewed})
    for (const Method method : {Method::jacobi, Method::sor, Method::multigrid}) {
      CavityOptions options = some_sweeps(clustering, method);
      options.points = {27, 26, 26};
      options.pressure.check_every = 4;
      const std::vector<int> lengths = method != Method::sor            ? std::vector{2, 3, 8}
                                       : clustering == Clustering::tanh ? std::vector{2, 4}
                                                                        : std::vector{2};
      const Outcome expected = on_one_rank_of_the_host(options);
      std::size_t turn = 0;
      for (const TransportPolicy transport : {TransportPolicy::automatic, TransportPolicy::delayed}) {
        const bool delayed = transport == TransportPolicy::delayed;
        test::TestContext context({.threads = 2, .transport = transport, .delay = delayed ? 1e-4 : 0});
        for (const Int3 split : test::splits(context.size()))
          for (const int length : lengths) {
            constexpr Strategy strategies[] = {Strategy::boundary_first, Strategy::blocking,
                                               Strategy::automatic, Strategy::halo_thread};
            options.split = split;
            options.engine.strategy = strategies[turn++ % std::size(strategies)];
            options.pressure.sweeps_per_pass = length;
            SCOPED_TRACE(testing::Message() << options.engine.strategy.name << to_string(split)
                                            << int(clustering) << int(method) << length << delayed);
            cavity::Cavity solver(context, options);
            expect_same(after(solver, 3), expected, context);
            const Runner::Passes& passes = solver.runner().passes();
            EXPECT_GT(passes.steps, passes.passes) << passes.describe();
            if (method != Method::multigrid) {  // whose coarsest levels are as thin as two sweeps
              EXPECT_EQ(passes.describe().find("holds no more"), std::string::npos) << passes.describe();
            }
          }
      }
    }
}

class OnDevices : public test::OnBackend {};
INSTANTIATE_TEST_SUITE_P(On, OnDevices, testing::ValuesIn(test::backends()), test::backend_name);

// Kernels and tables of the solver consist of sums, products, quotients and comparisons, which give the
// host's bits on devices.
TEST_P(OnDevices, LeaveTheBitsOfTheHost) {
  const std::vector<Strategy> strategies = test::undivided_strategies();
  const bool slow = GetParam() == test::Backend::late || GetParam() == test::Backend::shuffled;
  std::size_t turn = 0;
  for (const bool single : {false, true})
    for (const Clustering clustering : {Clustering::tanh, Clustering::skewed})
      for (const Method method : {Method::jacobi, Method::sor, Method::multigrid}) {
        if (slow && single != (method == Method::sor)) continue;  // every launch blocks there
        CavityOptions options = some_sweeps(clustering, method);
        options.single = single;
        options.fourth_order_metrics = clustering == Clustering::skewed;
        if (method == Method::jacobi) options.initial = cavity::Initial::taylor_green;
        const Outcome expected = on_one_rank_of_the_host(options);
        test::TestContext context;
        open(context, GetParam());
        options.space = test::space_of(GetParam());
        std::vector<Int3> splits = test::splits(context.size());
        if (slow) splits = {splits[turn % splits.size()]};
        for (const Int3 split : splits) {
          options.split = split;
          options.engine.strategy = strategies[turn++ % strategies.size()];
          SCOPED_TRACE(testing::Message() << options.engine.strategy.name << to_string(split)
                                          << int(clustering) << int(method) << single);
          expect_same(run(context, options, 3), expected, context);
        }
      }
}

TEST_P(OnDevices, AgreeWithTheOracle) {
  test::TestContext context;
  open(context, GetParam());
  for (const Method method : {Method::sor, Method::multigrid}) {
    CavityOptions options = lid_driven({15, 14, 18}, Clustering::skewed, method);
    options.space = test::space_of(GetParam());
    agree_with_the_oracle(context, options);
  }
}

TEST_P(OnDevices, NameThePointWhereTheFlowIsLost) {
  test::TestContext context;
  open(context, GetParam());
  CavityOptions options = lid_driven({18, 18, 18}, Clustering::uniform, Method::multigrid);
  options.space = test::space_of(GetParam());
  options.dt = 10;
  options.pressure.max_iterations = 5;
  cavity::Cavity solver(context, options);
  const auto steps = [&] {
    for (int n = 0; n < 500; ++n) solver.step();
  };
  const std::string said = test::refusal(steps, Exit::diverged);
  EXPECT_NE(said.find("at interior point"), std::string::npos) << said;
}

}  // namespace
