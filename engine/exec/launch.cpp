// SPDX-License-Identifier: Apache-2.0
// Shapes of blocks and grids for launches.
#include "engine/exec/launch.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace sc {

Shape shape_of(Int3 extent) {
  constexpr int most_threads = Shape::most_threads, wide = 64, most_deep = 64;  // CUDA's limit along z
  constexpr int enough = 4096, most_planes = 16;  // blocks that occupy a device; places along z
  const auto power = [](int n, int most) {
    return std::min(most, static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::max(1, n)))));
  };
  const auto divided = [](int n, int by) { return (n + by - 1) / by; };
  Shape shape;
  shape.threads.x = power(extent.x, wide);
  shape.threads.y = power(extent.y, most_threads / shape.threads.x);
  shape.threads.z = power(extent.z, std::min(most_deep, most_threads / shape.threads.x / shape.threads.y));
  for (int axis = 0; axis < 3; ++axis) shape.blocks[axis] = divided(extent[axis], shape.threads[axis]);
  const std::int64_t blocks = std::int64_t{shape.blocks.x} * shape.blocks.y * shape.blocks.z;
  shape.planes = static_cast<int>(std::clamp<std::int64_t>(blocks / enough, 1, most_planes));
  shape.blocks.z = divided(shape.blocks.z, shape.planes);
  return shape;
}

}  // namespace sc
