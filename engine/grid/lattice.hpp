// SPDX-License-Identifier: Apache-2.0
// Lattice: the cells of one colour. Colours depend on the parity of global indices, so they do not depend on
// the decomposition.
#pragma once

#include "engine/grid/box.hpp"

namespace sc {

/// No two cells of a colour are within each other's reach: 2 colours for 7 points, 4 for 19, 8 for 27; 1
/// means all cells.
struct Lattice {
  int colours = 1;
  int colour = 0;

  /// The cells of a row that have this colour: the first is `first` cells from the start of the row, then
  /// every `step`; none if step = 0.
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
  /// Number of cells of this colour among the first `count` cells of a row.
  static constexpr int cells(Run run, int count) {
    return run.step == 0 || count <= run.first ? 0 : (count - run.first + run.step - 1) / run.step;
  }
  /// Number of cells of this colour in a box in global coordinates.
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
