// SPDX-License-Identifier: Apache-2.0
// timeout: 300
// The orders of the discretisation, measured on the serial reference with which the solver is compared cell
// by cell (mpi/cavity_test).
#include <gtest/gtest.h>

#include <cmath>

#include "tests/oracle/manufactured.hpp"

namespace {

using namespace sc::oracle;
using namespace sc::oracle::manufactured;

template <class Measure>
double order(Measure measure) {
  return std::log2(measure(17).l2 / measure(33).l2);
}

TEST(CavityOrders, PoissonWithNeumannWalls) { EXPECT_GE(order(poisson_error), 1.9); }
TEST(CavityOrders, PressureGradient) { EXPECT_GE(order(gradient_error), 1.9); }
TEST(CavityOrders, ViscousTerm) { EXPECT_GE(order(laplacian_error), 1.9); }
TEST(CavityOrders, WallPressure) { EXPECT_GE(order(wall_pressure_error), 1.9); }
TEST(CavityOrders, ConvectionWithFourthOrderMetrics) {
  EXPECT_GE(order([](int n) { return convection_error(n, true, Upwind::utopia); }), 2.8);
  EXPECT_GE(order([](int n) { return convection_error(n, true, Upwind::kawamura); }), 2.8);
}

TEST(CavityOrders, TheGradientOfALinearFieldIsExact) {
  const Geometry g = grid(17, true);
  const Vec3 slope{0.7, -1.3, 2.1};
  const Array p = node_values(g, [&](Vec3 x) { return 3 + dot(slope, x); });
  const Norms error = norms(g, [&](long o) {
    Vec3 got = gradient(g, p, o);
    for (std::size_t k = 0; k < 3; ++k) got[k] -= slope[k];
    return std::sqrt(dot(got, got));
  });
  EXPECT_LT(error.max, 1e-12);
}

// The wall r = 1 of twisted annuli, theta = 2 pi Y + twist (r - 1), rotating. The flow relative to the wall
// has the stream function (r - 1)^2 cos 2 theta, whose viscous force on the wall is -4 nu sin 2 theta along
// r.
double curved_wall_error(int n, double twist) {
  const double pi = manufactured::pi, nu = 0.3;
  const auto polar = [&](Vec3 s) { return std::array{1 + s[0], 2 * pi * s[1] + twist * s[0]}; };
  const Geometry g = make_geometry(
      {n, 4 * n, 4}, {false, true, true},
      [&](Vec3 s) {
        const auto [r, t] = polar(s);
        return Vec3{r * std::cos(t), r * std::sin(t), s[2]};
      },
      true);
  Faces faces;
  faces[0][0].spin = {0, 0, 0.7};
  VectorArray V = g.mesh.vector();
  Array p = g.mesh.array();
  g.mesh.for_each({-1, 0, 0}, {n + 1, 4 * n, 4}, [&](Cell, long o) {
    const double x = g.x[0][o], y = g.x[1][o], r = std::hypot(x, y), t = std::atan2(y, x), d = r - 1;
    const double along = -2 * d * std::cos(2 * t) + 0.7 * r, out = -2 * d * d * std::sin(2 * t) / r;
    V[0][o] = out * x / r - along * y / r, V[1][o] = out * y / r + along * x / r;
    p[o] = (0.49 - 4 * nu * std::sin(2 * t)) * d + d * d * std::cos(t) + std::sin(t);  // 0.49: spin^2 r
  });
  Array computed = p;
  pressure_boundary(g, faces, V, nu, computed);
  double worst = 0;
  g.mesh.for_each({-1, 0, 0}, {0, 4 * n, 4},
                  [&](Cell, long o) { worst = std::max(worst, std::abs(computed[o] - p[o])); });
  return worst;
}

TEST(CavityOrders, PressureOnACurvedWallThatTurns) {
  for (const double twist : {0.0, 0.8})
    EXPECT_GE(std::log2(curved_wall_error(15, twist) / curved_wall_error(31, twist)), 1.9) << twist;
}

// Without the cross terms of one plane, the skewed operator is not a Laplacian: the test above must detect
// that.
TEST(CavityOrders, LosingOnePlaneOfCrossTermsIsNoticed) {
  Geometry g = grid(33, true);
  const double whole = laplacian_error(33).l2;
  std::fill(g.edge[1].begin(), g.edge[1].end(), 0.0);
  const Array q = node_values(g, wave);
  const double lacking = norms(g, [&](long o) { return laplacian(g, q, o) - wave_laplacian(at(g, o)); }).l2;
  EXPECT_GT(lacking, 20 * whole);
}

}  // namespace
