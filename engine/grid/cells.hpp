// SPDX-License-Identifier: Apache-2.0
// each_cell: the loop of the host over single cells, where speed does not matter; kernels use for_each().
#pragma once

#include "engine/grid/box.hpp"

namespace sc {

/// f(cell) for each cell of a box, x first, then y, then z.
template <class F>
void each_cell(const Box& box, const F& f) {
  for (int z = box.lo.z; z < box.hi.z; ++z)
    for (int y = box.lo.y; y < box.hi.y; ++y)
      for (int x = box.lo.x; x < box.hi.x; ++x) f(Int3{x, y, z});
}

}  // namespace sc
