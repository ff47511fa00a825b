// SPDX-License-Identifier: Apache-2.0
// Walls: the position of a cell relative to the faces of the domain, and how the rows of cells beside them
// end.
#pragma once

#include <array>

#include "engine/subcurrent.hpp"

namespace sc::cavity {

/// The control volume of a cell beside a wall extends from the wall to 3/2, so that its outer flux is exactly
/// zero. Tangential fluxes of that row are the integral over [0, 3/2] of the linear profile through wall and
/// cell: 9/8 of the cell's value and 3/8 of the wall's.
constexpr double row_weight = 9.0 / 8, wall_weight = 3.0 / 8;

/// How the row of cells beside a face ends. The weights are those of the cell and of the face in the row's
/// integral of tangential fluxes.
struct RowEnd {
  double weight = row_weight, share = wall_weight;
  bool given = false;  ///< the pressure on the face is given, so that the cell is coupled to it
};
/// The profile has no slope at the face: 3/2 of the cell's value.
constexpr RowEnd slip_end{row_weight + wall_weight, 0, false};
/// The row ends half a cell before the face, as between two cells.
constexpr RowEnd pressure_end{1, 0, true};

/// The faces that are not periodic.
struct Walls {
  Int3 cells;  ///< global
  Bool3 periodic;
  std::array<RowEnd, 6> ends{};  ///< x-, x+, y-, y+, z-, z+

  SC_FN static std::int64_t along(Index g, int axis) { return axis == 0 ? g.x : axis == 1 ? g.y : g.z; }
  SC_FN bool at_low(Index g, int axis) const { return !periodic[axis] && along(g, axis) == 0; }
  SC_FN bool at_high(Index g, int axis) const { return !periodic[axis] && along(g, axis) == cells[axis] - 1; }
  SC_FN bool at(Index g, Face face) const {
    return face.side == 0 ? at_low(g, face.axis) : at_high(g, face.axis);
  }
  /// Whether the neighbour at `side` (-1 or 1) along the axis has an unknown.
  SC_FN bool inside(Index g, int axis, int side) const {
    return side < 0 ? !at_low(g, axis) : !at_high(g, axis);
  }
  /// Beside the low (0) or high (1) face of an axis.
  SC_FN const RowEnd& end(int axis, int side) const {
    return ends[static_cast<std::size_t>(2 * axis + side)];
  }
};

/// The weight of the row of the cell along one axis.
SC_FN double weight_across(const Walls& walls, Index g, int axis) {
  double w = walls.at_low(g, axis) ? walls.end(axis, 0).weight : 1.0;
  return walls.at_high(g, axis) ? w * walls.end(axis, 1).weight : w;
}

}  // namespace sc::cavity
