// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3
// threads: 2
// timeout: 400
// The cavity against its naive serial oracle, and its bits against themselves: strategies x splits x threads.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "engine/move/gather.hpp"
#include "solvers/cavity/solver.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/oracle/cavity_reference.hpp"

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
  o.faces[5] = {FaceKind::moving, {1, 0.25, 0}};
  return o;
}

std::vector<double> global_values(AnyField& field) {
  const std::vector<std::byte> bytes = gather(field.storage(0));
  std::vector<double> values(bytes.size() / sizeof(double));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

struct Outcome {
  std::vector<double> V, p;
  std::vector<cavity::StepReport> reports;
};

Outcome run(Context& context, const CavityOptions& options, int steps) {
  auto solver = cavity::make_cavity(context, options);
  Outcome r;
  for (int n = 0; n < steps; ++n) r.reports.push_back(solver->step());
  r.V = global_values(solver->velocity());
  r.p = global_values(solver->pressure());
  context.barrier();
  return r;
}

oracle::Cavity oracle_of(const CavityOptions& o) {
  const Int3 n = o.cells();
  const Bool3 periodic = o.periodic();
  oracle::CavityOptions options;
  options.reynolds = o.reynolds;
  options.upwind = o.upwind == cavity::Upwind::utopia ? oracle::Upwind::utopia : oracle::Upwind::kawamura;
  for (std::size_t f = 0; f < 6; ++f)
    if (o.faces[f].kind == FaceKind::moving) options.faces[f / 2][f % 2].velocity = o.faces[f].velocity;
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

TEST(Cavity, AgreesWithTheOracle) {
  test::TestContext context;
  for (const Clustering clustering : {Clustering::uniform, Clustering::tanh, Clustering::skewed})
    for (const Method method : {Method::jacobi, Method::sor, Method::multigrid})
      for (const bool kawamura : {false, true}) {
        CavityOptions options = lid_driven({15, 14, 18}, clustering, method);
        options.fourth_order_metrics = kawamura;
        if (kawamura) options.upwind = cavity::Upwind::kawamura;
        const int steps = 3;
        const Outcome got = run(context, options, steps);
        if (context.rank() != 0) continue;
        oracle::Cavity expected = oracle_of(options);
        for (int n = 0; n < steps; ++n) {
          const oracle::StepResult r = expected.step();
          EXPECT_NEAR(got.reports[std::size_t(n)].dt, r.dt, 1e-14 * r.dt);
          EXPECT_FALSE(got.reports[std::size_t(n)].capped);
          EXPECT_LE(got.reports[std::size_t(n)].source_balance, 1e-12);
          if (method == Method::multigrid && clustering != Clustering::skewed) {
            EXPECT_NEAR(got.reports[std::size_t(n)].iterations, r.iterations, 1);
          }
        }
        const std::size_t cells = got.p.size();
        for (std::size_t e = 0; e < 3; ++e)
          EXPECT_LT(largest_difference(expected.g.mesh, expected.V[e], got.V.data() + e * cells), 2e-8)
              << int(clustering) << int(method) << kawamura;
        EXPECT_LT(largest_difference(expected.g.mesh, expected.p, got.p.data()), 2e-6);
      }
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

std::vector<Int3> splits_of(int ranks) {
  std::vector<Int3> splits;
  for (int px = 1; px <= ranks; ++px)
    for (int py = 1; py <= ranks / px; ++py)
      if (ranks % (px * py) == 0) splits.push_back({px, py, ranks / px / py});
  return splits;
}

TEST(Cavity, LeavesTheSameBits) {
  for (const Clustering clustering : {Clustering::tanh, Clustering::skewed})
    for (const Method method : {Method::jacobi, Method::sor, Method::multigrid}) {
      CavityOptions options = lid_driven({19, 16, 17}, clustering, method);
      options.pressure.tolerance =
          method == Method::multigrid ? 1e-4 : 5.0;  // tens of sweeps, the test among them
      options.engine.strategy = Strategy::blocking;
      if (method != Method::jacobi) options.faces[2] = options.faces[3] = {FaceKind::periodic, {}};
      Context alone(MPI_COMM_SELF);
      const Outcome expected = run(alone, options, 3);
      alone.close();
      for (int threads : {1, 2}) {
        test::TestContext context({.threads = threads});
        for (const Int3 split : splits_of(context.size()))
          for (Strategy strategy : {Strategy::blocking, Strategy::ordered, Strategy::boundary_first,
                                    Strategy::interior_first, Strategy::pipelined, Strategy::halo_thread}) {
            options.split = split;
            options.engine.strategy = strategy;
            options.engine.poke_seconds = 1e-6;
            const Outcome got = run(context, options, 3);
            EXPECT_EQ(got.reports.back().iterations, expected.reports.back().iterations);
            EXPECT_EQ(got.reports.back().residual, expected.reports.back().residual);
            if (context.rank() != 0) continue;
            EXPECT_TRUE(same_bits(got.V, expected.V))
                << strategy_name(strategy) << to_string(split) << int(method);
            EXPECT_TRUE(same_bits(got.p, expected.p))
                << strategy_name(strategy) << to_string(split) << int(method);
          }
      }
    }
}

}  // namespace
