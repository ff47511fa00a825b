// SPDX-License-Identifier: Apache-2.0
// The interface between the engine and kernels compiled at run time: plain structs, through which one
// function of a small library computes rows of cells or columns of a condition. The library needs only these
// headers of the engine.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "engine/exec/border.hpp"
#include "engine/exec/rows.hpp"

namespace sc {

/// The memory of a field: own cell (0, 0, 0) of component 0, and elements between components.
struct CellsAt {
  void* base;
  std::ptrdiff_t component_stride;
};

/// Rows [first, last) of a box for a kernel whose members, its parameters, are at `kernel`.
struct RowsCall {
  detail::BoxRows in;
  std::int64_t first, last;
  RowOrder order;
  const CellsAt* fields;
  const void* kernel;
  /// Takes `count` values number k; nullptr if they are not needed.
  void (*add)(void* into, int k, const double* values, int count);
  void* into;
};

/// The columns of a face: halo cells of the first layer.
struct ColumnsCall {
  Box cells;
  std::ptrdiff_t sy, sz, outward;
  int layers;
  const CellsAt* fields;
  const void* kernel;
};

namespace detail {

template <class View>
struct ViewAt;
template <class T, int N>
struct ViewAt<Components<T, N>> {
  static Components<T, N> of(const CellsAt& cells) {
    return {static_cast<T*>(cells.base), cells.component_stride};
  }
};

/// A kernel of a sweep at one cell, with the position if it needs it.
template <class Kernel>
struct CompiledCell {
  Kernel kernel;
  template <class... Views>
  SC_FN auto operator()(At c, Index g, const Views&... views) const {
    if constexpr (std::is_invocable_v<const Kernel&, At, Index, Views...>)
      return kernel(c, g, views...);
    else
      return kernel(c, views...);
  }
};

/// Passes values to the caller.
struct ValuesTo {
  const RowsCall* call;
  int k;
  void add(const double* values, int count) const { call->add(call->into, k, values, count); }
};

template <class Kernel, class... Views, std::size_t... n>
void compute_rows(const RowsCall& call, std::index_sequence<n...>) {
  const CompiledCell<Kernel> cell{*static_cast<const Kernel*>(call.kernel)};
  constexpr int values = ValuesOf<decltype(cell(At{}, Index{}, std::declval<const Views&>()...))>::count;
  std::array<ValuesTo, values> into;
  for (int k = 0; k < values; ++k) into[static_cast<std::size_t>(k)] = {&call, k};
  const std::span<ValuesTo> wanted(into.data(), call.add ? into.size() : 0);
  rows(call.in, call.first, call.last, call.order, wanted, cell, ViewAt<Views>::of(call.fields[n])...);
}

template <class Kernel, class... Views, std::size_t... n>
void compute_columns(const ColumnsCall& call, std::index_sequence<n...>) {
  const Kernel kernel = *static_cast<const Kernel*>(call.kernel);
  const std::tuple<Views...> views(ViewAt<Views>::of(call.fields[n])...);
  for (int z = call.cells.lo.z; z < call.cells.hi.z; ++z)
    for (int y = call.cells.lo.y; y < call.cells.hi.y; ++y)
      for (int x = call.cells.lo.x; x < call.cells.hi.x; ++x) {
        const Border b{{x + y * call.sy + z * call.sz, call.sy, call.sz}, call.outward, call.layers};
        for (int layer = 1; layer <= call.layers; ++layer)
          std::apply([&](const auto&... v) { kernel(b, layer, v...); }, views);
      }
}

}  // namespace detail

/// The function of a compiled library; Views are in the order of the call's fields.
template <class Kernel, class... Views>
void compute_rows(const RowsCall& call) {
  detail::compute_rows<Kernel, Views...>(call, std::index_sequence_for<Views...>{});
}
template <class Kernel, class... Views>
void compute_columns(const ColumnsCall& call) {
  detail::compute_columns<Kernel, Views...>(call, std::index_sequence_for<Views...>{});
}

// Functions that kernels written in Python call.

template <class T>
SC_FN T square(T x) {
  return x * x;
}
template <class T>
SC_FN T cube(T x) {
  return x * x * x;
}
template <class T>
SC_FN T fourth(T x) {
  return (x * x) * (x * x);
}
/// Floor division and its remainder, as in Python; b > 0.
SC_FN std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0); }
SC_FN std::int64_t floor_mod(std::int64_t a, std::int64_t b) { return a % b + (a % b < 0 ? b : 0); }

}  // namespace sc
