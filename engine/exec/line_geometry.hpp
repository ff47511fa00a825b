// SPDX-License-Identifier: Apache-2.0
// LineGeometry: how the lines of a box are cut into bundles, and where each bundle lies.
#pragma once

#include "engine/grid/grid.hpp"

namespace sc {

struct LineGeometry {
  Box box;
  int axis = 0;       ///< along which the lines run
  int reach = 0;      ///< cells of halo that an operator reads at the ends
  int width = 8;      ///< most lines of a bundle
  int scratches = 0;  ///< arrays of doubles of a bundle's shape
  Layout layout;
  Int3 origin;

  int count() const { return box.hi[axis] - box.lo[axis]; }
  /// The axis on which the lines of a bundle lie side by side, and the third one.
  int across() const { return axis == 0 ? 1 : 0; }
  int other() const { return axis == 2 ? 1 : 2; }
  /// Elements of one component of a bundle, halo included.
  std::ptrdiff_t size() const { return std::ptrdiff_t{count() + 2 * reach} * width; }
  std::int64_t bundles() const {
    if (box.empty()) return 0;
    const Int3 n = box.extent();
    return std::int64_t{per_row()} * n[other()];
  }

  struct Place {
    std::ptrdiff_t offset;  ///< of cell 0 of line 0
    std::ptrdiff_t along, across;
    int lines;
    Index first;
  };
  Place place(std::int64_t bundle) const {
    Int3 c = box.lo;
    c[across()] += static_cast<int>(bundle % per_row()) * width;
    c[other()] += static_cast<int>(bundle / per_row());
    const std::ptrdiff_t strides[3] = {1, layout.sy, layout.sz};
    return {layout.offset(c), strides[axis], strides[across()],
            std::min(width, box.hi[across()] - c[across()]),
            Index{origin.x + c.x, origin.y + c.y, origin.z + c.z}};
  }

  std::size_t scratch_bytes() const {
    return static_cast<std::size_t>(std::ptrdiff_t{count()} * width * scratches) * sizeof(double);
  }
  std::size_t buffer_bytes(int components, std::size_t element_size) const {
    return (static_cast<std::size_t>(size() * components) * element_size + 63) / 64 * 64;
  }
  /// So many lines of `line_bytes` that a bundle stays in the second-level cache and fills whole cache lines.
  static int width_for(std::size_t line_bytes) {
    constexpr std::size_t cache = std::size_t{256} << 10;
    const auto lines = static_cast<int>(cache / std::max<std::size_t>(1, line_bytes));
    return std::clamp(lines / 8 * 8, 8, 64);
  }

 private:
  int per_row() const { return (box.hi[across()] - box.lo[across()] + width - 1) / width; }
};

}  // namespace sc
