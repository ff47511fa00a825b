// SPDX-License-Identifier: Apache-2.0
// Shapes of blocks and grids for launches.
#include "engine/exec/launch.hpp"

#include <algorithm>
#include <bit>

namespace sc {

Shape shape_of(Int3 extent) {
  constexpr int most_threads = 256, wide = 64, most_deep = 64;  // CUDA's limit along z
  constexpr int most_blocks = 65535;
  const auto power = [](int n, int most) {
    return std::min(most, static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::max(1, n)))));
  };
  Shape shape;
  shape.threads.x = power(extent.x, wide);
  shape.threads.y = power(extent.y, most_threads / shape.threads.x);
  shape.threads.z = power(extent.z, std::min(most_deep, most_threads / shape.threads.x / shape.threads.y));
  for (int axis = 0; axis < 3; ++axis)
    shape.blocks[axis] =
        std::min(most_blocks, (extent[axis] + shape.threads[axis] - 1) / shape.threads[axis]);
  return shape;
}

}  // namespace sc
