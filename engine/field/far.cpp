// SPDX-License-Identifier: Apache-2.0
// Far: boxes and memory of the strips.
#include "engine/field/far.hpp"

#include <algorithm>
#include <cstring>

#include "engine/field/storage.hpp"

namespace sc {

StripBoxes strip_boxes(const Grid& grid) {
  const Int3 n = grid.own().extent();
  StripBoxes boxes;
  for (std::size_t f = 0; f < all_faces.size(); ++f) {
    const auto [axis, side] = all_faces[f];
    const int h = grid.halo(axis);
    if (h == 0 || grid.own().empty() || grid.physical(all_faces[f])) continue;
    if (axis < 2 && grid.split()[axis] == 1) continue;  // an undivided axis: each slab has both of its ends
    Box own = grid.own(), halo = own;
    own.lo[axis] = side == 0 ? 0 : std::max(0, n[axis] - h);
    own.hi[axis] = side == 0 ? std::min(h, n[axis]) : n[axis];
    halo.lo[axis] = side == 0 ? -h : n[axis];
    halo.hi[axis] = halo.lo[axis] + h;
    for (int earlier = 0; earlier < axis; ++earlier) {
      halo.lo[earlier] -= grid.halo(earlier);
      halo.hi[earlier] += grid.halo(earlier);
    }
    boxes.own[f] = own;
    boxes.halo[f] = halo;
  }
  return boxes;
}

Far::Far(const Grid& grid, const std::string& name, ElementType type, int components,
         const Allocate& allocate) {
  const auto size = static_cast<std::ptrdiff_t>(size_of(type));
  const StripBoxes boxes = strip_boxes(grid);
  std::int64_t cells = 1;  // at least one byte, so that the pointer is valid
  for (std::size_t face = 0; face < 6; ++face) cells += boxes.own[face].cells() + boxes.halo[face].cells();
  const auto bytes = static_cast<std::size_t>(cells * components * size);
  memory_ = allocate(bytes);
  std::byte* first = memory_.get();
  std::memset(first, 0, bytes);  // some of it is never written
  const auto strip = [&](const Box& box) {
    const Int3 e = box.empty() ? Int3{} : box.extent();
    const std::ptrdiff_t row = e.x * size, plane = e.y * row, all = e.z * plane;
    const ExternalCells cells_of_it{.base = first - (box.lo.x * size + box.lo.y * row + box.lo.z * plane),
                                    .y = row,
                                    .z = plane,
                                    .component = all,
                                    .cell_bytes = static_cast<std::size_t>(size),
                                    .low = grid.halos(),
                                    .high = grid.halos()};
    first += all * components;
    return Strip{box, std::make_shared<Storage>(grid, name, type, components, cells_of_it)};
  };
  for (std::size_t face = 0; face < 6; ++face) {
    own_[face] = strip(boxes.own[face]);
    halo_[face] = strip(boxes.halo[face]);
  }
}

}  // namespace sc
