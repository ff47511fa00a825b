// SPDX-License-Identifier: Apache-2.0
// for_each_line: an operator over the whole lines of a box along one axis (FFTs, tridiagonal solves), handed
// to it in bundles of neighbouring lines. Lines along y and z are bundled where they lie, neighbours side by
// side along x; lines along x are copied into that order and back, so that a recurrence along a line
// vectorises across lines on every axis.
#pragma once

#include <memory>
#include <tuple>
#include <type_traits>
#include <vector>

#include "engine/exec/for_each.hpp"
#include "engine/exec/line_geometry.hpp"

namespace sc {

/// Cells of the lines of a bundle: q(n, l) is cell n of line l, and neighbouring lines lie side by side. With
/// a reach, n = -1, -2, … and n = count, … are the halo at the ends.
template <class T, int N>
struct LineComponents {
  T* base;
  std::ptrdiff_t along;   ///< elements from one cell of a line to the next
  std::ptrdiff_t stride;  ///< from one component to the next
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
template <class T, int N = 1>
using LineIn = LineComponents<const T, N>;
template <class T, int N = 1>
using LineOut = LineComponents<T, N>;

/// The same lines exactly where they lie in memory, for libraries that take strides (an FFT): cell n of line
/// l of component k is base[n * along + l * across + k * stride].
template <class T, int N = 1>
struct LineMemory {
  T* base;
  std::ptrdiff_t along, across, stride;
};

/// What an operator is told of its bundle.
struct Bundle {
  int count;    ///< cells of a line
  int lines;    ///< in the bundle
  int axis;     ///< along which they run
  Index first;  ///< global position of cell 0 of line 0; line l lies l further along x (along y if axis is x)
  double* scratch_memory;
  std::ptrdiff_t scratch_size;
  std::ptrdiff_t scratch_along;

  /// f(l) for every line, vectorised: f may depend on earlier cells of its own line only.
  template <class F>
  SC_FN void each(F&& f) const {
#pragma GCC ivdep
    for (int l = 0; l < lines; ++l) f(l);
  }
  /// Memory of the bundle's shape that nobody else touches; what it holds is undefined.
  SC_FN LineOut<double> scratch(int k) const {
    return {scratch_memory + k * scratch_size, scratch_along, scratch_size};
  }
  SC_FN Index at(int n, int l) const {
    Index g = first;
    (axis == 0 ? g.x : axis == 1 ? g.y : g.z) += n;
    (axis == 0 ? g.y : g.x) += l;
    return g;
  }
};

/// One array of a line operator: its view, and whether it is read and written.
template <class T, int N, bool in, bool out>
struct LineArray {
  using element = T;
  using Lines = LineComponents<std::conditional_t<out, T, const T>, N>;
  using Memory = LineMemory<std::conditional_t<out, T, const T>, N>;
  static constexpr int components = N;
  Components<std::conditional_t<out, T, const T>, N> view;

  Lines lines(const LineGeometry::Place& at) const { return {view.base + at.offset, at.along, view.stride}; }
  Memory memory(const LineGeometry::Place& at) const {
    return {view.base + at.offset, at.along, at.across, view.stride};
  }
  /// Lines along x, copied side by side.
  Lines gather(const LineGeometry& g, const LineGeometry::Place& at, T* buffer) const {
    if constexpr (in)
      for (int k = 0; k < N; ++k)
        for (int l = 0; l < at.lines; ++l) {
          const T* from = view.base + k * view.stride + at.offset + l * at.across;
          T* to = buffer + k * g.size() + l;
          for (int n = -g.reach; n < g.count() + g.reach; ++n) to[(n + g.reach) * g.width] = from[n];
        }
    return {buffer + g.reach * g.width, g.width, g.size()};
  }
  void scatter(const LineGeometry& g, const LineGeometry::Place& at, const T* buffer) const {
    if constexpr (out)
      for (int k = 0; k < N; ++k)
        for (int l = 0; l < at.lines; ++l) {
          T* to = view.base + k * view.stride + at.offset + l * at.across;
          const T* from = buffer + k * g.size() + g.reach * g.width + l;
          for (int n = 0; n < g.count(); ++n) to[n] = from[n * g.width];
        }
  }
};

namespace detail {

template <class Op, class... Arrays>
constexpr bool takes_bundled = std::is_invocable_v<const Op&, const Bundle&, typename Arrays::Lines...>;
template <class Op, class... Arrays>
constexpr bool takes_memory = std::is_invocable_v<const Op&, const Bundle&, typename Arrays::Memory...>;

/// Bundles [first, last) of the lines, counted as LineGeometry does.
template <class Op, class... Arrays>
[[gnu::noinline]] void bundles(const LineGeometry& g, std::int64_t first, std::int64_t last,
                               std::byte* memory, const Op& op, const Arrays&... arrays) {
  auto* scratch = reinterpret_cast<double*>(memory);
  std::byte* buffers = memory + g.scratch_bytes();
  for (std::int64_t b = first; b < last; ++b) {
    const LineGeometry::Place at = g.place(b);
    const Bundle bundle{g.count(), at.lines, g.axis, at.first, scratch, g.count() * g.width, g.width};
    if constexpr (takes_bundled<Op, Arrays...>) {
      if (g.axis != 0) {
        op(bundle, arrays.lines(at)...);
        continue;
      }
      std::byte* next = buffers;
      const auto take = [&]<class A>(const A&) {
        auto* mine = reinterpret_cast<typename A::element*>(next);
        next += g.buffer_bytes(A::components, sizeof(typename A::element));
        return mine;
      };
      const std::tuple<typename Arrays::element*...> own{take(arrays)...};  // braces: in this order
      [&]<std::size_t... k>(std::index_sequence<k...>) {
        op(bundle, arrays.gather(g, at, std::get<k>(own))...);
        (arrays.scatter(g, at, std::get<k>(own)), ...);
      }
      (std::index_sequence_for<Arrays...>{});
    } else {
      op(bundle, arrays.memory(at)...);
    }
  }
}

}  // namespace detail

/// Applies `op` to every line of the geometry with `threads` threads. `memory` is one block for each thread
/// of the team that may call: the scratch, a buffer for each array, and 64 bytes to align them.
template <class Op, class... Arrays>
void for_each_line(const LineGeometry& g, int threads, std::vector<std::vector<std::byte>>& memory,
                   const Op& op, const Arrays&... arrays) {
  static_assert(detail::takes_bundled<Op, Arrays...> || detail::takes_memory<Op, Arrays...>,
                "the operator's call operator must take (const Bundle&, LineIn / LineOut...) or (const "
                "Bundle&, LineMemory...) in the order of the stage's declarations");
  const std::int64_t count = g.bundles();
  const auto mine = [&] {
    void* at = memory[static_cast<std::size_t>(team_thread())].data();
    std::size_t space = g.scratch_bytes() + 128;  // what is asked for begins on a cache line
    return static_cast<std::byte*>(std::align(64, 64, at, space));
  };
  if (threads <= 1) {
    detail::bundles(g, 0, count, mine(), op, arrays...);
    return;
  }
#pragma omp parallel num_threads(threads)
  {
    const auto [first, last] = team_share(count);
    detail::bundles(g, first, last, mine(), op, arrays...);
  }
}

}  // namespace sc
