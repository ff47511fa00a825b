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
  SC_FN auto at(Int3 cell) const {
    const At c{cell.x + cell.y * sy + cell.z * sz, sy, sz};
    const Index g{origin.x + cell.x, origin.y + cell.y, origin.z + cell.z};
    return std::apply([&](const auto&... v) { return kernel(c, g, v...); }, views);
  }
  SC_FN void operator()(Int3 place) const {
    const Int3 c = cell(place);
    if (c.x < box.hi.x) at(c);
  }
  template <int K>
  SC_FN void operator()(Int3 place, TallyOf<K>& tally, Reduce reduce) const {
    const Int3 c = cell(place);
    if (c.x >= box.hi.x) return;
    const auto result = at(c);
    for (int k = 0; k < K; ++k) tally.add(k, reduce, Of::get(result, k));
  }
};

}  // namespace sc::detail
