// SPDX-License-Identifier: Apache-2.0
// make_cavity: checks the options, makes grid and mesh, and chooses precision and kind of grid once.
#include <cmath>

#include "solvers/cavity/flow_solver.hpp"

namespace sc::cavity {

namespace {

constexpr const char* face_names[6] = {"x-", "x+", "y-", "y+", "z-", "z+"};

/// Beside a wall the velocity is continued by the cubic through the wall and three cells of the same block.
void check_blocks(const Grid& grid) {
  for (int a = 0; a < 3; ++a)
    for (std::size_t b = 0; !grid.periodic()[a] && b + 1 < grid.cuts(a).size(); ++b)
      if (grid.cuts(a)[b + 1] - grid.cuts(a)[b] < 3)
        refuse("engine.split is " + to_string(grid.split()) + ", which leaves a block of " +
               std::to_string(grid.cuts(a)[b + 1] - grid.cuts(a)[b]) +
               " interior points between walls; 3 are needed");
}

template <class Real>
std::unique_ptr<Cavity> make(Context& context, const CavityOptions& options, const PointsOf& points_of_file) {
  auto runner = std::make_unique<Runner>(context, options.engine);
  const Grid grid(
      context, {.cells = options.cells(), .periodic = options.periodic(), .halo = 2, .split = options.split});
  check_blocks(grid);
  const Points points =
      options.clustering == Clustering::file ? points_of_file(grid) : analytic_points(options);
  auto mesh =
      std::make_unique<Mesh<Real>>(grid, points, options.fourth_order_metrics, *runner, options.space);
  if (mesh->orthogonal())
    return std::make_unique<FlowSolver<Real, false>>(options, std::move(runner), std::move(mesh));
  return std::make_unique<FlowSolver<Real, true>>(options, std::move(runner), std::move(mesh));
}

}  // namespace

void check(const CavityOptions& options) {
  const Int3 n = options.cells();
  for (int a = 0; a < 3; ++a)
    if (n[a] < 4)
      refuse("grid.points is " + to_string(options.points) +
             "; every axis needs at least 4 interior points (6 points between walls)");
  if (!(options.reynolds > 0))
    refuse("flow.reynolds is " + std::to_string(options.reynolds) + "; it must be positive");
  for (std::size_t a = 0; a < 3; ++a) {
    const auto periodic = [&](std::size_t f) { return options.faces[f].kind == FaceKind::periodic; };
    if (periodic(2 * a) != periodic(2 * a + 1))
      refuse(std::string("boundaries: ") + face_names[2 * a] + " and " + face_names[2 * a + 1] +
             " must both be periodic or both not");
    for (std::size_t f = 2 * a; f < 2 * a + 2; ++f)
      if (options.faces[f].kind == FaceKind::moving && options.faces[f].motion.velocity[a] != 0 &&
          options.clustering != Clustering::file)
        refuse(std::string("boundaries.") + face_names[f] +
               " moves through itself: its velocity along the normal must be 0");
  }
  const PressureOptions& p = options.pressure;
  if (p.fixed_iterations == 0 && !(p.tolerance > 0))
    refuse("pressure.tolerance is " + std::to_string(p.tolerance) + "; it must be positive");
  if (p.method == Method::sor && !(p.relaxation >= 0 && p.relaxation < 2))
    refuse("pressure.relaxation is " + std::to_string(p.relaxation) +
           "; over-relaxation lies between 0 and 2");
  const Bool3 periodic = options.periodic();
  for (int a = 0; p.method == Method::sor && a < 3; ++a)
    if (periodic[a] && n[a] % 2 != 0)
      refuse("grid.points has " + std::to_string(n[a]) +
             " points along a periodic axis; the colours of sor need an even number");
}

std::unique_ptr<Cavity> make_cavity(Context& context, const CavityOptions& options,
                                    const PointsOf& points_of_file) {
  check(options);
  if (options.clustering == Clustering::file && !points_of_file)
    refuse("grid.clustering is \"file\", but nobody here reads grid files");
  return options.single ? make<float>(context, options, points_of_file)
                        : make<double>(context, options, points_of_file);
}

}  // namespace sc::cavity
