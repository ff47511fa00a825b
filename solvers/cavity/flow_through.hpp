// SPDX-License-Identifier: Apache-2.0
// FlowThrough: the flow rate and the area of the faces of inflow and outflow, computed once on the host.
#pragma once

#include "engine/grid/cells.hpp"
#include "solvers/cavity/options.hpp"

namespace sc::cavity {

struct FlowThrough {
  double inflow_rate = 0;     ///< volume per unit time through all faces of inflow
  double outflow_area = 0;    ///< change of what leaves by a unit of velocity along the normal of all faces
                              ///< of outflow
  double fastest_inflow = 0;  ///< max |U^d| of inflow, in cells per unit time
};

/// Collective. `x`: the points, halo included.
FlowThrough flow_through(Field<double, 3>& x, const CavityOptions& options);

/// use(point of the face, position of its cell on the grid), for the part of a face that this rank has.
template <class Use>
void each_point_of(const Grid& grid, Face face, const Use& use) {
  if (!grid.physical(face)) return;
  const Layout& layout = grid.layout();
  Box points = grid.own();
  points.lo[face.axis] = face.side == 0 ? -1 : points.hi[face.axis];
  points.hi[face.axis] = points.lo[face.axis] + 1;
  each_cell(points, [&](Int3 c) {
    const Int3 g = grid.origin() + c;
    use(At{layout.offset(c), layout.sy, layout.sz}, Index{g.x, g.y, g.z});
  });
}

}  // namespace sc::cavity
