// SPDX-License-Identifier: Apache-2.0
// Part: the cells of a field that belong in a file and those of them that this rank has; and the way between
// them and the bytes of a file, row by row.
#pragma once

#include <functional>

#include "engine/field/storage.hpp"
#include "io/file.hpp"

namespace sc::io {

struct Part {
  Int3 extent;  ///< of the whole array in the file, physical halo layers included
  Box box;      ///< what this rank has of it, counted from the array's first cell
  Int3 shift;   ///< local cell = cell of the array + shift

  std::int64_t cells() const { return std::int64_t{extent.x} * extent.y * extent.z; }
  /// Number of a cell in the array, x fastest.
  std::int64_t number(Int3 c) const {
    return c.x + std::int64_t{extent.x} * (c.y + std::int64_t{extent.y} * c.z);
  }
};

/// Own cells and, beyond the physical faces that the rank is beside, `layers` of halo. Throws Error (failure)
/// when the grid's halo has fewer.
Part part_of(const Grid& grid, int layers);

/// One row of a part: the cells from box.lo.x to box.hi.x, `first` being the first of them.
using PackRow = std::function<void(Int3 first, std::byte* row)>;
using UnpackRow = std::function<void(Int3 first, const std::byte* row)>;

/// Writes this rank's part of an array whose elements are `item` bytes and which begins at `offset`; rows
/// that follow each other in the file travel together.
void write_part(File& file, std::int64_t offset, const Part& part, std::size_t item, const PackRow& pack);
void read_part(const File& file, std::int64_t offset, const Part& part, std::size_t item,
               const UnpackRow& unpack);

/// use(part) with what this rank has of a field: all at once or, of one in far memory, slab by slab; its
/// cells are then where cell_address() says. As Storage::each_slab(); throws Error (failure) where far memory
/// is asked for layers of halo, which it does not keep.
void each_slab(Storage& storage, const Part& part, bool read, bool written,
               const std::function<void(const Part& slab)>& use);

/// Address of a cell, given in the array's coordinates.
inline std::byte* cell_address(const Storage& storage, const Part& part, int component, Int3 cell) {
  const std::ptrdiff_t i =
      component * storage.component_stride() + storage.grid().layout().offset(cell + part.shift);
  return storage.host_base() + i * static_cast<std::ptrdiff_t>(size_of(storage.type()));
}

}  // namespace sc::io
