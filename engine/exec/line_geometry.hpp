// SPDX-License-Identifier: Apache-2.0
// LineGeometry: how the lines of a box are divided into bundles, and the layout of each bundle.
#pragma once

#include "engine/base/align.hpp"
#include "engine/grid/grid.hpp"

namespace sc {

class LineGeometry {
 public:
  /// A bundle has a multiple of this number of lines; missing ones are copies of the last. So no line is in
  /// the remainder of a vectorised loop, where the compiler may fuse other operations than in its body (seen
  /// with GCC 12), and bits do not depend on how a box is divided.
  static constexpr int lanes = 16;

  /// Whole lines of `box` along `axis`. `reach` cells of halo are read at their ends, and a line touches
  /// `line_bytes` bytes.
  LineGeometry(const Box& box, int axis, int reach, std::size_t line_bytes, const Layout& layout, Int3 origin)
      : box_(box),
        axis_(axis),
        reach_(reach),
        width_(width_for(line_bytes)),
        layout_(layout),
        origin_(origin) {
    const Int3 n = box.extent();
    const int first = axis == 0 ? 1 : 0, second = axis == 2 ? 1 : 2;
    // Side by side along x if that fills a bundle: then lines along y and z need no copy.
    across_ = n[first] < lanes && n[second] > n[first] ? second : first;
    other_ = across_ == first ? second : first;
  }

  int axis() const { return axis_; }
  int across() const { return across_; }
  int reach() const { return reach_; }
  int count() const { return box_.hi[axis_] - box_.lo[axis_]; }
  int width() const { return width_; }
  /// Elements of one component of a bundle: without halo, and with it.
  std::ptrdiff_t cells() const { return std::ptrdiff_t{count()} * width_; }
  std::ptrdiff_t size() const { return std::ptrdiff_t{count() + 2 * reach_} * width_; }
  std::int64_t bundles() const { return box_.empty() ? 0 : std::int64_t{per_row()} * box_.extent()[other_]; }

  /// The lines of a bundle in the memory of a field.
  struct BundleLayout {
    std::ptrdiff_t offset;         ///< of cell 0 of line 0
    std::ptrdiff_t along, across;  ///< strides: of cells of a line, of lines
    int lines;
    Index first;  ///< global index of cell 0 of line 0
    int padded() const { return round_up(lines, lanes); }
    /// Whether the lines can be used in place.
    bool side_by_side() const { return across == 1 && lines % lanes == 0; }
  };
  BundleLayout bundle_layout(std::int64_t bundle) const {
    Int3 c = box_.lo;
    c[across_] += static_cast<int>(bundle % per_row()) * width_;
    c[other_] += static_cast<int>(bundle / per_row());
    const std::ptrdiff_t strides[3] = {1, layout_.sy, layout_.sz};
    return {layout_.offset(c), strides[axis_], strides[across_],
            std::min(width_, box_.hi[across_] - c[across_]),
            Index{origin_.x + c.x, origin_.y + c.y, origin_.z + c.z}};
  }

  /// Memory of `components` arrays of a bundle's shape, in whole cache lines.
  std::size_t bytes(int components, std::size_t element_size) const {
    return round_up(static_cast<std::size_t>(size() * components) * element_size, cache_line);
  }

 private:
  int per_row() const { return (box_.hi[across_] - box_.lo[across_] + width_ - 1) / width_; }
  /// The number of lines for which a bundle fits in the L2 cache, but not fewer than read 256 bytes of a row
  /// at a time: with 128 bytes a compressible step took 1.07 to 1.14 times as long on an Intel Xeon, although
  /// bundles of long lines then exceed what is counted as cache here.
  static int width_for(std::size_t line_bytes) {
    constexpr std::size_t cache = std::size_t{256} << 10;
    const auto lines = static_cast<int>(cache / std::max<std::size_t>(1, line_bytes));
    return std::clamp(lines / lanes * lanes, 2 * lanes, 4 * lanes);
  }

  Box box_;
  int axis_, across_ = 0, other_ = 0;
  int reach_, width_;
  Layout layout_;
  Int3 origin_;
};

}  // namespace sc
