// SPDX-License-Identifier: Apache-2.0
// for_each: a kernel over the cells of a box. One out-of-line instance a kernel, the box a run-time argument:
// shell and core run the same compiled loop, so that splitting a sweep cannot change its bits.
#pragma once

#include <array>
#include <span>
#include <tuple>
#include <type_traits>

#include "engine/base/error.hpp"
#include "engine/exec/accumulator.hpp"
#include "engine/exec/flux_rows.hpp"
#include "engine/exec/team.hpp"
#include "engine/field/field.hpp"
#include "engine/grid/lattice.hpp"

namespace sc {

/// Where local cells lie in memory and on the global grid.
struct Frame {
  Layout layout;
  Int3 origin;
};

namespace detail {

template <class Kernel, class... Views>
SC_FN auto call_with(const Kernel& kernel, At c, Index g, const Views&... views) {
  if constexpr (InFluxes<Kernel>) {
    return kernel(c, g, fluxes_below(kernel, c, views...), fluxes_above(kernel, c, views...), views...);
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

/// Calls the kernel at one cell, with the global index where the kernel takes one.
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

/// How many values a kernel returns for a reduction: none (void), one (a number) or K (std::array<double,
/// K>).
template <class R>
struct ValuesOf {
  static constexpr int count = 1;
  SC_FN static double get(const R& r, int) { return static_cast<double>(r); }
};
template <>
struct ValuesOf<void> {
  static constexpr int count = 0;
};
template <std::size_t K>
struct ValuesOf<std::array<double, K>> {
  static constexpr int count = static_cast<int>(K);
  SC_FN static double get(const std::array<double, K>& r, int k) { return r[static_cast<std::size_t>(k)]; }
};
template <class Kernel, class... Views>
using Values = ValuesOf<Result<Kernel, Views...>>;

/// One row of cells: `count` cells, `step` apart.
template <class Kernel, class... Views>
SC_FN void row(const Kernel& kernel, At c, Index g, int count, int step, std::span<Accumulator> into,
               const Views&... views) {
  if constexpr (Values<Kernel, Views...>::count == 0) {
    if (step == 1) {
#pragma GCC ivdep
      for (int n = 0; n < count; ++n) call(kernel, c.x(n), Index{g.x + n, g.y, g.z}, views...);
    } else {
#pragma GCC ivdep
      for (int n = 0; n < count; ++n) call(kernel, c.x(n * step), Index{g.x + n * step, g.y, g.z}, views...);
    }
  } else {
    using Of = Values<Kernel, Views...>;
    alignas(64) double values[Of::count][Accumulator::chunk];
    for (int first = 0; first < count; first += Accumulator::chunk) {
      const int some = std::min(Accumulator::chunk, count - first);
      const At from = c.x(first * step);
#pragma GCC ivdep
      for (int n = 0; n < some; ++n) {
        const auto result =
            call(kernel, from.x(n * step), Index{g.x + (first + n) * step, g.y, g.z}, views...);
        for (int k = 0; k < Of::count; ++k) values[k][n] = Of::get(result, k);
      }
      for (std::size_t k = 0; k < into.size(); ++k) into[k].add(values[k], some);
    }
  }
}

/// Rows [first, last) of a box, counted y first.
template <class Kernel, class... Views>
[[gnu::noinline]] void rows(const Box& box, const Lattice& lattice, const Frame& frame, std::int64_t first,
                            std::int64_t last, std::span<Accumulator> into, const Kernel& kernel_in,
                            const Views&... views_in) {
  const Kernel kernel = kernel_in;  // a copy of its own: the compiler then knows that no store changes it
  const std::tuple<Views...> views(views_in...);
  const int ny = box.hi.y - box.lo.y;
  for (std::int64_t r = first; r < last; ++r) {
    const int y = box.lo.y + static_cast<int>(r % ny);
    const int z = box.lo.z + static_cast<int>(r / ny);
    const Lattice::Run run = lattice.run(box.lo.x + frame.origin.x, y + frame.origin.y, z + frame.origin.z);
    if (run.step == 0) continue;
    const int x = box.lo.x + run.first;
    const int count = (box.hi.x - x + run.step - 1) / run.step;
    const At c{frame.layout.offset({x, y, z}), frame.layout.sy, frame.layout.sz};
    const Index g{frame.origin.x + x, frame.origin.y + y, frame.origin.z + z};
    std::apply(
        [&](const auto&... v)
            __attribute__((always_inline)) { row(kernel, c, g, count, run.step, into, v...); },
        views);
  }
}

template <class Kernel, class... Views>
void for_each_row(const Box& box, const Lattice& lattice, const Frame& frame, int threads,
                  std::span<Accumulator> into, const Kernel& kernel, const Views&... views) {
  const Int3 n = box.extent();
  const std::int64_t count = std::int64_t{n.y} * n.z;
  if (threads <= 1) {
    rows(box, lattice, frame, 0, count, into, kernel, views...);
    return;
  }
#pragma omp parallel num_threads(threads)
  {
    const auto [first, last] = team_share(count);
    std::vector<Accumulator> mine = like(into);
    rows(box, lattice, frame, first, last, std::span(mine), kernel, views...);
#pragma omp critical(sc_accumulate)
    merge(into, mine);
  }
}

template <class Kernel, class... Views>
void march(const Box& box, const Frame& frame, int threads, const Kernel& kernel, const Views&... views) {
  const Bricks bricks(box);
  if (threads <= 1)
    return flux_planes(bricks, frame.layout, frame.origin, 0, bricks.planes(), kernel, views...);
#pragma omp parallel num_threads(threads)
  {
    const auto [first, last] = team_share(bricks.planes());
    flux_planes(bricks, frame.layout, frame.origin, first, last, kernel, views...);
  }
}

}  // namespace detail

/// Applies `kernel` to every cell of `box` (local coordinates) that lies on `lattice`, with `threads`
/// threads. What the kernel returns goes into `into`: one accumulator a value, or none at all to leave it.
template <class Kernel, class... Views>
void for_each(const Box& box, const Lattice& lattice, const Frame& frame, int threads,
              std::span<Accumulator> into, const Kernel& kernel, const Views&... views) {
  if (box.empty()) return;
  if constexpr (InFluxes<Kernel>) {
    static_assert(detail::Values<Kernel, Views...>::count == 0, "a kernel in fluxes returns nothing");
    if (lattice.colours != 1) throw Error(Exit::failure, "a kernel in fluxes does not run in colours");
    if constexpr (views_are_checked)  // face by face nobody knows which cell reads
      detail::for_each_row(box, lattice, frame, threads, into, kernel, views...);
    else
      detail::march(box, frame, threads, kernel, views...);
  } else {
    detail::for_each_row(box, lattice, frame, threads, into, kernel, views...);
  }
}

}  // namespace sc
