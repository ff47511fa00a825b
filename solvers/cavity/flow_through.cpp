// SPDX-License-Identifier: Apache-2.0
// FlowThrough: sums over the points of open faces, whose bits do not depend on the decomposition.
#include "solvers/cavity/flow_through.hpp"

#include <algorithm>
#include <cmath>

#include "engine/stage/global_value.hpp"
#include "solvers/cavity/conditions.hpp"

namespace sc::cavity {

FlowThrough flow_through(Field<double, 3>& x, const CavityOptions& o) {
  const Grid& grid = x.grid();
  const In<double, 3> points = x.read();
  std::array<Accumulator, 2> sums{Accumulator(Reduce::sum), Accumulator(Reduce::sum)};
  double fastest = 0;
  for_each_face([&](Face face, std::size_t f) {
    const FaceRows rows = face_rows(o, face.axis);
    const double outward = face.side == 0 ? -1 : 1;
    if (o.faces[f].kind == FaceKind::inflow) {
      const InflowProfile profile = profile_of(o, f);
      each_point_of(grid, face, [&](At p, Index g) {
        const Vec3 V = profile.at({points[0][p], points[1][p], points[2][p]});
        const double rate = -outward * rows.flux(points, p, g, V);
        sums[0].add(&rate, 1);
        const Metric m = metric2(points, p);
        for (const Vec3& grad : m.grad) fastest = std::max(fastest, std::abs(dot(V, grad)));
      });
    }
    if (o.faces[f].kind == FaceKind::outflow)
      each_point_of(grid, face, [&](At p, Index g) {
        Vec3 normal{};
        normal[std::size_t(face.axis)] = 1;
        const double area = rows.flux(points, p, g, normal) - rows.flux(points, p, g, {});
        sums[1].add(&area, 1);
      });
  });
  Accumulator most(Reduce::max);
  most.add(&fastest, 1);
  GlobalValue global(grid.context());
  FlowThrough open{.inflow_rate = global.reduce(sums), .outflow_area = global.value(1)};
  open.fastest_inflow = global.reduce({&most, 1});
  return open;
}

}  // namespace sc::cavity
