// SPDX-License-Identifier: Apache-2.0
// CellBody: a kernel at the cells of a box as the body of a launch, one place for each cell (with colours:
// for each pair of cells along x). rows() calls the same `Cell`.
#pragma once

#include "engine/exec/rows.hpp"
#include "engine/exec/tally.hpp"

namespace sc::detail {

/// Places of a launch over a box; along x all cells, or those that one colour can have.
inline Int3 places_of(const Box& box, const Lattice& lattice) {
  const Int3 n = box.extent();
  return {lattice.colours == 1 ? n.x : (n.x + 1) / 2, n.y, n.z};
}

/// What a kernel writes at one cell, in registers. The kernel gets a view of them, which is valid at that
/// cell.
template <class View>
struct Kept {
  SC_FN void take(const View&, At) {}
  SC_FN const View& near(const View& view, At) { return view; }
  SC_FN void store(const View&, At) const {}
};
template <class T, int N>
requires(!std::is_const_v<T> && !views_are_checked) struct Kept<Components<T, N>> {
  T value[N];
  /// Old values, for a kernel that reads them or does not write all; else the compiler leaves this out.
  SC_FN void take(const Components<T, N>& view, At c) {
    for (int k = 0; k < N; ++k) value[k] = view.base[k * view.stride + c.i];
  }
  SC_FN Components<T, N> near(const Components<T, N>&, At c) { return {value - c.i, 1}; }
  SC_FN void store(const Components<T, N>& view, At c) const {
    for (int k = 0; k < N; ++k) view.base[k * view.stride + c.i] = value[k];
  }
};

/// Own cell (0, 0, 0) is global cell `origin`; rows are sy, planes sz elements apart.
template <class Cell, class... Views>
struct CellBody {
  Box box;
  Lattice lattice;
  Int3 origin;
  std::ptrdiff_t sy, sz;
  Cell kernel;
  std::tuple<Views...> views;

  using Of = ValuesOf<decltype(std::declval<const Cell&>()(At{}, Index{}, std::declval<const Views&>()...))>;

  /// Rows and planes that a thread computes together, if they are not of a colour: it reads for all of them
  /// before it stores, so that more loads are on their way. With many arrays there are as many loads without
  /// that, and no registers for it.
  static constexpr bool together = !views_are_checked && (0 + ... + arrays_of<Views>) <= 4;
  static constexpr int rows_together = together ? 2 : 1, planes = together ? 2 : 1;

  Int3 extent() const {
    const Int3 n = places_of(box, lattice);
    return {n.x, (n.y + rows_together - 1) / rows_together, n.z};
  }
  /// Cell number `place`; x is beyond the box if the row has no such cell.
  SC_FN Int3 cell(Int3 place) const {
    const Int3 first{box.lo.x, box.lo.y + place.y, box.lo.z + place.z};
    if (lattice.colours == 1) return {first.x + place.x, first.y, first.z};
    const Lattice::Run run = lattice.run(first.x + origin.x, first.y + origin.y, first.z + origin.z);
    if (run.step == 0) return {box.hi.x, first.y, first.z};
    return {first.x + run.first + place.x * run.step, first.y, first.z};
  }
  SC_FN At at(Int3 cell) const { return {cell.x + cell.y * sy + cell.z * sz, sy, sz}; }
  SC_FN Index index(Int3 cell) const { return {origin.x + cell.x, origin.y + cell.y, origin.z + cell.z}; }
  /// take(result) for the kernel at `y` rows of `z` planes, from c on.
  template <int y, int z, class Take, std::size_t... n>
  SC_FN void compute(At c, Index g, const Take& take, std::index_sequence<n...>) const {
    std::tuple<Kept<Views>...> kept[y * z];
    typename Of::Result result[y * z];
    for (int k = 0; k < y * z; ++k) {
      const At at = c.y(k % y).z(k / y);
      (std::get<n>(kept[k]).take(std::get<n>(views), at), ...);
      result[k] = Of::of([&] {
        return kernel(at, Index{g.x, g.y + k % y, g.z + k / y},
                      std::get<n>(kept[k]).near(std::get<n>(views), at)...);
      });
    }
    for (int k = 0; k < y * z; ++k) {
      (std::get<n>(kept[k]).store(std::get<n>(views), c.y(k % y).z(k / y)), ...);
      take(result[k]);
    }
  }
  /// take(result) for `count` places from number `first` along z, each of one row or more.
  template <class Take>
  SC_FN void column(Int3 first, int count, const Take& take) const {
    const int y = first.y * rows_together, left = box.hi.y - box.lo.y - y;
    first.y = y;
    int done = 0;
    if constexpr (together)
      if (lattice.colours == 1 && left >= rows_together) {
        const Int3 place = cell(first);
        At c = at(place);
        Index g = index(place);
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
        for (; done + planes <= count; done += planes) {
          compute<rows_together, planes>(c, g, take, std::index_sequence_for<Views...>{});
          c.i += planes * sz;
          g.z += planes;
        }
      }
    if (done == count) return;
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (int r = 0; r < rows_together && r < left; ++r)
      one_by_one({first.x, y + r, first.z + done}, count - done, take);
  }
  /// The same without keeping anything. The position in memory is computed once: on a GPU this takes longer
  /// than the arithmetic of a simple kernel.
  template <class Take>
  SC_FN void one_by_one(Int3 first, int count, const Take& take) const {
    Int3 place = cell(first);
    At c = at(place);
    // The cells of a colour alternate between two x along z.
    int other = count > 1 ? cell({first.x, first.y, first.z + 1}).x : place.x;
#ifdef __CUDA_ARCH__
#pragma unroll 1  // unrolled, it takes twice the registers: half as many threads hide the memory's latency
#endif
    for (int n = 0; n < count; ++n) {
      if (place.x < box.hi.x)
        take(Of::of([&] {
          return std::apply([&](const auto&... v) { return kernel(c, index(place), v...); }, views);
        }));
      const int x = place.x;
      place = {other, place.y, place.z + 1};
      c.i += sz + other - x;
      other = x;
    }
  }
  SC_FN void operator()(Int3 first, int count) const {
    column(first, count, [](const auto&) {});
  }
  template <int K>
  SC_FN void operator()(Int3 first, int count, ValueTally (&values)[K], Reduce reduce) const {
    column(first, count, [&](const auto& result) {
      for (int k = 0; k < K; ++k) values[k].add(reduce, Of::get(result, k));
    });
  }
};

}  // namespace sc::detail
