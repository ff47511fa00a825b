// SPDX-License-Identifier: Apache-2.0
// Excerpt: some cells of a field for the host, such as a line through it. For a field on a device only these
// are copied; Field::get() copies the whole field.
#pragma once

#include <span>
#include <vector>

#include "engine/field/field.hpp"

namespace sc {

/// The values of a level in `box` (local coordinates; halo values may be stale) as the bytes of one dense
/// array [component][z][y][x]; empty for an empty box. Not collective.
std::vector<std::byte> bytes_of(Storage& storage, const Box& box);
/// The same for several boxes, one after the other; also of a level in far memory, which has own cells only.
std::vector<std::byte> bytes_of_boxes(Storage& storage, std::span<const Box> boxes);

template <class T>
class Excerpt {
 public:
  template <int N>
  Excerpt(Level<T, N> level, const Box& box) : box_(box), values_(static_cast<std::size_t>(box.cells() * N)) {
    const std::vector<std::byte> bytes = bytes_of(level.storage(), box);
    std::copy_n(bytes.data(), bytes.size(), reinterpret_cast<std::byte*>(values_.data()));
  }
  T get(Int3 cell, int component = 0) const {
    const Int3 n = box_.extent(), c = cell - box_.lo;
    return values_[((std::size_t(component) * std::size_t(n.z) + std::size_t(c.z)) * std::size_t(n.y) +
                    std::size_t(c.y)) *
                       std::size_t(n.x) +
                   std::size_t(c.x)];
  }

 private:
  Box box_;
  std::vector<T> values_;
};

}  // namespace sc
