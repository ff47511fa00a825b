// SPDX-License-Identifier: Apache-2.0
// Placed: where a position lies between the points of a grid. Points at equal distances give it by division;
// on other grids the cell is searched in which the trilinear map of its corners reaches the position.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "engine/field/storage.hpp"

namespace sc {

using Position = std::array<double, 3>;

/// A cell between points, and the position in it.
struct Placed {
  Int3 corner;  ///< the point with the lowest indices; on a periodic axis the last is followed by the first
  Position part{};  ///< along each axis, from 0 at this corner to 1 at the next point, up to rounding
};

/// Values at the corners of a cell; bit a of the number is 1 at the upper end of axis a.
using CornerValues = std::array<double, 8>;

/// At part 0 or 1 the value of the corner, exactly.
inline double trilinear(const CornerValues& v, const Position& part) {
  const auto between = [&](double a, double b, std::size_t axis) {
    return (1 - part[axis]) * a + part[axis] * b;
  };
  const double low = between(between(v[0], v[1], 0), between(v[2], v[3], 0), 1);
  const double high = between(between(v[4], v[5], 0), between(v[6], v[7], 0), 1);
  return between(low, high, 2);
}

/// The points between which positions lie: the cells of a grid.
struct GridPoints {
  GridPoints(const Grid& of, int more = 0) : grid(of), layers(more), periodic(of.periodic()) {}
  GridPoints(const Grid& of, int more, Bool3 repeated) : grid(of), layers(more), periodic(repeated) {}
  Grid grid;
  int layers;      ///< of the halo beyond physical faces that are points too
  Bool3 periodic;  ///< also where the grid does not know, because no halo is exchanged
};

/// Point (i, j, k) is at origin + (i, j, k) spacing.
struct EvenPoints {
  Position origin{}, spacing = {1, 1, 1};
};

/// Throws Error (bad_input) that calls position n key[n] if it lies outside of the points. A periodic axis is
/// one period long, from the first point on, or from 0 where that is half a spacing.
std::vector<Placed> place_between(const GridPoints& points, const EvenPoints& even,
                                  std::span<const Position> positions, const std::string& key);

/// The same for points with these coordinates, whose halo must hold the neighbours' points, and at the end of
/// a periodic axis the continued grid. Of several cells that contain a position it is in the first.
/// Collective.
std::vector<Placed> place_between(const GridPoints& points, Storage& coordinates,
                                  std::span<const Position> positions, const std::string& key);

}  // namespace sc
