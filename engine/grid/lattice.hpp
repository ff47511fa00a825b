// SPDX-License-Identifier: Apache-2.0
// Lattice: the cells of one colour. Colours come from the parity of global indices, so they do not depend on
// the split.
#pragma once

#include "engine/grid/box.hpp"

namespace sc {

/// Cells of which no two lie within each other's reach: 2 colours serve 7 points, 4 serve 19, 8 serve 27; 1
/// is all cells.
struct Lattice {
  int colours = 1;
  int colour = 0;

  /// Cells of a row that belong to it: the first is `first` cells from the row's start, then every `step`;
  /// none if step = 0.
  struct Run {
    int first = 0;
    int step = 1;
  };
  constexpr Run run(int x, int y, int z) const {
    const int a = colour & 1;
    const int b = (colour >> 1) & 1;
    const int c = (colour >> 2) & 1;
    int parity = 0;  // of x
    switch (colours) {
      case 1:
        return {0, 1};
      case 2:
        parity = y ^ z ^ a;
        break;  // (x + y + z) mod 2 = colour
      case 4:   // opposite corners of the parity cube share a colour
        if (((y ^ z ^ a ^ b) & 1) != 0) return {0, 0};
        parity = y ^ a;
        break;
      default:
        if (((y ^ b) & 1) != 0 || ((z ^ c) & 1) != 0) return {0, 0};
        parity = a;
    }
    return {(x ^ parity) & 1, 2};
  }
  /// How many of `count` cells of a row from its start on.
  static constexpr int cells(Run run, int count) {
    return run.step == 0 || count <= run.first ? 0 : (count - run.first + run.step - 1) / run.step;
  }
  /// How many cells of a box in global coordinates.
  constexpr std::int64_t cells(const Box& global) const {
    if (colours == 1) return global.cells();
    std::int64_t sum = 0;
    for (int z = global.lo.z; z < global.hi.z; ++z)
      for (int y = global.lo.y; y < global.hi.y; ++y) sum += cells(run(global.lo.x, y, z), global.extent().x);
    return sum;
  }
  friend constexpr bool operator==(const Lattice&, const Lattice&) = default;
};

}  // namespace sc
