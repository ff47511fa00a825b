// SPDX-License-Identifier: Apache-2.0
// Reach: how far from its own cell a kernel reads, and the part of a halo that this needs.
#pragma once

#include <algorithm>

namespace sc {

struct Reach {
  int width = 0;         ///< layers
  bool corners = false;  ///< diagonal neighbours too

  /// What both need.
  friend constexpr Reach operator|(Reach a, Reach b) {
    return {std::max(a.width, b.width), (a.width > 0 && a.corners) || (b.width > 0 && b.corners)};
  }
  /// Whether a halo fresh to this reach serves a reader of `need`.
  constexpr bool covers(Reach need) const {
    return need.width <= width && (corners || !need.corners || need.width == 0);
  }
  friend constexpr bool operator==(Reach, Reach) = default;
};

constexpr Reach point{0, false};
constexpr Reach star(int width) { return {width, false}; }
constexpr Reach box(int width) { return {width, true}; }

}  // namespace sc
