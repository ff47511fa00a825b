// SPDX-License-Identifier: Apache-2.0
// OtherGrid: a structured grid of the same box, e.g. a coarser one, on which places are looked up and a flow
// is interpolated to them.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/grid/box.hpp"
#include "solvers/cavity/metrics.hpp"

namespace sc::cavity {

/// [component][z][y][x] of the points of a box.
using BoxValues = std::vector<double>;

/// Where a flow on another grid comes from. The functions are collective; every rank names the box that it
/// wants, which may be empty.
struct OtherFlow {
  std::string name;  ///< for sentences: what it is
  Int3 points;       ///< walls included
  std::function<BoxValues(const Box&)> coordinates, velocity, pressure;
};

/// The points that a rank has of another grid. Along periodic axes it has all, and the grid goes on by
/// `period`; the other axes go from wall to wall.
class OtherGrid {
 public:
  OtherGrid(Int3 points, Bool3 periodic, const std::array<Vec3, 3>& period);

  /// A first guess of the part that `own` lies in, a box of a grid with this number of cells.
  Box part_around(const Box& own, Int3 cells) const;
  Box grown(const Box& part) const;
  bool whole(const Box& part) const;
  void take(const Box& part, BoxValues coordinates);
  /// Whether the grid comes back to where it began along a periodic axis: it has walls there.
  bool closed(int axis) const;

  /// The indices of a place, by Newton's method from a guess; nothing where it is not found or the part
  /// lacks a point that was wanted on the way.
  std::optional<Vec3> find(const Vec3& place, const Vec3& guess) const;
  /// The indices of the point of the part that is nearest to a place.
  Vec3 nearest(const Vec3& place) const;
  /// One component of the part's values at some indices.
  double value(const BoxValues& values, int component, const Vec3& indices) const;

 private:
  class Stencil;
  Vec3 held(const Vec3& indices) const;

  Int3 points_;
  Bool3 periodic_;
  std::array<Vec3, 3> period_;
  Box part_{};
  BoxValues x_;
};

}  // namespace sc::cavity
