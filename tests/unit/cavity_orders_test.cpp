// SPDX-License-Identifier: Apache-2.0
// timeout: 300
// The orders of the discretisation, on the oracle that the solver is held against cell by cell
// (mpi/cavity_test).
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

// Without the cross terms of one plane the skewed Laplacian is not a Laplacian any more: the check above must
// notice.
TEST(CavityOrders, LosingOnePlaneOfCrossTermsIsNoticed) {
  Geometry g = grid(33, true);
  const double whole = laplacian_error(33).l2;
  std::fill(g.edge[1].begin(), g.edge[1].end(), 0.0);
  const Array q = node_values(g, wave);
  const double lacking = norms(g, [&](long o) { return laplacian(g, q, o) - wave_laplacian(at(g, o)); }).l2;
  EXPECT_GT(lacking, 20 * whole);
}

}  // namespace
