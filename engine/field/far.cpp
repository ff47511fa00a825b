// SPDX-License-Identifier: Apache-2.0
// Far: the strips.
#include "engine/field/far.hpp"

#include <algorithm>

#include "engine/field/storage.hpp"

namespace sc {

Far::Far(const Grid& grid, const std::string& name, ElementType type, int components) {
  const int h = grid.halo();
  const auto size = static_cast<std::ptrdiff_t>(size_of(type));
  const Int3 n = grid.own().extent();
  const auto strip = [&](const Box& box) {
    const Int3 e = box.empty() ? Int3{} : box.extent();
    const std::ptrdiff_t row = e.x * size, plane = e.y * row, all = e.z * plane;
    std::byte* first = memory_.emplace_back(static_cast<std::size_t>(all * components) + 1).data();
    const ExternalCells cells{.base = first - (box.lo.x * size + box.lo.y * row + box.lo.z * plane),
                              .y = row,
                              .z = plane,
                              .component = all,
                              .cell_bytes = static_cast<std::size_t>(size),
                              .low = {h, h, h},
                              .high = {h, h, h}};
    return Strip{box, std::make_shared<Storage>(grid, name, type, components, cells)};
  };
  for (int axis = 0; axis < 3; ++axis)
    for (int side = 0; side < 2; ++side) {
      const auto face = static_cast<std::size_t>(2 * axis + side);
      const bool kept = h > 0 && !grid.own().empty() && !grid.physical({axis, side});
      Box own = grid.own(), halo = own;
      own.lo[axis] = side == 0 ? 0 : std::max(0, n[axis] - h);
      own.hi[axis] = side == 0 ? std::min(h, n[axis]) : n[axis];
      halo.lo[axis] = side == 0 ? -h : n[axis];
      halo.hi[axis] = halo.lo[axis] + h;
      for (int earlier = 0; earlier < axis; ++earlier) {
        halo.lo[earlier] -= h;
        halo.hi[earlier] += h;
      }
      own_[face] = strip(kept ? own : Box{});
      halo_[face] = strip(kept ? halo : Box{});
    }
}

}  // namespace sc
