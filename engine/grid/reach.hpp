// SPDX-License-Identifier: Apache-2.0
// Reach: how far from its own cell a kernel reads, and the part of a halo that it needs.
#pragma once

#include <algorithm>

namespace sc {

struct Reach {
  int width = 0;     ///< layers along the axes
  int diagonal = 0;  ///< layers of edges and corners, at most width

  /// The smallest reach that contains both.
  friend constexpr Reach operator|(Reach a, Reach b) {
    return {std::max(a.width, b.width), std::max(a.diagonal, b.diagonal)};
  }
  /// Whether a halo that is fresh to this reach is sufficient for a reader with reach `need`.
  constexpr bool covers(Reach need) const { return need.width <= width && need.diagonal <= diagonal; }
  friend constexpr bool operator==(Reach, Reach) = default;
};

constexpr Reach point{0, 0};
constexpr Reach star(int width) { return {width, 0}; }
constexpr Reach box(int width) { return {width, width}; }

}  // namespace sc
