// SPDX-License-Identifier: Apache-2.0
// Part: the cells of a field that belong to a file, and those of them that this rank has; transfer of their
// rows to and from the file.
#pragma once

#include <functional>

#include "engine/field/storage.hpp"
#include "io/file.hpp"

namespace sc::io {

struct Part {
  Int3 extent;  ///< of the whole array in the file, including physical halo layers
  Box box;      ///< this rank's cells, relative to the array's first cell
  Int3 shift;   ///< local cell = cell of the array + shift

  std::int64_t cells() const { return std::int64_t{extent.x} * extent.y * extent.z; }
  /// Index of a cell in the array, x fastest.
  std::int64_t number(Int3 c) const {
    return c.x + std::int64_t{extent.x} * (c.y + std::int64_t{extent.y} * c.z);
  }
};

/// Own cells, with `layers` halo layers beyond adjacent physical faces. Throws Error (failure) if the grid's
/// halo has fewer.
Part part_of(const Grid& grid, int layers);

/// Packs one row of a part: the cells from box.lo.x to box.hi.x, beginning at `first`.
using PackRow = std::function<void(Int3 first, std::byte* row)>;
using UnpackRow = std::function<void(Int3 first, const std::byte* row)>;

/// Writes this rank's part of an array at `offset`, with elements of `item` bytes. Rows that are adjacent in
/// the file are written together.
void write_part(File& file, std::int64_t offset, const Part& part, std::size_t item, const PackRow& pack);
void read_part(const File& file, std::int64_t offset, const Part& part, std::size_t item,
               const UnpackRow& unpack);

/// Calls use(part) for this rank's cells of a field: once, or slab by slab for a field in far memory. During
/// the call, cell_address() is valid for these cells. `read` and `written` as in Storage::each_slab(). Throws
/// Error (failure) for halo layers of a field in far memory, which does not keep them.
void each_slab(Storage& storage, const Part& part, bool read, bool written,
               const std::function<void(const Part& slab)>& use);

/// Address of a cell given by its index in the array.
inline std::byte* cell_address(const Storage& storage, const Part& part, int component, Int3 cell) {
  const std::ptrdiff_t i =
      component * storage.component_stride() + storage.grid().layout().offset(cell + part.shift);
  return storage.host_base() + i * static_cast<std::ptrdiff_t>(size_of(storage.type()));
}

}  // namespace sc::io
