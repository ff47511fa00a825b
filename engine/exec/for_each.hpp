// SPDX-License-Identifier: Apache-2.0
// for_each: a kernel over the cells of a box. There is one out-of-line instance for each kernel (rows.hpp),
// with the box as a run-time argument. Shell and core run the same compiled loop, so dividing a sweep cannot
// change its bits.
#pragma once

#include <span>
#include <type_traits>

#include "engine/base/error.hpp"
#include "engine/exec/accumulator.hpp"
#include "engine/exec/flux_rows.hpp"
#include "engine/exec/rows.hpp"
#include "engine/exec/team.hpp"
#include "engine/field/field.hpp"
#include "engine/field/sides.hpp"
#include "engine/grid/lattice.hpp"

namespace sc {

/// The position of local cells in memory and on the global grid, and the order of rows.
struct Frame {
  Layout layout;
  Int3 origin;
  RowOrder order = {};
};

namespace detail {

template <class Kernel, class... Views>
SC_FN auto call_with(const Kernel& kernel, At c, Index g, const Views&... views) {
  if constexpr (InFluxes<Kernel>) {
    return kernel(c, g, fluxes_below(kernel, c, views...), fluxes_above(kernel, c, views...), views...);
  } else if constexpr (InSides<Kernel>) {
    return with_sides(
        kernel, c, [&](const SideValues& sides) { return call_in_sides(kernel, c, g, sides, views...); },
        views...);
  } else if constexpr (std::is_invocable_v<const Kernel&, At, Index, Views...>) {
    return kernel(c, g, views...);
  } else {
    static_assert(
        std::is_invocable_v<const Kernel&, At, Views...>,
        "the kernel's call operator must take (At, views...) or (At, Index, views...) in the order of the "
        "sweep's declarations");
    return kernel(c, views...);
  }
}

/// Calls the kernel at one cell, with the global index if the kernel takes one.
template <class Kernel, class... Views>
SC_FN auto call(const Kernel& kernel, At c, Index g, const Views&... views) {
#ifdef SC_CHECKED
  Borrowed borrowed;
  return call_with(kernel, c, g, for_cell(views, c, g, borrowed)...);
#else
  return call_with(kernel, c, g, views...);
#endif
}

template <class Kernel, class... Views>
using Result = decltype(call(std::declval<const Kernel&>(), At{}, Index{}, std::declval<const Views&>()...));

template <class Kernel, class... Views>
using Values = ValuesOf<Result<Kernel, Views...>>;

static_assert(row_chunk <= Accumulator::chunk);

/// A kernel at one cell, as rows() calls it.
template <class Kernel>
struct CellOf {
  Kernel kernel;
  template <class... Views>
  SC_FN auto operator()(At c, Index g, const Views&... views) const {
    return call(kernel, c, g, views...);
  }
};

/// Calls part(first, last, values) for shares of `count` rows, one a thread. Each thread adds to values of
/// its own, which are merged into `into`.
template <class Part>
void share_rows(std::int64_t count, int threads, std::span<Accumulator> into, const Part& part) {
  if (threads <= 1) return part(0, count, into);
#pragma omp parallel num_threads(threads)
  {
    const auto [first, last] = team_share(count);
    std::vector<Accumulator> mine = like(into);
    part(first, last, mine);
#pragma omp critical(sc_accumulate)
    merge(into, mine);
  }
}

template <class Kernel, class... Views>
void for_each_row(const Box& box, const Lattice& lattice, const Frame& frame, int threads,
                  std::span<Accumulator> into, const Kernel& kernel, const Views&... views) {
  const Int3 n = box.extent();
  const CellOf<Kernel> cell{kernel};
  const auto part = [&](std::int64_t first, std::int64_t last, std::span<Accumulator> values) {
    rows({box, lattice, frame.origin, frame.layout.sy, frame.layout.sz}, first, last, frame.order, values,
         cell, views...);
  };
  share_rows(std::int64_t{n.y} * n.z, threads, into, part);
}

template <class Kernel, class... Views>
void march(const Box& box, const Frame& frame, int threads, const Kernel& kernel, const Views&... views) {
  const Bricks bricks(box);
  const auto part = [&](std::int64_t first, std::int64_t last, std::span<Accumulator>) {
    flux_planes(bricks, frame.layout, frame.origin, first, last, kernel, views...);
  };
  share_rows(bricks.planes(), threads, {}, part);
}

}  // namespace detail

/// Applies `kernel` to every cell of `box` (local coordinates) that is on `lattice`, with `threads` threads.
/// The values of the kernel go into `into`, one accumulator for each value; if it is empty, they are
/// discarded.
template <class Kernel, class... Views>
void for_each(const Box& box, const Lattice& lattice, const Frame& frame, int threads,
              std::span<Accumulator> into, const Kernel& kernel, const Views&... views) {
  if (box.empty()) return;
  if constexpr (InFluxes<Kernel>) {
    static_assert(detail::Values<Kernel, Views...>::count == 0, "a kernel in fluxes returns nothing");
    if (lattice.colours != 1) throw Error(Exit::failure, "a kernel in fluxes does not run in colours");
    if constexpr (views_are_checked)  // face by face the reading cell is not known
      detail::for_each_row(box, lattice, frame, threads, into, kernel, views...);
    else
      detail::march(box, frame, threads, kernel, views...);
  } else {
    detail::for_each_row(box, lattice, frame, threads, into, kernel, views...);
  }
}

}  // namespace sc
