// SPDX-License-Identifier: Apache-2.0
// Common parts of the tests of movements: a value for every global cell, poisoned memory, and the expected
// memory of a field after an exchange, computed cell by cell without the engine's plan.
#pragma once

#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <vector>

#include "engine/field/storage.hpp"
#include "engine/grid/cells.hpp"

namespace sc::test {

/// Exact in every element type, for the grids of the tests.
inline int code_of(Int3 cells, Int3 g, int component, int components, int salt) {
  return (((g.z * cells.y + g.y) * cells.x + g.x) * components + component) * 8 + salt % 8;
}

inline void put(std::byte* at, ElementType type, int code) {
  const auto write = [&](auto value) { std::memcpy(at, &value, sizeof value); };
  switch (type) {
    case ElementType::f32:
      return write(static_cast<float>(code));
    case ElementType::f64:
      return write(code + 0.5);
    case ElementType::i32:
      return write(static_cast<std::int32_t>(code));
    case ElementType::i64:
      return write(std::int64_t{code} << 20);
    case ElementType::c32:
      return write(std::complex<float>(static_cast<float>(code), -1.0F));
    case ElementType::c64:
      return write(std::complex<double>(code, -code));
  }
}

/// Bytes of a storage from its first to its last byte; all are set to NaN (or -1).
inline std::size_t memory_bytes(const Storage& s) {
  return static_cast<std::size_t>(s.component_stride() * s.components()) * size_of(s.type());
}
inline std::byte* memory_begin(const Storage& s) {
  return s.base() - static_cast<std::size_t>(s.grid().layout().origin) * size_of(s.type());
}
inline std::size_t byte_offset(const Storage& s, Int3 c, int component) {
  const std::ptrdiff_t element =
      s.grid().layout().origin + component * s.component_stride() + s.grid().layout().offset(c);
  return static_cast<std::size_t>(element) * size_of(s.type());
}
inline void poison(Storage& s) { std::memset(memory_begin(s), 0xff, memory_bytes(s)); }

/// Sets the own cells of `box` (local coordinates) to the values of their global positions.
inline void fill(Storage& s, const Box& box, int salt) {
  const Grid& grid = s.grid();
  for (int k = 0; k < s.components(); ++k)
    each_cell(box, [&](Int3 c) {
      put(memory_begin(s) + byte_offset(s, c, k), s.type(),
          code_of(grid.cells(), grid.origin() + c, k, s.components(), salt));
    });
}
inline void fill(Storage& s, int salt) { fill(s, s.grid().own(), salt); }

/// Whether the halo cell at local `c` is within the reach and belongs to some rank; then also its global
/// position.
inline bool reached(const Grid& grid, Int3 c, Reach reach, Int3& global) {
  int outside = 0;
  int farthest = 0;
  const Int3 n = grid.own().hi;
  for (int a = 0; a < 3; ++a) {
    const int beyond = c[a] < 0 ? -c[a] : c[a] >= n[a] ? c[a] - n[a] + 1 : 0;
    if (beyond > reach.width) return false;
    outside += beyond > 0 ? 1 : 0;
    farthest = std::max(farthest, beyond);
    global[a] = grid.origin()[a] + c[a];
    const int cells = grid.cells()[a];
    if (global[a] < 0 || global[a] >= cells) {
      if (!grid.periodic()[a]) return false;
      global[a] = (global[a] % cells + cells) % cells;
    }
  }
  return outside <= 1 || farthest <= reach.diagonal;
}

/// The whole expected memory of a storage that was poisoned, filled and exchanged.
inline std::vector<std::byte> expected_memory(const Storage& s, Reach reach, int salt) {
  std::vector<std::byte> memory(memory_bytes(s), std::byte{0xff});
  const Grid& grid = s.grid();
  const int h = grid.halo();
  if (grid.own().empty()) return memory;
  for (int k = 0; k < s.components(); ++k)
    each_cell(grid.own().grown({h, h, h}), [&](Int3 c) {
      Int3 global;
      if (reached(grid, c, reach, global))
        put(memory.data() + byte_offset(s, c, k), s.type(),
            code_of(grid.cells(), global, k, s.components(), salt));
    });
  return memory;
}

/// Describes the first cell that differs from the expectation.
inline testing::AssertionResult exchanged(const Storage& s, Reach reach, int salt) {
  const std::vector<std::byte> expected = expected_memory(s, reach, salt);
  if (std::memcmp(expected.data(), memory_begin(s), expected.size()) == 0) return testing::AssertionSuccess();
  const Grid& grid = s.grid();
  const int h = grid.halo();
  std::string where = "in the padding of the rows";
  for (int k = 0; k < s.components(); ++k)
    each_cell(grid.own().grown({h, h, h}), [&](Int3 c) {
      const std::size_t at = byte_offset(s, c, k);
      if (where[0] == 'i' && std::memcmp(expected.data() + at, memory_begin(s) + at, size_of(s.type())) != 0)
        where = "first at local cell " + to_string(c) + ", component " + std::to_string(k);
    });
  return testing::AssertionFailure() << "\"" << s.name() << "\" of rank " << grid.context().rank() << " with "
                                     << grid.own().hi.x << " x " << grid.own().hi.y << " x "
                                     << grid.own().hi.z << " cells is wrong " << where;
}

/// All factorisations of `ranks` into three factors.
inline std::vector<Int3> splits(int ranks) {
  std::vector<Int3> all;
  for (int x = 1; x <= ranks; ++x)
    for (int y = 1; ranks % x == 0 && y <= ranks / x; ++y)
      if (ranks / x % y == 0) all.push_back({x, y, ranks / x / y});
  return all;
}

inline int world_size() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

}  // namespace sc::test
