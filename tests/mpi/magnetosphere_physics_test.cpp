// SPDX-License-Identifier: Apache-2.0
// ranks: 2
// timeout: 300
// optimise: no
// Conservation by the MHD scheme in a periodic box: sums and div B up to rounding, momentum at second order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "solvers/magnetosphere/solver.hpp"
#include "tests/mpi/test_context.hpp"

namespace {

using namespace sc;
using namespace sc::magnetosphere;

TEST(MhdPhysics, MassAndDivergenceStayAtRoundOff) {
  test::TestContext context;
  MagnetosphereOptions o;
  o.cells = {40, 40, 6};
  o.spacing = 1.0 / 40;
  o.faces.fill(FaceKind::periodic);
  o.initial = Initial::orszag_tang;
  o.diffusion = {
      .density = 1e-3, .pressure = 1e-3, .viscosity = 1e-4, .resistivity = 1e-3, .smoothing = 0.02};
  auto solver = std::make_unique<Magnetosphere>(context, o);
  const Measures before = solver->measure();
  // div B is a sum of 24 terms of size B / (4 h) = 2.8, with rounding errors of about 1e-15 each.
  EXPECT_LT(before.divergence, 1e-14);
  for (int n = 0; n < 200; ++n) solver->step();
  const Measures later = solver->measure();
  if (context.rank() == 0)
    std::printf("mass %.3e relative, div B %.3e, momentum %.3e\n", later.mass / before.mass - 1,
                later.divergence, std::abs(later.momentum[0]));
  EXPECT_NEAR(later.mass / before.mass, 1, 1e-13);
  EXPECT_LT(later.divergence, 1e-12);
}

// A contact at rest along its normal, with shear: only smoothing changes it. Momentum is mixed exactly in
// every step, and velocities stay between those that were there.
TEST(MhdPhysics, SmoothingKeepsMomentumAcrossAContact) {
  test::TestContext context;
  for (const double ratio : {8.0, 200.0}) {
    MagnetosphereOptions o;
    o.cells = {4, 48, 1};
    o.spacing = 1.0 / 48;
    o.faces.fill(FaceKind::periodic);
    o.diffusion = {.smoothing = 0.5};
    auto solver = std::make_unique<Magnetosphere>(context, o);
    solver->nodes().rho.fill([&](int, int y, int) { return y < 24 ? 1 : ratio; });
    solver->nodes().p.fill([](int, int, int) { return 1.0; });
    solver->nodes().v.fill([](int k, int, int y, int) {
      return k == 1 ? 0 : y < 22 ? 1 : k == 0 ? -1 : -0.3;
    });
    solver->nodes().B.fill([](int, int, int, int) { return 0.0; });
    const Measures before = solver->measure();
    for (int n = 0; n < 100; ++n) solver->step();
    const Measures later = solver->measure();
    EXPECT_NEAR(later.mass / before.mass, 1, 1e-13);
    for (const std::size_t k : {0U, 2U})
      EXPECT_NEAR(later.momentum[k] / before.momentum[k], 1, 1e-12) << "ratio " << ratio << " along " << k;
    const Int3 own = solver->grid().global_box().extent();
    double low = 1, high = -1;
    for (int y = 0; y < own.y; ++y)
      for (int x = 0; x < own.x; ++x) {
        const double v = solver->nodes().v.get({x, y, 0}, 0);
        low = std::min(low, v), high = std::max(high, v);
        EXPECT_EQ(solver->nodes().v.get({x, y, 0}, 1), 0);
      }
    EXPECT_GE(low, -1 - 1e-14);
    EXPECT_LE(high, 1 + 1e-14);
  }
}

// Momentum is not in conservative form: in a smooth flow its change is the error of the scheme, of second
// order.
TEST(MhdPhysics, MomentumDriftsAtSecondOrder) {
  test::TestContext context;
  double before = 0;
  for (const int n : {16, 32}) {
    MagnetosphereOptions o;
    o.cells = {n, n, n};
    o.spacing = 1.0 / n;
    o.faces.fill(FaceKind::periodic);
    o.end = 0.05;
    auto solver = std::make_unique<Magnetosphere>(context, o);
    const auto wave = [&](int x, int y, int z, double phase) {
      return std::sin(2 * std::numbers::pi * (x + 2.0 * y - z) / n + phase);
    };
    solver->nodes().rho.fill([&](int x, int y, int z) { return 1 + 0.3 * wave(x, y, z, 0); });
    solver->nodes().v.fill([&](int k, int x, int y, int z) { return 0.5 + 0.3 * wave(x, z, y, 1 + k); });
    solver->nodes().p.fill([&](int x, int y, int z) { return 1 + 0.2 * wave(y, x, z, 2); });
    const double start = solver->measure().momentum[0];
    while (solver->clock().time < o.end * (1 - 1e-12)) solver->step();
    const double drift = std::abs(solver->measure().momentum[0] - start);
    if (context.rank() == 0) std::printf("momentum drift at n %d: %.3e\n", n, drift);
    if (before > 0) {
      EXPECT_GT(before / drift, 3);
    }
    before = drift;
  }
}

}  // namespace
