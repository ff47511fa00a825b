// SPDX-License-Identifier: Apache-2.0
// BoxCopy: the only loop that copies cells: field to field (on this rank or in a neighbour's memory), field
// to message, message to field. Of the element type it uses only the size.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "engine/exec/cell_copy.hpp"
#include "engine/field/storage.hpp"
#include "engine/grid/lattice.hpp"

namespace sc {

/// Cells in memory, x contiguous: the address of cell (0, 0, 0) of component 0, and strides in bytes.
struct CellMemory {
  std::byte* base = nullptr;
  std::ptrdiff_t y = 0, z = 0, component = 0;

  /// Cells of `box` without gaps, its low corner at `base`.
  static CellMemory dense(std::byte* base, const Box& box, std::size_t element_size);
  /// Cells in the layout of a grid, own cell (0, 0, 0) at `base`.
  static CellMemory of(std::byte* base, const Layout& layout, std::size_t element_size);
  static CellMemory of(const Storage& storage);
  std::byte* at(Int3 cell, std::size_t element_size) const {
    return base + cell.x * static_cast<std::ptrdiff_t>(element_size) + cell.y * y + cell.z * z;
  }
  /// The same, with another first component.
  CellMemory layer(int first) const { return {base + first * component, y, z, component}; }
};

class BoxCopy {
 public:
  /// Copies `box_from` to `box_to`, which have equal extents and do not overlap in memory.
  BoxCopy(const CellMemory& from, const Box& box_from, const CellMemory& to, const Box& box_to,
          int components, std::size_t element_size);
  /// Copies the cells at `entries` (positions along x of a single row) to `box_to`, one after the other.
  BoxCopy(const CellMemory& from, std::shared_ptr<const std::vector<int>> entries, const CellMemory& to,
          const Box& box_to, int components, std::size_t element_size);
  /// The cells of one colour, with `global` the position of the box's low corner: from a field to a message
  /// without gaps, or vice versa.
  enum class Coloured { pack, unpack, rows };
  /// From field to field: whole rows, but only rows that contain cells of the colour. Copying a row with
  /// memcpy is as fast as copying every second cell (256 x 256 doubles in cache: 11 us and 19 us; out of
  /// cache 45 and 53), and the other cells have the same values at both ends.
  BoxCopy(Coloured how, const Lattice& lattice, Int3 global, const CellMemory& from, const Box& box_from,
          const CellMemory& to, const Box& box_to, int components, std::size_t element_size);
  void run() const { rows_(*this); }
  /// The same for a device. Throws Error (failure) for entries and colours, which are not supported there.
  CellCopy for_device() const;
  /// Whether run_with() copies both in one pass: narrow rows of one shape, which for the two halos normal to
  /// x are on the same cache lines.
  bool pairs_with(const BoxCopy& other) const;
  /// As run() for both.
  void run_with(const BoxCopy& other) const;

 private:
  using Rows = void (*)(const BoxCopy&);
  using Pairs = void (*)(const BoxCopy&, const BoxCopy&);
  void choose();
  template <std::size_t bytes>
  void choose_narrow();
  template <class RowCopy>
  void each_row(RowCopy copy) const;
  template <std::size_t bytes>
  static void narrow_rows(const BoxCopy& self);
  template <std::size_t bytes>
  static void narrow_pairs(const BoxCopy& one, const BoxCopy& other);
  static void wide_rows(const BoxCopy& self);
  static void rows_prefetched(const BoxCopy& self);
  template <class Element>
  static void picked_entries(const BoxCopy& self);
  template <class RowCopy>
  void each_coloured_row(RowCopy copy) const;
  template <class Element>
  static void pack_colour(const BoxCopy& self);
  template <class Element>
  static void unpack_colour(const BoxCopy& self);
  static void rows_of_colour(const BoxCopy& self);

  CellMemory from_, to_;
  int ny_, nz_, components_;
  std::size_t row_bytes_;
  Rows rows_ = nullptr;
  Pairs pairs_ = nullptr;  // narrow rows only
  std::shared_ptr<const std::vector<int>> entries_;
  Lattice lattice_{};
  Int3 global_{};
  int nx_ = 0;
};

}  // namespace sc
