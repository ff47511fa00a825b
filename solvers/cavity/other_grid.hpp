// SPDX-License-Identifier: Apache-2.0
// OtherGrid: another structured grid of the same box, e.g. a coarser one. It finds the indices of positions,
// and interpolates a flow to them.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/grid/box.hpp"
#include "solvers/cavity/metrics.hpp"

namespace sc::cavity {

/// Values [component][z][y][x] at the points of a box.
using BoxValues = std::vector<double>;

/// A flow on another grid. The functions are collective; every rank passes the box that it needs, which may
/// be empty.
struct OtherFlow {
  std::string name;  ///< for error messages
  Int3 points;       ///< including walls
  std::function<BoxValues(const Box&)> coordinates, velocity, pressure;
};

/// The points of another grid that a rank has. Along periodic axes it has all, and the grid continues by
/// `period`; the other axes extend from wall to wall.
class OtherGrid {
 public:
  OtherGrid(Int3 points, Bool3 periodic, const std::array<Vec3, 3>& period);

  /// A first guess of the part that contains `own`, a box of a grid with this number of cells.
  Box part_around(const Box& own, Int3 cells) const;
  Box grown(const Box& part) const;
  bool whole(const Box& part) const;
  void take(const Box& part, BoxValues coordinates);
  /// Whether the last point along a periodic axis is the image of the first one: then the grid has walls
  /// there.
  bool closed(int axis) const;

  /// The indices of a position, by Newton's method from a guess. Nothing if it does not converge, or the part
  /// lacks a point that is needed in an iteration.
  std::optional<Vec3> find(const Vec3& place, const Vec3& guess) const;
  /// The indices of the point of the part nearest to a position.
  Vec3 nearest(const Vec3& place) const;
  /// One component of the part's values, interpolated at some indices.
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
