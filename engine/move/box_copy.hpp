// SPDX-License-Identifier: Apache-2.0
// BoxCopy: the one loop that moves cells: field to field (own rank or a neighbour's memory), field to
// message, message to field. The element type is reduced to its size.
#pragma once

#include <cstddef>

#include "engine/field/storage.hpp"

namespace sc {

/// Some cells in memory, x contiguous: where cell (0, 0, 0) of component 0 lies, and the distances in bytes.
struct CellMemory {
  std::byte* base = nullptr;
  std::ptrdiff_t y = 0, z = 0, component = 0;

  /// Cells of `box` without gaps, its low corner at `base`.
  static CellMemory dense(std::byte* base, const Box& box, std::size_t element_size);
  /// Cells of a grid's layout, own cell (0, 0, 0) at `base`.
  static CellMemory of(std::byte* base, const Layout& layout, std::size_t element_size);
  static CellMemory of(const Storage& storage);
  /// The same, counting components from another one.
  CellMemory layer(int first) const { return {base + first * component, y, z, component}; }
};

class BoxCopy {
 public:
  /// Copies `box_from` to `box_to`, equal in extent and not overlapping in memory.
  BoxCopy(const CellMemory& from, const Box& box_from, const CellMemory& to, const Box& box_to,
          int components, std::size_t element_size);
  void run() const { rows_(*this); }
  /// Whether run_with() takes both in one pass: narrow rows of one shape, which for the two halos normal to x
  /// lie on the same cache lines.
  bool pairs_with(const BoxCopy& other) const;
  /// As run() of both.
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
  static void distant_rows(const BoxCopy& self);

  CellMemory from_, to_;
  int ny_, nz_, components_;
  std::size_t row_bytes_;
  Rows rows_ = nullptr;
  Pairs pairs_ = nullptr;  // narrow rows only
};

}  // namespace sc
