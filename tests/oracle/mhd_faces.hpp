// SPDX-License-Identifier: Apache-2.0
// Oracle of the magnetosphere solver: one set of points, and its values beyond the faces of the box, found by
// going back to the point from which they follow. Written from the solver's description, without its kernels.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace sc::oracle {

enum Variable { rho, vx, vy, vz, pr, bx, by, bz, variables };
enum class Beyond { periodic, wind, free, oblique, mirror, equator };

using Cell = std::array<int, 3>;
using Vector = std::array<double, 3>;
using State = std::array<double, variables>;

/// Nodes, or the centres half a spacing beyond them along every axis.
struct Plasma {
  bool centres = false;
  std::array<std::vector<double>, variables> values;
};

struct Faces {
  Cell n{};
  std::array<Beyond, 6> kinds{};  // x-, x+, y-, y+, z-, z+
  State wind{};

  std::size_t index(Cell c) const { return std::size_t(c[0] + n[0] * (c[1] + n[1] * c[2])); }

  /// Variable v at any point. Conditions hold along x, then y, then z, each also beyond the faces of the axes
  /// before it: a point beyond several faces goes back along the last axis first.
  double value(const Plasma& q, std::size_t v, Cell c) const {
    double sign = 1;
    for (std::size_t axis = 3; axis-- > 0;) {
      const int last = n[axis] - 1;
      const bool high = c[axis] > last;
      if (c[axis] >= 0 && !high) continue;
      switch (const Beyond kind = kinds[2 * axis + (high ? 1 : 0)]) {
        case Beyond::periodic:
          c[axis] = (c[axis] % n[axis] + n[axis]) % n[axis];
          break;
        case Beyond::wind:
          return sign * wind[v];
        case Beyond::oblique:  // a wave that leaves at 45 degrees to the wind was one spacing upstream
          c[0] -= 1;
          [[fallthrough]];
        case Beyond::free:
          c[axis] = high ? last : 0;
          break;
        case Beyond::mirror:
        case Beyond::equator:
          if (reversed(v, axis, kind)) sign = -sign;
          // the plane, through the first or last node, is midway between x = c (or c + 1/2) and its image
          c[axis] = 2 * (high ? last : 0) - c[axis] - (q.centres ? 1 : 0);
      }
    }
    return sign * q.values[v][index(c)];
  }

  /// Both reflect the velocity. A mirror reflects the field too, so that none of it crosses the plane; an
  /// equator reflects it with the other sign, so that none of it lies in the plane.
  static bool reversed(std::size_t v, std::size_t axis, Beyond kind) {
    if (v == rho || v == pr) return false;
    if (v < bx) return v - vx == axis;
    return (v - bx == axis) == (kind == Beyond::mirror);
  }
};

}  // namespace sc::oracle
