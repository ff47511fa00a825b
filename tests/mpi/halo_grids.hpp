// SPDX-License-Identifier: Apache-2.0
// Common parts of the tests of halo_step and halo_steps: the cells of a grid of three dimensions.
#pragma once

#include <subcurrent/halo.h>

#include <array>
#include <cstdint>
#include <vector>

namespace sc::test {

using Cell = std::array<std::int64_t, 3>;

template <class Visit>
void each(const Cell& lo, const Cell& hi, const Visit& visit) {
  for (std::int64_t i = lo[0]; i < hi[0]; ++i)
    for (std::int64_t j = lo[1]; j < hi[1]; ++j)
      for (std::int64_t k = lo[2]; k < hi[2]; ++k) visit(Cell{i, j, k});
}
template <class Visit>
void each(const halo_box& box, const Visit& visit) {
  each({box.lo[0], box.lo[1], box.lo[2]}, {box.hi[0], box.hi[1], box.hi[2]}, visit);
}

inline Cell operator+(const Cell& a, const Cell& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }

/// Of a cell in an array in C order.
inline std::size_t index_of(const Cell& c, const Cell& cells) {
  return std::size_t((c[0] * cells[1] + c[1]) * cells[2] + c[2]);
}
inline std::size_t count_of(const Cell& cells) { return std::size_t(cells[0] * cells[1] * cells[2]); }

}  // namespace sc::test
