// SPDX-License-Identifier: Apache-2.0
// Grids between two cylinders, 1 <= r <= 2, as mappings of the unit box: points for the solver and for the
// serial reference.
#pragma once

#include <cmath>
#include <numbers>

#include "solvers/cavity/solver.hpp"

namespace sc::test {

/// theta = 2 pi Y + twist X: straight radii, or grid lines that meet the cylinders obliquely.
struct Annulus {
  double twist = 0, depth = 1;
  std::array<double, 3> operator()(std::array<double, 3> s) const {
    const double r = 1 + s[0], angle = 2 * std::numbers::pi * s[1] + twist * s[0];
    return {r * std::cos(angle), r * std::sin(angle), depth * s[2]};
  }
};

/// The points of a mapping of the unit box in the solver's indices: walls are -1 and n.
template <class Mapping>
cavity::PointsOf points_of(Mapping map) {
  return [map](const Grid& grid) {
    return [map, n = grid.cells(), periodic = grid.periodic()](Int3 c) {
      std::array<double, 3> s;
      for (int d = 0; d < 3; ++d)
        s[std::size_t(d)] = periodic[d] ? double(c[d]) / n[d] : double(c[d] + 1) / (n[d] + 1);
      return map(s);
    };
  };
}

/// Walls along x (the radius) that rotate about z; y and z are periodic.
inline cavity::CavityOptions between_cylinders(Int3 points, double inner_spin, double outer_spin) {
  cavity::CavityOptions o;
  o.points = points;
  o.clustering = cavity::Clustering::file;
  for (std::size_t f = 2; f < 6; ++f) o.faces[f].kind = cavity::FaceKind::periodic;
  o.faces[0] = {cavity::FaceKind::moving, {.spin = {0, 0, inner_spin}}};
  o.faces[1] = {cavity::FaceKind::moving, {.spin = {0, 0, outer_spin}}};
  return o;
}

}  // namespace sc::test
