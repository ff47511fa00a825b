// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2
// Multigrid in a periodic box does not depend on where the box begins: coarse cells across the periodic
// boundary are coupled like all others.
#include <gtest/gtest.h>

#include "solvers/cavity/mesh.hpp"
#include "solvers/cavity/poisson.hpp"
#include "solvers/cavity/solver.hpp"
#include "tests/mpi/test_context.hpp"

namespace {

using namespace sc;

/// The residual of four cycles from p = 0 on 32^3 cells: a source and, a quarter of the box further, a sink,
/// both `shift` cells from the beginning of the axis.
double residual_of_four_cycles(Context& context, int axis, int shift) {
  constexpr int n = 32;
  cavity::CavityOptions options;
  options.points = {n, n, n};
  for (cavity::FaceOptions& face : options.faces) face.kind = cavity::FaceKind::periodic;
  options.pressure.fixed_iterations = 4;
  Runner runner(context, options.engine);
  const Grid grid(context, {.cells = options.cells(), .periodic = options.periodic(), .halo = 2});
  cavity::Mesh<double> mesh(grid, cavity::analytic_points(options), false, runner);
  const auto poisson = cavity::make_poisson(mesh, options.pressure, runner);
  static_cast<Field<double>&>(poisson->b()).fill([&](int x, int y, int z) {
    const int along = (Int3{x, y, z}[axis] + shift) % n, beside = Int3{x, y, z}[(axis + 1) % 3];
    const double strength = beside / 4 == 2 ? 1.0 / (n * n * n) : 0.0;
    return along < 3 ? strength : along >= n / 4 && along < n / 4 + 3 ? -strength : 0.0;
  });
  return poisson->solve().residual;
}

TEST(CavityMultigrid, ConvergesAlikeWhereverThePeriodBegins) {
  test::TestContext context;
  for (int axis = 0; axis < 3; ++axis) {
    // A shift by half of the box is one by whole cells of every level that has more than one.
    const double here = residual_of_four_cycles(context, axis, 0),
                 there = residual_of_four_cycles(context, axis, 16);
    EXPECT_GT(here, 0);
    EXPECT_NEAR(here, there, 1e-3 * here) << "axis " << axis;
  }
}

}  // namespace
