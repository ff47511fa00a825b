// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2
// Multigrid in a periodic box: it does not depend on where the box begins, because coarse cells across the
// periodic boundary are coupled like all others; nor on the proportions of the cells.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "solvers/cavity/mesh.hpp"
#include "solvers/cavity/poisson.hpp"
#include "solvers/cavity/solver.hpp"
#include "tests/mpi/test_context.hpp"

namespace {

using namespace sc;

/// The residual of four cycles on 32^3 cells: a source and, a quarter of the box further, a sink,
/// both `shift` cells from the beginning of the axis.
using Source = std::function<double(int, int, int)>;

/// The residual after `cycles` cycles from p = 0 in a periodic box.
double residual_after(Context& context, Int3 cells, int cycles, const Source& source) {
  cavity::CavityOptions options;
  options.points = cells;
  for (cavity::FaceOptions& face : options.faces) face.kind = cavity::FaceKind::periodic;
  options.pressure.fixed_iterations = cycles;
  Runner runner(context, options.engine);
  const Grid grid(context, {.cells = options.cells(), .periodic = options.periodic(), .halo = 2});
  cavity::Mesh<double> mesh(grid, cavity::analytic_points(options), false, runner);
  const auto poisson = cavity::make_poisson(mesh, options.pressure, runner);
  static_cast<Field<double>&>(poisson->b()).fill(source);
  return poisson->solve().residual;
}

double residual_of_four_cycles(Context& context, int axis, int shift) {
  constexpr int n = 32;
  return residual_after(context, {n, n, n}, 4, [&](int x, int y, int z) {
    const int along = (Int3{x, y, z}[axis] + shift) % n, beside = Int3{x, y, z}[(axis + 1) % 3];
    const double strength = beside / 4 == 2 ? 1.0 / (n * n * n) : 0.0;
    return along < 3 ? strength : along >= n / 4 && along < n / 4 + 3 ? -strength : 0.0;
  });
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

/// Cells are coupled 1/64 to 1/256 as strongly along the axis with few of them: only the other two are
/// halved.
TEST(CavityMultigrid, ConvergesInFlatBoxes) {
  test::TestContext context;
  for (int axis = 0; axis < 3; ++axis)
    for (const int few : {4, 8}) {
      Int3 cells{32, 32, 32};
      cells[axis] = few;
      // smooth across, alternating along the axis
      const Source source = [&](int x, int y, int z) {
        const Int3 at{x, y, z};
        const double across = std::sin(2 * std::numbers::pi * (at[(axis + 1) % 3] + 0.5) / 32);
        return (at[axis] % 2 ? 1 : -1) * (1 + across) / (32.0 * 32 * few);
      };
      const double before = residual_after(context, cells, 1, source),
                   after = residual_after(context, cells, 5, source);
      EXPECT_LT(after, 1e-3 * before) << axis << " " << few;
    }
}

}  // namespace
