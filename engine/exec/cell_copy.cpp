// SPDX-License-Identifier: Apache-2.0
// CellCopy: one thread for each word; compiled by nvcc where there is one.
#include "engine/exec/cell_copy.hpp"

#include <algorithm>

#include "engine/exec/launch.hpp"

namespace sc {

namespace {

constexpr int most_copies = 16;  // in a launch: its parameters may take 4 KiB

/// The copies are stacked along z: copy n has the indices [first[n], first[n + 1]), one for each plane of
/// each component.
struct CopyBody {
  CellCopy copies[most_copies];
  int first[most_copies + 1];

  SC_FN void operator()(Int3 place) const {
    int n = 0;
    while (place.z >= first[n + 1]) ++n;
    const CellCopy& c = copies[n];
    if (place.x >= c.row || place.y >= c.ny) return;
    const int component = (place.z - first[n]) / c.nz, z = (place.z - first[n]) % c.nz;
    const std::ptrdiff_t x = std::ptrdiff_t{place.x} * c.word;
    const std::byte* from = c.from + component * c.from_component + z * c.from_z + place.y * c.from_y + x;
    std::byte* to = c.to + component * c.to_component + z * c.to_z + place.y * c.to_y + x;
    if (c.word == 4)
      *reinterpret_cast<std::uint32_t*>(to) = *reinterpret_cast<const std::uint32_t*>(from);
    else
      *reinterpret_cast<std::uint64_t*>(to) = *reinterpret_cast<const std::uint64_t*>(from);
  }
};

}  // namespace

void copy_cells(Device& device, Stream stream, std::span<const CellCopy> copies) {
  while (!copies.empty()) {
    CopyBody body{};
    Int3 extent;
    int count = 0;
    for (; count < most_copies && count < static_cast<int>(copies.size()); ++count) {
      const CellCopy& c = copies[static_cast<std::size_t>(count)];
      body.copies[count] = c;
      extent.x = std::max(extent.x, c.row);
      extent.y = std::max(extent.y, c.ny);
      extent.z += c.nz * c.components;
      body.first[count + 1] = extent.z;
    }
    launch(device, stream, extent, body, "copying cells");
    copies = copies.subspan(static_cast<std::size_t>(count));
  }
}

}  // namespace sc
