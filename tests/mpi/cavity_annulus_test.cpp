// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2
// timeout: 300
// Flow between rotating cylinders, on grids that are periodic around the axis: against the serial reference,
// against the exact Taylor-Couette profile, and equal bits for all settings.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>

#include "engine/move/output/gather.hpp"
#include "tests/mpi/annulus.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/mpi/whole_field.hpp"
#include "tests/oracle/cavity_reference.hpp"
#include "tests/refusal.hpp"

namespace {

using namespace sc;
using cavity::CavityOptions;
using cavity::FaceKind;
using test::Annulus;

oracle::Cavity oracle_of(const CavityOptions& o, const Annulus& annulus) {
  oracle::CavityOptions options;
  options.reynolds = o.reynolds;
  options.tolerance = o.pressure.tolerance;
  for (std::size_t side = 0; side < 2; ++side) {
    const cavity::WallMotion& motion = o.faces[side].motion;
    options.faces[0][side] = {motion.velocity, motion.spin, motion.about};
  }
  const Int3 n = o.cells();
  return {oracle::make_geometry({n.x, n.y, n.z}, {false, true, true}, annulus, o.fourth_order_metrics),
          options};
}

TEST(CavityAnnulus, AgreesWithTheOracle) {
  test::TestContext context;
  for (const double twist : {0.0, 0.7}) {
    const Annulus annulus{.twist = twist};
    CavityOptions o = test::between_cylinders({11, 24, 6}, 1, -0.3);
    o.faces[1].motion.velocity = {0, 0, 0.2};  // the outer cylinder also slides along its axis
    o.reynolds = 20;
    o.pressure.tolerance = 1e-8;
    cavity::Cavity solver(context, o, test::points_of(annulus));
    oracle::Cavity expected = oracle_of(o, annulus);
    for (int n = 0; n < 6; ++n) {
      const cavity::StepReport report = solver.step();
      const oracle::StepResult r = expected.step();
      EXPECT_FALSE(report.capped);
      EXPECT_LE(report.source_balance, 1e-12);
      EXPECT_NEAR(report.dt, r.dt, 1e-13 * r.dt);
    }
    const std::vector<double> V = test::on_root(solver.velocity()), p = test::on_root(solver.pressure());
    std::size_t at = 0;
    if (context.rank() != 0) continue;
    const oracle::Mesh& m = expected.g.mesh;
    double worst_V = 0, worst_p = 0;
    for (int k = 0; k < m.n[2]; ++k)
      for (int j = 0; j < m.n[1]; ++j)
        for (int i = 0; i < m.n[0]; ++i, ++at) {
          const auto here = std::size_t(m.at(i, j, k));
          worst_p = std::max(worst_p, std::abs(expected.p[here] - p[at]));
          for (std::size_t e = 0; e < 3; ++e)
            worst_V = std::max(worst_V, std::abs(expected.V[e][here] - V[e * p.size() + at]));
        }
    EXPECT_LT(worst_V, 1e-8) << twist;
    EXPECT_LT(worst_p, 1e-6) << twist;
  }
}

TEST(CavityAnnulus, LeavesTheSameBits) {
  CavityOptions o = test::between_cylinders({11, 18, 12}, 1, 0.2);
  const cavity::PointsOf points = test::points_of(Annulus{.twist = 0.7});
  const auto flow = [&](Context& context) {
    cavity::Cavity solver(context, o, points);
    for (int n = 0; n < 3; ++n) solver.step();
    return std::pair(gather(solver.velocity().storage(0)), gather(solver.pressure().storage(0)));
  };
  const auto expected = test::on_one_rank(flow);
  test::TestContext context;
  for (const Int3 split : test::splits(context.size()))
    for (Strategy strategy : {Strategy::blocking, Strategy::boundary_first, Strategy::pipelined}) {
      o.split = split;
      o.engine.strategy = strategy;
      SCOPED_TRACE(testing::Message() << strategy.name << to_string(split));
      const auto got = flow(context);
      if (context.rank() == 0) {
        EXPECT_TRUE(got == expected);
      }
    }
}

struct Errors {
  double velocity = 0, pressure = 0;
};

// u = A r + B / r along the circles, p = A^2 r^2 / 2 + 2 A B ln r - B^2 / (2 r^2) up to a constant.
Errors couette_errors(Context& context, int intervals, double twist, double inner, double outer) {
  CavityOptions o = test::between_cylinders({intervals + 1, 4 * intervals, 4}, inner, outer);
  o.reynolds = 5;
  o.pressure.tolerance = 1e-7;
  cavity::Cavity solver(context, o, test::points_of(Annulus{.twist = twist, .depth = 0.5}));
  double change = 1;
  while (change > 1e-6 && solver.time() < 30) change = solver.step().max_change;
  EXPECT_LT(change, 1e-6);
  const std::vector<double> x = test::on_root(solver.coordinates()), V = test::on_root(solver.velocity()),
                            p = test::on_root(solver.pressure());
  const double A = (4 * outer - inner) / 3, B = 4 * (inner - outer) / 3;
  const auto exact_p = [&](double r) {
    return 0.5 * A * A * r * r + 2 * A * B * std::log(r) - 0.5 * B * B / (r * r);
  };
  const std::size_t cells = p.size();
  double shift = 0;
  for (std::size_t c = 0; c < cells; ++c)
    shift += (p[c] - exact_p(std::hypot(x[c], x[cells + c]))) / double(cells);
  Errors worst;
  for (std::size_t c = 0; c < cells; ++c) {
    const double X = x[c], Y = x[cells + c], r = std::hypot(X, Y), u = A + B / (r * r);
    worst.velocity = std::max(
        {worst.velocity, std::abs(V[c] + u * Y), std::abs(V[cells + c] - u * X), std::abs(V[2 * cells + c])});
    worst.pressure = std::max(worst.pressure, std::abs(p[c] - exact_p(r) - shift));
  }
  return worst;
}

TEST(CavityAnnulus, TaylorAndCouettesFlowAtSecondOrder) {
  test::TestContext context;
  for (const double twist : {0.0, 0.5}) {
    const Errors coarse = couette_errors(context, 8, twist, 1, -0.2),
                 fine = couette_errors(context, 16, twist, 1, -0.2);
    if (context.rank() != 0) continue;
    std::printf("twist %.1f: velocity %.2e %.2e, pressure %.2e %.2e\n", twist, coarse.velocity, fine.velocity,
                coarse.pressure, fine.pressure);
    EXPECT_GT(coarse.velocity, 3.2 * fine.velocity) << twist;
    EXPECT_GT(coarse.pressure, 3.0 * fine.pressure) << twist;
    EXPECT_LT(fine.velocity, 5e-3) << twist;
    EXPECT_LT(fine.pressure, 5e-3) << twist;
  }
}

TEST(CavityAnnulus, WallsThatMoveThroughThemselvesAreRefused) {
  test::TestContext context;
  CavityOptions o = test::between_cylinders({11, 24, 6}, 1, 0);
  o.faces[0].motion.about = {0.5, 0, 0};  // eccentric
  const std::string said = test::refusal([&] { cavity::Cavity(context, o, test::points_of(Annulus{})); });
  EXPECT_NE(said.find("moves through itself"), std::string::npos) << said;
}

}  // namespace
