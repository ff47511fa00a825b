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

  Int3 extent() const { return places_of(box, lattice); }
  /// Cell number `place`; x is beyond the box if the row has no such cell.
  SC_FN Int3 cell(Int3 place) const {
    const Int3 first{box.lo.x, box.lo.y + place.y, box.lo.z + place.z};
    if (lattice.colours == 1) return {first.x + place.x, first.y, first.z};
    const Lattice::Run run = lattice.run(first.x + origin.x, first.y + origin.y, first.z + origin.z);
    if (run.step == 0) return {box.hi.x, first.y, first.z};
    return {first.x + run.first + place.x * run.step, first.y, first.z};
  }
  SC_FN At at(Int3 cell) const { return {cell.x + cell.y * sy + cell.z * sz, sy, sz}; }
  /// f(compute) for `count` cells from number `first` along z; compute() returns what the kernel returns. The
  /// position in memory is computed once: on a GPU this takes longer than the arithmetic of a simple kernel.
  template <class F>
  SC_FN void column(Int3 first, int count, const F& f) const {
    Int3 place = cell(first);
    At c = at(place);
    // The cells of a colour alternate between two x along z.
    int other = count > 1 ? cell({first.x, first.y, first.z + 1}).x : place.x;
#ifdef __CUDA_ARCH__
#pragma unroll 1  // unrolled, it takes twice the registers: half as many threads hide the memory's latency
#endif
    for (int n = 0; n < count; ++n) {
      if (place.x < box.hi.x) {
        const Index g{origin.x + place.x, origin.y + place.y, origin.z + place.z};
        f([&] { return std::apply([&](const auto&... v) { return kernel(c, g, v...); }, views); });
      }
      const int x = place.x;
      place = {other, place.y, place.z + 1};
      c.i += sz + other - x;
      other = x;
    }
  }
  SC_FN void operator()(Int3 first, int count) const {
    column(first, count, [](const auto& compute) { compute(); });
  }
  template <int K>
  SC_FN void operator()(Int3 first, int count, ValueTally (&values)[K], Reduce reduce) const {
    column(first, count, [&](const auto& compute) {
      const auto result = compute();
      for (int k = 0; k < K; ++k) values[k].add(reduce, Of::get(result, k));
    });
  }
};

}  // namespace sc::detail
