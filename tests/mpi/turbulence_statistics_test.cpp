// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3
// optimise: no
// Statistics of a turbulent flow: skewness, scales and dissipation of flows that are known.
#include <gtest/gtest.h>

#include <cmath>

#include "solvers/turbulence/solver.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

using turbulence::Measures;
using turbulence::Turbulence;

// Three plane waves whose wavenumbers add up to zero, so that their gradients are skewed; the reference sums
// at the points.
TEST(Statistics, SkewnessAndScalesOfAKnownFlow) {
  TestContext context;
  const Int3 n{16, 12, 20};
  const double nu = 0.02;
  struct Wave {
    std::array<double, 3> k, e;  // e . k = 0
    double phase;
  };
  const std::array<Wave, 3> waves{
      {{{1, 1, 0}, {1, -1, 0.5}, 0.3}, {{0, 1, 2}, {0.7, -0.4, 0.2}, 0}, {{1, 2, 2}, {0.6, 0.8, -1.1}, 1.1}}};
  const auto angle = [](const Wave& w, double x, double y, double z) {
    return w.k[0] * x + w.k[1] * y + w.k[2] * z + w.phase;
  };
  Turbulence flow(context, {.points = n, .viscosity = nu});
  flow.start([&](int d, double x, double y, double z) {
    double u = 0;
    for (const Wave& w : waves) u += w.e[std::size_t(d)] * std::cos(angle(w, x, y, z));
    return u;
  });
  double square = 0, cube = 0, energy = 0, dissipation = 0;
  for (const Wave& w : waves)
    for (std::size_t d = 0; d < 3; ++d) {
      energy += 0.25 * w.e[d] * w.e[d];
      dissipation += 0.5 * nu * (w.k[0] * w.k[0] + w.k[1] * w.k[1] + w.k[2] * w.k[2]) * w.e[d] * w.e[d];
    }
  each_cell({{}, n}, [&](Int3 c) {
    for (std::size_t d = 0; d < 3; ++d) {
      double g = 0;
      for (const Wave& w : waves)
        g -= w.e[d] * w.k[d] *
             std::sin(angle(w, 2 * M_PI * c.x / n.x, 2 * M_PI * c.y / n.y, 2 * M_PI * c.z / n.z));
      square += g * g;
      cube += g * g * g;
    }
  });
  const double values = 3.0 * n.x * n.y * n.z;
  const double skewness = cube / values / std::pow(square / values, 1.5);
  const Measures m = flow.measure();
  ASSERT_GT(std::abs(skewness), 0.05);
  EXPECT_NEAR(m.skewness, skewness, 1e-12);
  EXPECT_NEAR(m.energy, energy, 1e-13);
  EXPECT_NEAR(m.dissipation, dissipation, 1e-13);
  EXPECT_NEAR(m.kolmogorov, std::pow(nu * nu * nu / dissipation, 0.25), 1e-13);
  EXPECT_NEAR(m.resolution, 3 * m.kolmogorov, 1e-13);  // 12 points resolve |k| <= 3
  EXPECT_NEAR(m.taylor_reynolds, 2 * energy / 3 * std::sqrt(15 / (nu * dissipation)), 1e-9);
  EXPECT_TRUE(std::isnan(Turbulence(context, {.points = n, .viscosity = 0}).measure().kolmogorov));
}

// The dissipation of the Taylor-Green vortex in powers of t (Taylor and Green 1937), R = 1 / nu:
//   1 - 6 t/R + (5/48 + 18/R^2) t^2 - (5/3 + 36/R^2) t^3/R + (50/(99 64) + 1835/(9 16 R^2) + 54/R^4) t^4
//     - (361/(44 32) + 761/(12 R^2) + 324/(5 R^4)) t^5/R
TEST(Statistics, TaylorGreenBeginsAsItsSeries) {
  TestContext context;
  const double R = 20, R2 = R * R, R4 = R2 * R2;
  const auto error = [&](double end) {
    Turbulence flow(context, {.points = {32, 32, 32}, .viscosity = 1 / R, .dt = 0.0125});
    flow.start_taylor_green();
    while (flow.time() < end - 1e-9) flow.step();
    const double t = flow.time();
    const double series =
        1 + t * (-6 / R + t * (5.0 / 48 + 18 / R2 +
                               t * (-(5.0 / 3 + 36 / R2) / R +
                                    t * (50.0 / (99 * 64) + 1835 / (9 * 16 * R2) + 54 / R4 -
                                         t * (361.0 / (44 * 32) + 761 / (12 * R2) + 324 / (5 * R4)) / R))));
    return std::abs(flow.balance().dissipation / (0.75 / R) - series);
  };
  const double late = error(0.4), early = error(0.2);
  EXPECT_LT(early, 1e-6);
  EXPECT_GT(std::log2(late / early), 5.5);
}

}  // namespace
}  // namespace sc::test
