// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2
// timeout: 300
// The solver's convection stage on a clustered and skewed grid, and the cavity flow on a skewed grid against
// that on a straight one.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "engine/move/output/gather.hpp"
#include "engine/stage/global_value.hpp"
#include "solvers/cavity/centreline.hpp"
#include "solvers/cavity/solver.hpp"
#include "solvers/cavity/sweeps.hpp"
#include "tests/mpi/test_context.hpp"

namespace {

using namespace sc;
using cavity::Vec3;

// Tanh-clustered and skewed, with the same mapping for every refinement; no element of dx/dxi vanishes.
Vec3 mapped(Vec3 s) {
  const double beta = 1.2, pi = std::acos(-1.0);
  for (double& t : s) t = 0.5 * (1 + std::tanh(beta * (2 * t - 1)) / std::tanh(beta));
  const double bump = 0.1 * std::sin(pi * s[0]) * std::sin(pi * s[1]) * std::sin(pi * s[2]);
  return {s[0] + bump, s[1] - 0.8 * bump, s[2] + 0.6 * bump};
}
// A velocity field without symmetry, and its gradient: slope[e][d] = d V_e / d x_d.
Vec3 wind(const Vec3& x) {
  return {1 + 0.3 * std::sin(2 * x[1] + 0.3) * std::cos(1.3 * x[0]), -0.7 + 0.4 * std::cos(1.5 * x[2] + x[0]),
          0.4 + 0.5 * std::sin(1.7 * x[0] - 0.2) * std::cos(0.9 * x[1])};
}
std::array<Vec3, 3> slope(const Vec3& x) {
  const double a = 2 * x[1] + 0.3, b = 1.3 * x[0], c = 1.5 * x[2] + x[0], d = 1.7 * x[0] - 0.2,
               e = 0.9 * x[1];
  return {Vec3{-0.39 * std::sin(a) * std::sin(b), 0.6 * std::cos(a) * std::cos(b), 0},
          Vec3{-0.4 * std::sin(c), 0, -0.6 * std::sin(c)},
          Vec3{0.85 * std::cos(d) * std::cos(e), -0.45 * std::sin(d) * std::sin(e), 0}};
}

// The field's value on the wall, and the solver's own extrapolation beyond it.
struct WindOnTheWall {
  void operator()(Border b, Out<double, 3> V, In<double, 3> x) const {
    const At w = b.ghost(1);
    const Vec3 here = wind({x[0][w], x[1][w], x[2][w]});
    for (int e = 0; e < 3; ++e) {
      const Out<double> q = V[e];
      q[w] = here[std::size_t(e)];
      q[b.ghost(2)] = 4 * (q[w] + q[b.inside(2)]) - 6 * q[b.inside(1)] - q[b.inside(3)];
    }
  }
};

struct Error2 {
  SC_FN std::array<double, 2> operator()(At c, In<double, 3> f, In<double, 3> x, In<double> J) const {
    const Vec3 here{x[0][c], x[1][c], x[2][c]}, V = wind(here);
    const std::array<Vec3, 3> grad = slope(here);
    double sum = 0;
    for (int e = 0; e < 3; ++e) {
      const double error = f[e][c] + cavity::dot(V, grad[std::size_t(e)]);
      sum += error * error;
    }
    return {J[c] * sum, J[c]};
  }
};

/// Volume-weighted root mean square error of (V . nabla) V, by the solver's stage without viscosity.
double convection_error(Context& context, int points, bool fourth, double alpha) {
  Runner runner(context, {});
  const Grid grid(context, {.cells = {points - 2, points - 2, points - 2}, .halo = 2});
  const auto at = [n = points - 1](Int3 c) {
    return mapped({double(c.x + 1) / n, double(c.y + 1) / n, double(c.z + 1) / n});
  };
  cavity::Mesh<double> mesh(grid, at, fourth, runner);
  cavity::Flow<double> flow(grid, Space::host);
  for (const Face face : all_faces) boundary(flow.V, face, WindOnTheWall{}, 0, reads(mesh.x.now(), box(1)));
  const Int3 origin = grid.origin();
  flow.V.fill([&](int e, int x, int y, int z) { return wind(at({x, y, z}))[std::size_t(e)]; });
  EXPECT_TRUE(origin.x >= 0);
  const auto accelerate = cavity::accelerate_stage(flow, mesh, 0.0, alpha);
  runner.run(*accelerate);
  Sweep error("error", Error2{}, SweepOptions{.reduce = Reduce::sum}, reads(flow.f.now()),
              reads(mesh.x.now()), reads(mesh.J.now()));
  runner.run(error);
  GlobalValue global(context);
  global.reduce(error.accumulators());
  return std::sqrt(global.value(0) / global.value(1));
}

TEST(CavityConvection, IsOfThirdOrderOnAClusteredAndSkewedGrid) {
  test::TestContext context;
  for (const double alpha : {1.0, 3.0}) {
    const double a = convection_error(context, 33, true, alpha),
                 b = convection_error(context, 65, true, alpha);
    if (context.rank() == 0) std::printf("alpha %g: %.3e %.3e, order %.2f\n", alpha, a, b, std::log2(a / b));
    EXPECT_GE(std::log2(a / b), 2.9) << alpha;
  }
}

TEST(CavityConvection, IsOfSecondOrderWithSecondOrderMetrics) {
  test::TestContext context;
  const double a = convection_error(context, 17, false, 1), b = convection_error(context, 33, false, 1);
  EXPECT_LT(std::log2(a / b), 2.3);
}

cavity::Profile profile(Context& context, int points, double skew) {
  cavity::CavityOptions o;
  o.points = {points, points, points};
  o.clustering = skew > 0 ? cavity::Clustering::skewed : cavity::Clustering::uniform;
  o.skew = skew;
  o.faces[5] = {cavity::FaceKind::moving, {.velocity = {1, 0, 0}}};
  o.dt = 5e-3;
  cavity::Cavity solver(context, o);
  for (int n = 0; n < 300; ++n) EXPECT_FALSE(solver.step().capped);
  solver.refresh_for_output();
  const auto values = [](const std::vector<std::byte>& bytes) {
    const auto* first = reinterpret_cast<const double*>(bytes.data());
    return std::vector<double>(first, first + bytes.size() / sizeof(double));
  };
  const cavity::Gathered flow{gathered_extent(solver.grid(), 1),
                              values(gather(solver.coordinates().storage(0), 1)),
                              values(gather(solver.velocity().storage(0), 1))};
  return context.rank() == 0 ? cavity::centreline(flow, 2, 0) : cavity::Profile{};
}

/// Interpolated through three neighbouring points, which is as accurate as the flow.
double value_at(const cavity::Profile& p, double z) {
  std::size_t k = 1;
  while (k + 2 < p.position.size() && p.position[k + 1] < z) ++k;
  double sum = 0;
  for (std::size_t a = k - 1; a <= k + 1; ++a) {
    double weight = 1;
    for (std::size_t b = k - 1; b <= k + 1; ++b)
      if (b != a) weight *= (z - p.position[b]) / (p.position[a] - p.position[b]);
    sum += weight * p.velocity[a];
  }
  return sum;
}

double difference(Context& context, int points) {
  const cavity::Profile straight = profile(context, points, 0), skewed = profile(context, points, 0.1);
  double worst = 0;
  for (std::size_t k = 0; k < straight.position.size(); ++k)
    worst = std::max(worst, std::abs(straight.velocity[k] - value_at(skewed, straight.position[k])));
  return worst;
}

// The remaining difference is the error of the two grids, of second order in the spacing.
TEST(CavityConvection, ACubesFlowDoesNotDependOnSkewingItsGrid) {
  test::TestContext context;
  const double coarse = difference(context, 14), fine = difference(context, 27);
  if (context.rank() != 0) return;
  std::printf("skewed against straight: %.2e at 14 points, %.2e at 27\n", coarse, fine);
  EXPECT_LT(fine, 6e-3);
  EXPECT_GT(coarse, 2.5 * fine);
}

}  // namespace
