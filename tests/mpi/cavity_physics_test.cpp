// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2
// timeout: 300
// optimise: no
// The solver against known solutions: decaying vortices, a skewed grid against a straight one, single
// precision, and the report of an iteration limit.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "engine/grid/cells.hpp"
#include "engine/stage/global_value.hpp"
#include "solvers/cavity/solver.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/refusal.hpp"

namespace {

using namespace sc;
using cavity::CavityOptions;
using cavity::Clustering;
using cavity::FaceKind;

template <class Real>
const Real* component(AnyField& field, int k) {
  const Storage& s = field.storage(0);
  return reinterpret_cast<const Real*>(s.base()) + k * s.component_stride();
}

CavityOptions vortices(int n, double reynolds) {
  CavityOptions o;
  o.points = {n, n, 4};
  o.reynolds = reynolds;
  for (auto& face : o.faces) face.kind = FaceKind::periodic;
  o.initial = cavity::Initial::taylor_green;
  o.pressure.tolerance = 1e-7;
  return o;
}

// Against u = sin X cos Y exp(-8 pi^2 nu t), v = -cos X sin Y exp(-8 pi^2 nu t) with X = 2 pi x, extruded
// along z.
double vortex_error(Context& context, cavity::Cavity& solver, double reynolds) {
  const int n = solver.grid().cells().x;
  const double decay = std::exp(-8 * std::numbers::pi * std::numbers::pi / reynolds * solver.time());
  const Grid& grid = solver.grid();
  double worst = 0;
  each_cell(grid.own(), [&](Int3 c) {
    const double X = 2 * std::numbers::pi * (grid.origin().x + c.x) / n,
                 Y = 2 * std::numbers::pi * (grid.origin().y + c.y) / n;
    const auto at = grid.layout().offset(c);
    worst = std::max(
        worst, std::abs(component<double>(solver.velocity(), 0)[at] - std::sin(X) * std::cos(Y) * decay));
    worst = std::max(
        worst, std::abs(component<double>(solver.velocity(), 1)[at] + std::cos(X) * std::sin(Y) * decay));
    worst = std::max(worst, std::abs(component<double>(solver.velocity(), 2)[at]));
  });
  Accumulator most(Reduce::max);
  most.add(&worst, 1);
  return GlobalValue(context).reduce({&most, 1});
}

double viscous_error(Context& context, int n) {
  CavityOptions o = vortices(n, 20);
  o.dt = 1.024 / (n * n);
  cavity::Cavity solver(context, o);
  for (int step = 0; step < n * n / 16; ++step) solver.step();
  return vortex_error(context, solver, o.reynolds);
}

TEST(CavityPhysics, VorticesDecayAtSecondOrder) {
  test::TestContext context;
  const double coarse = viscous_error(context, 16), fine = viscous_error(context, 32);
  EXPECT_GT(coarse / fine, 3.5) << coarse << " " << fine;
  EXPECT_LT(fine, 5e-3);
}

// Without a wall that moves, the fluid alone gives the Courant number. At this Reynolds number, the limit of
// the short waves permits a step with which forward Euler amplifies the vortices.
TEST(CavityPhysics, TheStepFollowsAFlowWithoutALid) {
  test::TestContext context;
  const double reynolds = 1000;
  cavity::Cavity solver(context, vortices(32, reynolds));
  while (solver.time() < 2) {
    const cavity::StepReport report = solver.step();
    EXPECT_LE(report.courant, 0.2);
    EXPECT_GT(report.courant, 0.19);
    EXPECT_GT(report.dt, 0.19 / 32);
  }
  EXPECT_LT(vortex_error(context, solver, reynolds), 0.05);
}

CavityOptions lid(int points) {
  CavityOptions o;
  o.points = {points, points, points};
  o.faces[5] = {FaceKind::moving, {.velocity = {1, 0, 0}}};
  return o;
}

double kinetic_energy(Context& context, const CavityOptions& o, double until) {
  cavity::Cavity solver(context, o);
  while (solver.time() < until) EXPECT_FALSE(solver.step().capped);
  double sum = 0;
  const Grid& grid = solver.grid();
  std::vector<double> row(static_cast<std::size_t>(grid.own().hi.x));
  Accumulator total(Reduce::sum);
  for (int k = 0; k < grid.own().hi.z; ++k)
    for (int j = 0; j < grid.own().hi.y; ++j) {
      for (int i = 0; i < grid.own().hi.x; ++i) {
        const auto at = grid.layout().offset({i, j, k});
        sum = 0;
        for (int e = 0; e < 3; ++e) {
          const double v = o.single ? double(component<float>(solver.velocity(), e)[at])
                                    : component<double>(solver.velocity(), e)[at];
          sum += v * v;
        }
        row[static_cast<std::size_t>(i)] = sum;
      }
      total.add(row.data(), grid.own().hi.x);
    }
  return GlobalValue(context).reduce({&total, 1}) / static_cast<double>(Box{{}, grid.cells()}.cells());
}

TEST(CavityPhysics, SinglePrecisionGivesTheSameFlow) {
  test::TestContext context;
  CavityOptions o = lid(18);
  o.pressure.tolerance = 1e-2;
  const double in_double = kinetic_energy(context, o, 0.3);
  o.single = true;
  EXPECT_NEAR(kinetic_energy(context, o, 0.3), in_double, 1e-4 * in_double);
}

// The residual of the pressure cannot fall below epsilon |p| / h^2, about 1e-3 here.
TEST(CavityPhysics, SinglePrecisionEndsAtItsRoundingErrors) {
  test::TestContext context;
  CavityOptions o = lid(34);
  o.single = true;
  cavity::Cavity solver(context, o);
  for (int n = 0; n < 8; ++n) {
    const auto report = solver.step();
    EXPECT_LT(report.iterations, 30);
    EXPECT_LT(report.residual, 1e-2);
    EXPECT_EQ(report.capped, report.residual >= o.pressure.tolerance);
  }
}

TEST(CavityPhysics, ACapIsReported) {
  test::TestContext context;
  CavityOptions o = lid(18);
  o.pressure.method = cavity::Method::jacobi;
  o.pressure.max_iterations = 7;
  cavity::Cavity solver(context, o);
  const auto report = solver.step();
  EXPECT_TRUE(report.capped);
  EXPECT_EQ(report.iterations, 7);
  EXPECT_GT(report.residual, o.pressure.tolerance);
}

TEST(CavityPhysics, BadOptionsAreRefused) {
  test::TestContext context;
  const auto sentence = [&](auto change) {
    CavityOptions o = lid(18);
    change(o);
    return test::refusal([&] { cavity::Cavity(context, o); });
  };
  const auto has = [](const std::string& s, const char* part) { return s.find(part) != std::string::npos; };
  EXPECT_TRUE(has(sentence([](auto& o) { o.points = {4, 18, 18}; }), "grid.points is [4, 18, 18]"));
  EXPECT_TRUE(has(sentence([](auto& o) { o.reynolds = 0; }), "flow.reynolds"));
  EXPECT_TRUE(has(sentence([](auto& o) { o.faces[0].kind = FaceKind::periodic; }), "periodic or none"));
  EXPECT_TRUE(has(sentence([](auto& o) { o.faces[5].motion.velocity = {0, 0, 1}; }), "boundaries.z+"));
  EXPECT_TRUE(
      has(sentence([](auto& o) { o.clustering = Clustering::tanh, o.smallest = 0.5; }), "grid.smallest"));
  EXPECT_TRUE(has(sentence([](auto& o) { o.clustering = Clustering::skewed, o.skew = 0.6; }), "folds over"));
  EXPECT_TRUE(has(sentence([&](auto& o) { o.split = {context.size() + 1, 1, 1}; }), "split"));
}

/// The state of `from` in `to`, as from a checkpoint.
void restore(cavity::Cavity& to, cavity::Cavity& from) {
  const auto copy = [](AnyField& target, AnyField& source) {
    const Storage &t = target.storage(0), &s = source.storage(0);
    ASSERT_EQ(t.component_stride(), s.component_stride());
    for (int k = 0; k < s.components(); ++k) {
      each_cell(s.grid().own(), [&](Int3 c) {
        const auto at = s.grid().layout().offset(c) + k * s.component_stride();
        reinterpret_cast<double*>(t.base())[at] = reinterpret_cast<const double*>(s.base())[at];
      });
    }
    target.storage(0).set_fresh(point);
  };
  copy(to.velocity(), from.velocity());
  copy(to.iterate(), from.iterate());
  to.clock() = from.clock();
  to.restored();
}

// The limit that a checkpoint holds is that of its options.
TEST(CavityPhysics, ARestartedRunLimitsItsFirstStepByItsOwnOptions) {
  test::TestContext context;
  CavityOptions o;
  o.points = {14, 14, 14};
  o.reynolds = 1e6;  // the limits are those of convection
  o.faces[5] = {FaceKind::moving, {.velocity = {1, 0, 0}}};
  o.courant = 0.9;
  cavity::Cavity before(context, o);
  for (int n = 0; n < 30; ++n) before.step();
  const double stiffness = before.clock().stiffness;
  {
    cavity::Cavity same(context, o);
    restore(same, before);
    EXPECT_EQ(same.clock().stiffness, stiffness);
    EXPECT_EQ(same.step().dt, before.step().dt);
  }
  const double now = before.clock().stiffness;
  CavityOptions careful = o;
  careful.courant = 0.45;
  cavity::Cavity slower(context, careful);
  restore(slower, before);
  EXPECT_GT(slower.clock().stiffness, 1.1 * now);
  EXPECT_LE(slower.step().courant, 0.46);
  CavityOptions other = o;
  other.upwind = cavity::Upwind::kawamura;
  cavity::Cavity rougher(context, other);
  restore(rougher, before);
  EXPECT_GT(rougher.clock().stiffness, 1.1 * now);
}

// A factor of 1 leaves the checkerboard as it is, a larger one amplifies it.
TEST(CavityPhysics, JacobiIsNotOverRelaxed) {
  test::TestContext context;
  CavityOptions o = vortices(12, 100);
  o.pressure.method = cavity::Method::jacobi;
  for (const double omega : {1.01, 1.5, 0.0, 1.0}) {
    o.pressure.relaxation = omega;
    const std::string said = test::refusal([&] { cavity::Cavity(context, o); });
    EXPECT_EQ(said.find("pressure.relaxation is ") == 0, omega > 1) << omega << ": " << said;
  }
}

}  // namespace
