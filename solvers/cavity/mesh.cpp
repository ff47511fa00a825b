// SPDX-License-Identifier: Apache-2.0
// Mesh: mappings, the layer beyond the walls, metrics computed by stages.
#include "solvers/cavity/mesh.hpp"

#include <cmath>
#include <numbers>

#include "engine/grid/cells.hpp"

namespace sc::cavity {

namespace {

/// Finds by bisection beta of X(s) = (1 + tanh(beta (2 s - 1)) / tanh(beta)) / 2 with side X(1 / intervals) =
/// spacing.
double tanh_parameter(int intervals, double spacing, double side) {
  const double smallest = spacing / side;
  if (!(smallest > 0) || smallest > 1.0 / intervals)
    refuse("grid.smallest is " + std::to_string(spacing) + "; with " + std::to_string(intervals) +
           " intervals it must be above 0 and at most " + std::to_string(side / intervals));
  double low = 1e-6, high = 20;
  for (int it = 0; it < 200; ++it) {
    const double beta = 0.5 * (low + high);
    const double first = 0.5 * (1 + std::tanh(beta * (2.0 / intervals - 1)) / std::tanh(beta));
    (first > smallest ? low : high) = beta;
  }
  return 0.5 * (low + high);
}

/// A mapping that is skewed in the interior and leaves the unit box unchanged; all nine derivatives are
/// non-zero.
Vec3 skewed(Vec3 X, double skew, Bool3 periodic) {
  double bump = skew;
  for (int d = 0; d < 3; ++d)  // smooth across a period too
    bump *= std::sin((periodic[d] ? 2 : 1) * std::numbers::pi * X[std::size_t(d)]);
  return {X[0] + bump, X[1] - 0.8 * bump, X[2] + 0.6 * bump};
}

/// The layer beyond a wall extrapolates the quartic through the five points nearest the wall. So the central
/// fourth-order difference at the first interior point equals the one-sided five-point formula.
Vec3 continued(const Points& points, Int3 n, Bool3 periodic, Int3 c) {
  for (int d = 0; d < 3; ++d) {
    if (periodic[d] || (c[d] >= -1 && c[d] <= n[d])) continue;
    const int inward = c[d] < -1 ? 1 : -1;
    const auto at = [&](int steps) {
      Int3 q = c;
      q[d] += steps * inward;
      return continued(points, n, periodic, q);
    };
    const Vec3 a = at(1), b = at(2), e = at(3), f = at(4), g = at(5);
    Vec3 out;
    for (std::size_t k = 0; k < 3; ++k) out[k] = 5 * (a[k] - f[k]) - 10 * (b[k] - e[k]) + g[k];
    return out;
  }
  return points(c);
}

}  // namespace

Points analytic_points(const CavityOptions& options) {
  const Int3 n = options.cells();
  const Bool3 periodic = options.periodic();
  Vec3 beta{};
  for (int d = 0; d < 3; ++d)
    if (options.clustering == Clustering::tanh && !periodic[d])
      beta[std::size_t(d)] = tanh_parameter(n[d] + 1, options.smallest, options.size[std::size_t(d)]);
  const double skew = options.clustering == Clustering::skewed ? options.skew : 0.0;
  return [=, size = options.size](Int3 c) {
    Vec3 s;
    for (int d = 0; d < 3; ++d) {
      const auto k = std::size_t(d);
      s[k] = periodic[d] ? double(c[d]) / n[d] : double(c[d] + 1) / (n[d] + 1);
      if (beta[k] > 0) s[k] = 0.5 * (1 + std::tanh(beta[k] * (2 * s[k] - 1)) / std::tanh(beta[k]));
    }
    if (skew != 0) s = skewed(s, skew, periodic);
    return Vec3{size[0] * s[0], size[1] * s[1], size[2] * s[2]};
  };
}

template <class Real>
Mesh<Real>::Mesh(const Grid& grid, const Points& points, bool fourth_order, Runner& runner, Space space)
    : x(grid, "coordinates", {.space = space}),
      J(grid, "jacobian", {.space = space}),
      grad(grid, "metrics", {.space = space}),
      face(grid, "face metrics", {.space = space}),
      edge(grid, "edge metrics", {.space = space}),
      space_(space) {
  if (fourth_order) fourth_.emplace(grid, "fourth-order metrics", FieldOptions{.space = space});
  place(points);
  for (int axis = 0; axis < 3; ++axis) {
    boundary(face, {axis, 1}, FaceMetrics<Real>{}, 0, reads(x.now(), box(1)));
    boundary(edge, {axis, 1}, EdgeMetrics<Real>{}, 0, reads(x.now(), box(1)));
  }
  x.boundaries().leave_others(Beyond::given);  // the mapping sets it
  face.boundaries().leave_others(Beyond::unread);
  edge.boundaries().leave_others(Beyond::unread);
  Sweep cell_metrics("cell metrics", CellMetrics<Real>{}, writes(J.now()), writes(grad.now()),
                     reads(x.now(), star(1)));
  Sweep face_metrics("face metrics", FaceMetrics<Real>{}, writes(face.now()), reads(x.now(), box(1)));
  Sweep edge_metrics("edge metrics", EdgeMetrics<Real>{}, writes(edge.now()), reads(x.now(), box(1)));
  runner.run(cell_metrics);
  runner.run(face_metrics);
  runner.run(edge_metrics);
  if (fourth_) {
    Sweep fourth("fourth-order metrics", FourthOrderMetrics<Real>{}, writes(fourth_->now()),
                 reads(x.now(), star(2)));
    runner.run(fourth);
  }
  runner.refresh(face.now(), box(1));
  runner.refresh(edge.now(), box(1));
  examine(runner);
}

template <class Real>
void Mesh<Real>::place(const Points& points) {
  const Grid& grid = x.grid();
  const Int3 origin = grid.origin();
  constexpr int layers = 2;  // that metrics read; further layers are for passes of several sweeps
  const Box all = grid.own().grown({layers, layers, layers});
  const Out<double, 3> out = x.modify();
  each_cell(all, [&](Int3 c) {
    const Vec3 p = continued(points, grid.cells(), grid.periodic(), origin + c);
    for (int e = 0; e < 3; ++e) out[e].base[grid.layout().offset(c)] = p[std::size_t(e)];
  });
  // The mapping also gives the points of the halo. These must not be exchanged: beyond a periodic boundary
  // the coordinates continue.
  x.storage(0).set_fresh(box(layers));
}

template class Mesh<double>;
template class Mesh<float>;

}  // namespace sc::cavity
