// SPDX-License-Identifier: Apache-2.0
// ranks: 1 3
// timeout: 120
// Skewed grids with periodic faces against exact flows: the skewed lines cross every face that is periodic,
// and so do the flow and its pressure.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "tests/mpi/channels.hpp"
#include "tests/mpi/test_context.hpp"

namespace {

using namespace sc;
using cavity::CavityOptions;
using test::FaceKind;
using test::Vec3;

constexpr double pi = std::numbers::pi;
constexpr double reynolds = 30, until = 0.1;

/// Decaying vortices of any orientation: sin X cos Y, -cos X sin Y along axes a and b.
Vec3 vortices(const Vec3& x, double time, std::size_t a, std::size_t b) {
  const double decay = std::exp(-8 * pi * pi / reynolds * time);
  Vec3 V{};
  V[a] = std::sin(2 * pi * x[a]) * std::cos(2 * pi * x[b]) * decay;
  V[b] = -std::cos(2 * pi * x[a]) * std::sin(2 * pi * x[b]) * decay;
  return V;
}

/// Shear between walls at rest, z = 0 and 1. Nothing varies along the walls, except for the grid.
Vec3 shear(const Vec3& x, double time) {
  const double rate = pi * pi / reynolds;
  return {std::sin(pi * x[2]) * std::exp(-rate * time), -std::sin(2 * pi * x[2]) * std::exp(-4 * rate * time),
          0};
}

CavityOptions skewed(Int3 points, int periodic_axes) {
  CavityOptions o;
  o.points = points;
  o.reynolds = reynolds;
  o.clustering = cavity::Clustering::skewed;
  o.skew = 0.06;
  for (std::size_t f = 0; f < 2 * std::size_t(periodic_axes); ++f) o.faces[f].kind = FaceKind::periodic;
  o.pressure.tolerance = 1e-6;
  o.order = 2;
  return o;
}

/// Largest error of the velocity in `until`, of a flow that starts exact.
double error(Context& context, CavityOptions o, const std::function<Vec3(const Vec3&, double)>& exact) {
  const int steps = o.points.x;
  o.dt = until / steps;
  cavity::Cavity solver(context, o);
  solver.start_from(test::flow_at_points(o, [&](const Vec3& x) { return exact(x, 0); }));
  for (int n = 0; n < steps; ++n) EXPECT_FALSE(solver.step().capped);
  return test::velocity_error(solver, [&](const Vec3& x) { return exact(x, until); });
}

void expect_second_order(const char* name, double coarse, double fine) {
  std::printf("%s: %.3e, %.3e, order %.2f\n", name, coarse, fine, std::log2(coarse / fine));
  EXPECT_GT(std::log2(coarse / fine), 1.8) << name;
}

TEST(CavityPeriodic, VorticesDecayOnGridsThatAreSkewedAcrossTheirPeriods) {
  test::TestContext context;
  for (std::size_t a = 0; a < 3; ++a) {
    const std::size_t b = (a + 1) % 3;
    const auto of = [&](int n) {
      return error(context, skewed({n, n, n}, 3),
                   [&](const Vec3& x, double time) { return vortices(x, time, a, b); });
    };
    const std::string name = std::string("vortices along ") + "xyz"[a] + "xyz"[b];
    expect_second_order(name.c_str(), of(12), of(24));
  }
}

TEST(CavityPeriodic, ShearBetweenWallsDecaysWhereTheGridAloneVariesAlongThem) {
  test::TestContext context;
  const auto of = [&](int n) { return error(context, skewed({n, n, n + 1}, 2), shear); };
  expect_second_order("shear", of(12), of(24));
}

}  // namespace
