// SPDX-License-Identifier: Apache-2.0
// Reach: how far from its own cell a kernel reads, and the part of a halo that this needs.
#pragma once

#include <algorithm>

namespace sc {

struct Reach {
  int width = 0;     ///< layers along the axes
  int diagonal = 0;  ///< layers of edges and corners, at most width

  /// What both need.
  friend constexpr Reach operator|(Reach a, Reach b) {
    return {std::max(a.width, b.width), std::max(a.diagonal, b.diagonal)};
  }
  /// Whether a halo fresh to this reach serves a reader of `need`.
  constexpr bool covers(Reach need) const { return need.width <= width && need.diagonal <= diagonal; }
  friend constexpr bool operator==(Reach, Reach) = default;
};

constexpr Reach point{0, 0};
constexpr Reach star(int width) { return {width, 0}; }
constexpr Reach box(int width) { return {width, width}; }

}  // namespace sc
