// SPDX-License-Identifier: Apache-2.0
// Rows of cells: the loop of every sweep, for every compiler. Values of a kernel are passed on in chunks, so
// that the accumulator is called once for each chunk.
#pragma once

#include <array>
#include <span>
#include <tuple>
#include <type_traits>

#include "engine/base/align.hpp"
#include "engine/exec/row_order.hpp"
#include "engine/exec/subnormals.hpp"
#include "engine/field/sides.hpp"
#include "engine/field/views.hpp"
#include "engine/grid/lattice.hpp"

namespace sc::detail {

/// Number of values in a chunk.
constexpr int row_chunk = 512;

/// Number of values that a kernel returns for a reduction: none (void), one (a number) or K
/// (std::array<double, K>).
template <class R>
struct ValuesOf {
  using Result = R;
  static constexpr int count = 1;
  template <class F>
  SC_FN static R of(const F& compute) {
    return compute();
  }
  SC_FN static double get(const R& r, int) { return static_cast<double>(r); }
};
template <>
struct ValuesOf<void> {
  struct Result {};
  static constexpr int count = 0;
  template <class F>
  SC_FN static Result of(const F& compute) {
    compute();
    return {};
  }
};
template <std::size_t K>
struct ValuesOf<std::array<double, K>> {
  using Result = std::array<double, K>;
  static constexpr int count = static_cast<int>(K);
  template <class F>
  SC_FN static Result of(const F& compute) {
    return compute();
  }
  SC_FN static double get(const std::array<double, K>& r, int k) { return r[static_cast<std::size_t>(k)]; }
};

/// Calls a kernel that has values in common with the cells beside it.
template <class Kernel, class... Views>
SC_FN auto call_in_sides(const Kernel& kernel, At c, Index g, const SideValues& sides,
                         const Views&... views) {
  if constexpr (std::is_invocable_v<const Kernel&, At, Index, const SideValues&, Views...>)
    return kernel(c, g, sides, views...);
  else
    return kernel(c, sides, views...);
}

/// Number of cells whose sides are kept in the first-level cache.
constexpr int side_chunk = 32;

/// A row of adjacent cells whose sides are computed once.
template <class Kernel, class Into, class... Views>
SC_FN void row_in_sides(const Kernel& kernel, At c, Index g, int count, std::span<Into> into,
                        const Views&... views) {
  constexpr int K = Kernel::side_values;
  using Of = ValuesOf<decltype(call_in_sides(kernel, c, g, SideValues{}, views...))>;
  alignas(cache_line) double sides[K][side_chunk + 8];
  alignas(cache_line) double values[Of::count > 0 ? Of::count : 1][side_chunk];
  const auto keep = [&](int n) __attribute__((always_inline)) {
    return [&sides, n ](int k, double value) __attribute__((always_inline)) { sides[k][n] = value; };
  };
  kernel.side_below(c, keep(0), views...);
  for (int first = 0; first < count; first += side_chunk) {
    const int some = std::min(side_chunk, count - first);
    const At from = c.x(first);
#pragma GCC ivdep
    for (int n = 0; n < some; ++n) kernel.side_below(from.x(n + 1), keep(n + 1), views...);
#pragma GCC ivdep
    for (int n = 0; n < some; ++n) {
      const auto compute = [&]() __attribute__((always_inline)) {
        return call_in_sides(kernel, from.x(n), Index{g.x + first + n, g.y, g.z},
                             SideValues{&sides[0][n], side_chunk + 8}, views...);
      };
      if constexpr (Of::count == 0) {
        compute();
      } else {
        const auto result = compute();
        for (int k = 0; k < Of::count; ++k) values[k][n] = Of::get(result, k);
      }
    }
    for (std::size_t k = 0; k < into.size(); ++k) into[k].add(values[k], some);
    for (int k = 0; k < K; ++k) sides[k][0] = sides[k][some];
  }
}

/// `count` cells of a row, `Step` apart. The compiler must know the distance to use vectors.
template <int Step, class Cell, class Into, class... Views>
SC_FN void row_in_steps(const Cell& cell, At c, Index g, int count, std::span<Into> into,
                        const Views&... views) {
  using Of = ValuesOf<decltype(cell(c, g, views...))>;
  if constexpr (Of::count == 0) {
#pragma GCC ivdep
    for (int n = 0; n < count; ++n) cell(c.x(n * Step), Index{g.x + n * Step, g.y, g.z}, views...);
  } else {
    alignas(cache_line) double values[Of::count][row_chunk];
    for (int first = 0; first < count; first += row_chunk) {
      const int some = std::min(row_chunk, count - first);
      const At from = c.x(first * Step);
#pragma GCC ivdep
      for (int n = 0; n < some; ++n) {
        const auto result = cell(from.x(n * Step), Index{g.x + (first + n) * Step, g.y, g.z}, views...);
        for (int k = 0; k < Of::count; ++k) values[k][n] = Of::get(result, k);
      }
      for (std::size_t k = 0; k < into.size(); ++k) into[k].add(values[k], some);
    }
  }
}

/// One row of cells: `count` cells, `step` (1 or 2) apart. `cell` calls the kernel at one cell;
/// into[k].add(values, count) takes its values.
template <class Cell, class Into, class... Views>
SC_FN void row(const Cell& cell, At c, Index g, int count, int step, std::span<Into> into,
               const Views&... views) {
  if constexpr (requires { requires InSides<decltype(cell.kernel)>; } && !views_are_checked)
    if (step == 1) return row_in_sides(cell.kernel, c, g, count, into, views...);
  if (step == 1) return row_in_steps<1>(cell, c, g, count, into, views...);
  row_in_steps<2>(cell, c, g, count, into, views...);
}

/// Arrays that a kernel uses through a view.
template <class View>
constexpr int arrays_of = 1;
template <class T, int N>
constexpr int arrays_of<Components<T, N>> = N;

/// Planes of which a row each is computed in one loop: 2 for kernels of few arrays. In the caches these are
/// limited by the rate of the second one, from which rows of n planes with a reach of r are read (n + 2 r) /
/// n times.
template <class Cell, class... Views>
constexpr int planes_together = [] {
  if constexpr (views_are_checked || requires { requires InSides<decltype(Cell::kernel)>; }) {
    return 1;
  } else {
    using Result = decltype(std::declval<const Cell&>()(At{}, Index{}, std::declval<const Views&>()...));
    return ValuesOf<Result>::count == 0 && (0 + ... + arrays_of<Views>) <= 4 ? 2 : 1;
  }
}();

/// `count` cells, `step` apart, from c on; `ahead`: elements from a cell to the one that is prefetched with
/// it.
struct CellsOfRow {
  At c;
  Index g;
  int count, step;
  std::ptrdiff_t ahead;
};

/// One row in place, or piece by piece through a NearRow.
template <class Cell, class Into, class... Views>
[[gnu::always_inline]] inline void row_in_order(const Cell& cell, const CellsOfRow& all,
                                                const RowOrder& order, std::span<Into> into,
                                                const std::tuple<Views...>& views) {
  const int count = all.count, step = all.step;
  const auto some = [&](At at, int done, int cells, const std::tuple<Views...>& where)
      __attribute__((always_inline)) {
    std::apply(
        [&](const auto&... v) __attribute__((always_inline)) {
          row(cell, at, Index{all.g.x + done * step, all.g.y, all.g.z}, cells, step, into, v...);
        },
        where);
  };
  using Near = NearRow<Views...>;
  if constexpr (Near::possible) {
    const bool far = order.block > 0 && step == 1;
    Near near(order.past_caches);
    for (int done = 0; done < count;) {
      const At at = all.c.x(done * step);
      const int cells = far ? std::min(count - done, near.length(views, at)) : count;
      if (far) std::apply([&](const auto&... v) { (prefetch_row(v, at.i + all.ahead, cells), ...); }, views);
      some(at, done, cells, far ? near.views(views, at) : views);
      if (far) near.leave(views, at, cells);
      done += cells;
    }
  } else {
    some(all.c, 0, count, views);
  }
}

/// Cells of a box on a lattice. Own cell (0, 0, 0) is global cell `origin`; rows are sy, planes sz elements
/// apart.
struct BoxRows {
  Box box;
  Lattice lattice;
  Int3 origin;
  std::ptrdiff_t sy, sz;

  std::int64_t in_plane() const { return box.hi.y - box.lo.y; }
  At at(int x, int y, int z) const { return {x + y * sy + z * sz, sy, sz}; }
  Index index(int x, int y, int z) const { return {origin.x + x, origin.y + y, origin.z + z}; }
};

/// Rows [first, last) of a box, one by one.
template <class Cell, class Into, class... Views>
[[gnu::always_inline]] inline void rows_in_order(const BoxRows& in, std::int64_t first, std::int64_t last,
                                                 const RowOrder& order, std::span<Into> into,
                                                 const Cell& cell, const std::tuple<Views...>& views) {
  const Box& box = in.box;
  const std::int64_t ny = in.in_plane(), block = order.block > 0 ? order.block : ny;
  for (std::int64_t low = 0; low < ny; low += block)
    for (std::int64_t plane = first / ny; plane * ny < last; ++plane) {
      const std::int64_t top = std::min(low + block, ny), end = std::min(top, last - plane * ny);
      for (std::int64_t r = std::max(low, first - plane * ny); r < end; ++r) {
        const int y = box.lo.y + static_cast<int>(r);
        const int z = box.lo.z + static_cast<int>(plane);
        const Lattice::Run run = in.lattice.run(box.lo.x + in.origin.x, y + in.origin.y, z + in.origin.z);
        if (run.step == 0) continue;
        const int x = box.lo.x + run.first;
        const int count = (box.hi.x - x + run.step - 1) / run.step;
        const bool next_plane = r + order.rows_ahead >= top;
        const std::ptrdiff_t ahead = (order.rows_ahead - (next_plane ? top - low : 0)) * in.sy +
                                     (order.planes_ahead + (next_plane ? 1 : 0)) * in.sz;
        row_in_order(cell, CellsOfRow{in.at(x, y, z), in.index(x, y, z), count, run.step, ahead}, order, into,
                     views);
      }
    }
}

/// Pairs of whole planes of a box, as many as there are from `plane` on; returns the next plane.
template <class Cell, class... Views>
[[gnu::always_inline]] inline std::int64_t rows_in_pairs(const BoxRows& in, std::int64_t plane,
                                                         std::int64_t planes, const Cell& cell,
                                                         const Views&... views) {
  const int x = in.box.lo.x, count = in.box.hi.x - x;
  for (; plane + 2 <= planes; plane += 2)
    for (int y = in.box.lo.y; y < in.box.hi.y; ++y) {
      const int z = in.box.lo.z + static_cast<int>(plane);
      const At c = in.at(x, y, z);
      const Index g = in.index(x, y, z);
#pragma GCC ivdep
      for (int n = 0; n < count; ++n) {
        cell(c.x(n), Index{g.x + n, g.y, g.z}, views...);
        cell(c.x(n).z(1), Index{g.x + n, g.y, g.z + 1}, views...);
      }
    }
  return plane;
}

/// Rows [first, last) of a box, counted y first, of cells that lie on its lattice.
template <class Cell, class Into, class... Views>
[[gnu::noinline]] void rows(const BoxRows& in, std::int64_t first, std::int64_t last, RowOrder order,
                            std::span<Into> into, const Cell& cell_in, const Views&... views_in) {
  if (first >= last) return;
  const SubnormalsAreZero zero;
  const Cell cell = cell_in;  // a local copy, so the compiler knows that no store changes it
  const std::tuple<Views...> views(views_in...);
  if constexpr (planes_together<Cell, Views...> == 2) {
    const std::int64_t ny = in.in_plane(), plane = (first + ny - 1) / ny, planes = last / ny;
    if (order.block == 0 && in.lattice.colours == 1 && plane + 2 <= planes) {
      rows_in_order(in, first, plane * ny, order, into, cell, views);
      first = ny * std::apply([&](const auto&... v) { return rows_in_pairs(in, plane, planes, cell, v...); },
                              views);
    }
  }
  rows_in_order(in, first, last, order, into, cell, views);
  if (order.past_caches != 0) end_past_caches();
}

}  // namespace sc::detail
