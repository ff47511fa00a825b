// SPDX-License-Identifier: Apache-2.0
// optimise: no
// Centrelines of a known flow on a skewed grid: the samples are on the line, with the accuracy of the cubic
// interpolation.
#include "solvers/cavity/centreline.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "solvers/cavity/mesh.hpp"

namespace sc::cavity {
namespace {

double u_at(const Vec3& x) { return std::sin(2 * x[0]) * std::cos(1.5 * x[1]) + x[2] * x[2]; }
double w_at(const Vec3& x) { return std::exp(x[0]) * x[2] - std::cos(3 * x[1]); }

Gathered known_flow(Int3 points, Clustering clustering) {
  CavityOptions options;
  options.points = points;
  options.clustering = clustering;
  options.smallest = 0.4 / (std::max({points.x, points.y, points.z}) - 1);
  options.skew = 0.08;
  const Points at = analytic_points(options);
  Gathered flow{points, {}, {}};
  for (int field = 0; field < 2; ++field)
    for (std::size_t component = 0; component < 3; ++component)
      for (int k = 0; k < points.z; ++k)
        for (int j = 0; j < points.y; ++j)
          for (int i = 0; i < points.x; ++i) {
            const Vec3 x = at({i - 1, j - 1, k - 1});
            if (field == 0)
              flow.coordinates.push_back(x[component]);
            else
              flow.velocity.push_back(component == 0 ? u_at(x) : component == 2 ? w_at(x) : 0.0);
          }
  return flow;
}

/// Largest error of both profiles on a grid.
double error_on(Int3 points, Clustering clustering) {
  const Gathered flow = known_flow(points, clustering);
  const Profile u = centreline(flow, 2, 0), w = centreline(flow, 0, 2);
  EXPECT_EQ(u.position.size(), std::size_t(points.z));
  EXPECT_EQ(w.position.size(), std::size_t(points.x));
  EXPECT_NEAR(u.position.front(), 0, 1e-14);
  EXPECT_NEAR(u.position.back(), 1, 1e-14);
  double largest = 0;
  for (std::size_t n = 0; n < u.position.size(); ++n)
    largest = std::max(largest, std::abs(u.velocity[n] - u_at({0.5, 0.5, u.position[n]})));
  for (std::size_t n = 0; n < w.position.size(); ++n)
    largest = std::max(largest, std::abs(w.velocity[n] - w_at({w.position[n], 0.5, 0.5})));
  return largest;
}

TEST(Centreline, IsFourthOrderOnEveryGrid) {
  for (const Clustering clustering : {Clustering::uniform, Clustering::tanh, Clustering::skewed}) {
    // Even numbers, so that no grid line is in the middle.
    const double coarse = error_on({10, 12, 14}, clustering), fine = error_on({20, 24, 28}, clustering);
    EXPECT_LT(fine, 3e-4);  // 3/128 h^4 81 of cos 3y, h up to 0.11 in the middle of the tanh grid
    EXPECT_GT(coarse, 8 * fine) << int(clustering) << ": " << coarse << " " << fine;
  }
}

TEST(Centreline, TakesGridPointsWhereTheyLieOnTheLine) {
  const Gathered flow = known_flow({9, 9, 9}, Clustering::tanh);
  const Profile u = centreline(flow, 2, 0);
  for (std::size_t k = 0; k < 9; ++k) {
    EXPECT_NEAR(u.position[k], flow.coordinates[2 * 729 + k * 81 + 4 * 9 + 4], 1e-14);
    EXPECT_NEAR(u.velocity[k], flow.velocity[k * 81 + 4 * 9 + 4], 1e-13);
  }
}

TEST(Centreline, SaysWhereTheLineMeetsNoSurface) {
  Gathered flow = known_flow({8, 8, 8}, Clustering::uniform);
  for (double& x : flow.coordinates) x *= 0.25;  // the line through (1/2, 1/2) does not intersect this box
  for (const double u : centreline(flow, 2, 0).velocity) EXPECT_TRUE(std::isnan(u));
}

}  // namespace
}  // namespace sc::cavity
