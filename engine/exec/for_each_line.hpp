// SPDX-License-Identifier: Apache-2.0
// for_each_line: an operator over the whole lines of a box along one axis (FFTs, tridiagonal solves). It gets
// bundles of neighbouring lines. Lines along y and z are bundled in place, neighbours side by side along x.
// Lines along x, and bundles that are not full, are copied into that order and back. So a recurrence along a
// line vectorises across lines on every axis.
#pragma once

#include <limits>
#include <tuple>
#include <type_traits>
#include <vector>

#include "engine/base/align.hpp"
#include "engine/exec/for_each.hpp"
#include "engine/exec/line_copies.hpp"
#include "engine/exec/line_geometry.hpp"

namespace sc {

#ifdef SC_CHECKED
inline namespace checked {
/// The lines of a bundle and their watch.
struct WatchedLines {
  const Watch* watch = nullptr;
  int first = 0, end = 0, lines = 0;
};
template <class T, int N>
struct LineComponents {
  T* base;
  std::ptrdiff_t along, stride;
  WatchedLines watched = {};
  auto operator[](int k) const;
};
template <class T>
struct LineComponents<T, 1> {
  T* base;
  std::ptrdiff_t along, stride;
  WatchedLines watched = {};
  T& operator()(int n, int l) const {
    if (watched.watch) watched.watch->line(n, l, watched.first, watched.end, watched.lines);
    return base[n * along + l];
  }
};
template <class T, int N>
auto LineComponents<T, N>::operator[](int k) const {
  if (watched.watch) watched.watch->component(k, N);
  return LineComponents<T, 1>{base + k * stride, along, stride, watched};
}
}  // namespace checked
#else
/// Cells of the lines of a bundle: q(n, l) is cell n of line l, and neighbouring lines are side by side. With
/// a reach, n = -1, -2, … and n = count, … are the halo at the ends.
template <class T, int N>
struct LineComponents {
  T* base;
  std::ptrdiff_t along;   ///< elements from one cell of a line to the next
  std::ptrdiff_t stride;  ///< elements from one component to the next
  SC_FN auto operator[](int k) const;
};
template <class T>
struct LineComponents<T, 1> {
  T* base;
  std::ptrdiff_t along, stride;
  SC_FN T& operator()(int n, int l) const { return base[n * along + l]; }
};
template <class T, int N>
SC_FN auto LineComponents<T, N>::operator[](int k) const {
  return LineComponents<T, 1>{base + k * stride, along, stride};
}
#endif
template <class T, int N = 1>
using LineIn = LineComponents<const T, N>;
template <class T, int N = 1>
using LineOut = LineComponents<T, N>;

/// The same lines in place, for libraries that take strides (an FFT): cell n of line l of component k is
/// base[n * along + l * across + k * stride].
template <class T, int N = 1>
struct LineMemory {
  T* base;
  std::ptrdiff_t along, across, stride;
};

/// The description of a bundle for an operator.
struct Bundle {
  int count;     ///< cells of a line
  int lines;     ///< in the bundle; the last is repeated as padding
  int distinct;  ///< without the repetitions
  int axis;      ///< axis of the lines
  int across;    ///< axis along which line l is l cells further than line 0
  Index first;   ///< global position of cell 0 of line 0
  double* scratch_memory;
  std::ptrdiff_t scratch_size;
  std::ptrdiff_t scratch_along;

  /// Asks for cell n of the lines, which is needed a few cells later: no processor foresees a step from row
  /// to row or from plane to plane. Copies are in the caches already.
  template <class T>
  SC_FN void prefetch([[maybe_unused]] const LineComponents<T, 1>& q, [[maybe_unused]] int n) const {
#ifndef __CUDA_ARCH__
    if (q.along == lines) return;
    constexpr int some = int(cache_line / sizeof(T));
    const T* cells = q.base + n * q.along;
    for (int l = 0; l < lines; l += some) __builtin_prefetch(cells + l, 0, 2);  // into the second-level cache
#endif
  }
  /// Calls f(l) for every line, vectorised: f may depend only on earlier cells of its own line. The loops
  /// have a constant length, without a prologue or a remainder.
  template <class F>
  SC_FN void each(F&& f) const {
    constexpr int lanes = LineGeometry::lanes;
    int l = 0;
    for (; l + lanes <= lines; l += lanes) {
#pragma GCC ivdep
      for (int k = 0; k < lanes; ++k) f(l + k);
    }
    for (; l < lines; ++l) f(l);  // for lines in place, without padding
  }
  /// Scratch memory of the bundle's shape, uninitialised.
  SC_FN LineOut<double> scratch(int k) const {
    return {scratch_memory + k * scratch_size, scratch_along, scratch_size};
  }
  SC_FN Index at(int n, int l) const {
    Index g = first;
    (axis == 0 ? g.x : axis == 1 ? g.y : g.z) += n;
    (across == 0 ? g.x : across == 1 ? g.y : g.z) += l < distinct ? l : distinct - 1;
    return g;
  }
};

inline namespace SC_COMPILED {
/// One array of a line operator: its view, and whether it is read and written.
template <class T, int N, bool in, bool out>
struct LineArray {
  using element = T;
  using Lines = LineComponents<std::conditional_t<out, T, const T>, N>;
  using Memory = LineMemory<std::conditional_t<out, T, const T>, N>;
  static constexpr int components = N;
  Components<std::conditional_t<out, T, const T>, N> view;
  int reach = 0;        ///< halo cells that the operator may read at the ends
  unsigned read = ~0u;  ///< a bit for each component that it reads, the only ones that are copied for it

  Lines lines(const LineGeometry& g, const LineGeometry::BundleLayout& at) const {
    return watched(g, at, {view.base + at.offset, at.along, view.stride});
  }
  Lines watched([[maybe_unused]] const LineGeometry& g, [[maybe_unused]] const LineGeometry::BundleLayout& at,
                Lines lines) const {
#ifdef SC_CHECKED
    lines.watched = {view.watched.watch, -reach, g.count() + reach, at.padded()};
#endif
    return lines;
  }
  Memory memory(const LineGeometry::BundleLayout& at) const {
    return {view.base + at.offset, at.along, at.across, view.stride};
  }
  /// Copies lines side by side, padded with the last one. Of the halo it copies only what may be read,
  /// because in a slot nothing may exist beyond a piece.
  Lines gather(const LineGeometry& g, const LineGeometry::BundleLayout& at, T* buffer) const {
    const int padded = at.padded();
    if constexpr (in)
      for (int k = 0; k < N; ++k) {
        if (!(read >> k & 1)) {
#ifdef SC_CHECKED
          std::fill_n(buffer + k * g.size(), g.size(), std::numeric_limits<T>::quiet_NaN());
#endif
          continue;
        }
        const T* cells = view.base + k * view.stride + at.offset;
        detail::side_by_side(cells, at, -reach, g.count() + reach,
                             buffer + k * g.size() + g.reach() * padded);
      }
    return watched(g, at, {buffer + g.reach() * padded, padded, g.size()});
  }
  void scatter(const LineGeometry& g, const LineGeometry::BundleLayout& at, const T* buffer) const {
    const int padded = at.padded();
    if constexpr (out)
      for (int k = 0; k < N; ++k) {
        T* cells = view.base + k * view.stride + at.offset;
        const T* from = buffer + k * g.size() + g.reach() * padded;
        detail::back_in_place(from, at, g.count(), cells);
      }
  }
};

}  // namespace SC_COMPILED

namespace detail {

template <class Op, class... Arrays>
constexpr bool takes_bundled = std::is_invocable_v<const Op&, const Bundle&, typename Arrays::Lines...>;
template <class Op, class... Arrays>
constexpr bool takes_memory = std::is_invocable_v<const Op&, const Bundle&, typename Arrays::Memory...>;

/// One instance of the operator for lines in place and for copies of them, so that both give the same bits.
template <class Op, class... Lines>
[[gnu::noinline]] void apply_lines(const Op& op_in, const Bundle& bundle, Lines... lines) {
  static_assert(std::is_void_v<decltype(op_in(bundle, lines...))>, "an operator on lines returns nothing");
  const Op op = op_in;  // a local copy, so the compiler knows that no store changes it
  op(bundle, lines...);
}

/// Calls the operator on copies of the lines, side by side.
template <class Op, class... Arrays>
void bundle_of_copies(const LineGeometry& g, const LineGeometry::BundleLayout& at, const Bundle& bundle,
                      std::byte* buffers, const Op& op, const Arrays&... arrays) {
  const auto take = [&]<class A>(const A&) {
    auto* mine = reinterpret_cast<typename A::element*>(buffers);
    buffers += g.bytes(A::components, sizeof(typename A::element));
    return mine;
  };
  const std::tuple<typename Arrays::element*...> own{take(arrays)...};  // braces fix the order of evaluation
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    apply_lines(op, bundle, arrays.gather(g, at, std::get<k>(own))...);
    (arrays.scatter(g, at, std::get<k>(own)), ...);
  }
  (std::index_sequence_for<Arrays...>{});
}

/// Bundles [first, last) of the lines, counted as in LineGeometry.
template <class Op, class... Arrays>
void bundles(const LineGeometry& g, std::int64_t first, std::int64_t last, int scratches, std::byte* memory,
             const Op& op, const Arrays&... arrays) {
  const SubnormalsAreZero zero;
  auto* scratch = reinterpret_cast<double*>(memory);
  for (std::int64_t b = first; b < last; ++b) {
    const LineGeometry::BundleLayout at = g.bundle_layout(b);
    Bundle bundle{g.count(), at.lines, at.lines,  g.axis(),   g.across(),
                  at.first,  scratch,  g.cells(), at.padded()};
    if constexpr (takes_bundled<Op, Arrays...>) {
      bundle.lines = at.padded();
      if (at.side_by_side())
        apply_lines(op, bundle, arrays.lines(g, at)...);
      else
        bundle_of_copies(g, at, bundle, memory + g.bytes(scratches, sizeof(double)), op, arrays...);
    } else {
      op(bundle, arrays.memory(at)...);
    }
  }
}

}  // namespace detail

/// Applies `op` to every line of the geometry with `threads` threads. `memory` has one block for each thread
/// of the team: `scratches` arrays of doubles, a buffer for each array, and 64 bytes for alignment.
template <class Op, class... Arrays>
void for_each_line(const LineGeometry& g, int threads, int scratches,
                   std::vector<std::vector<std::byte>>& memory, const Op& op, const Arrays&... arrays) {
  static_assert(detail::takes_bundled<Op, Arrays...> || detail::takes_memory<Op, Arrays...>,
                "the operator's call operator must take (const Bundle&, LineIn / LineOut...) or (const "
                "Bundle&, LineMemory...) in the order of the stage's declarations");
  const auto part = [&](std::int64_t first, std::int64_t last, std::span<Accumulator>) {
    std::byte* mine = on_cache_line(memory[static_cast<std::size_t>(team_thread())].data());
    detail::bundles(g, first, last, scratches, mine, op, arrays...);
  };
  detail::share_rows(g.bundles(), threads, {}, part);
}

}  // namespace sc
