// SPDX-License-Identifier: Apache-2.0
// The declarations of a sweep: which levels it writes and reads, and how far it reads. Shell width, halos to
// refresh, corners and bytes are derived from these.
#pragma once

#include <cmath>
#include <concepts>

#include "engine/field/field.hpp"
#include "engine/field/mode.hpp"
#include "engine/field/place.hpp"

namespace sc {

/// How a sweep accesses one level of a field; fields of other grids are read across a refinement.
struct Access {
  AnyField* field;
  int level;
  Mode mode;
  Reach reach;
  /// Cells of the sweep's grid beyond which no cell of the field's halo is needed are those this far from a
  /// neighbour.
  int margin;
  /// The field's grid has so many times the cells of the stage's along an axis, or so many times fewer; 0 and
  /// 0 for the stage's own grid.
  int finer = 0, coarser = 0;

  bool across() const { return finer > 0; }
  Storage& storage() const { return field->storage(level); }
};

/// The result of writes(), updates() and reads().
template <class D>
concept Declaration = requires(const D& d) {
  { d.access() } -> std::same_as<Access>;
  d.view();
};

/// A field of another grid as a kernel sees it: at(i, j, k) is its cell at a global position of *its* grid.
inline namespace SC_COMPILED {
template <class T, int N = 1>
struct Across {
  Components<const T, N> view;
  std::ptrdiff_t sy, sz;
  Int3 origin;

  SC_FN At at(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return {(x - origin.x) + (y - origin.y) * sy + (z - origin.z) * sz, sy, sz};
  }
  SC_FN decltype(auto) operator[](At c) const { return view[c]; }
  SC_FN auto operator[](int k) const { return view[k]; }
};
#ifdef SC_CHECKED
template <class T, int N>
void set_watch(Across<T, N>& across, const Watch* watch) {
  set_watch(across.view, watch);
}
template <class T, int N>
Across<T, N> for_cell(const Across<T, N>& across, At c, Index g, Borrowed& borrowed) {
  return {for_cell(across.view, c, g, borrowed), across.sy, across.sz, across.origin};
}
#endif
}  // namespace SC_COMPILED

namespace detail {

template <class T, int N, Mode mode>
struct Declared {
  Level<T, N> level;
  Reach reach;

  Access access() const { return {level.field, level.level, mode, reach, reach.width}; }
  using element = T;
  static constexpr int components = N;
  static constexpr Mode how = mode;
  [[gnu::always_inline]] auto view(Place place) const {
    if constexpr (mode == Mode::read)
      return In<T, N>{reinterpret_cast<const T*>(place.base), place.component_stride};
    else
      return Out<T, N>{reinterpret_cast<T*>(place.base), place.component_stride};
  }
  [[gnu::always_inline]] auto view() const { return view(place_of(level.storage())); }
};

template <class T, int N>
struct DeclaredAcross {
  Level<T, N> level;
  Reach reach;
  int margin;
  int finer, coarser;

  Access access() const { return {level.field, level.level, Mode::read, reach, margin, finer, coarser}; }
  [[gnu::always_inline]] Across<T, N> view(Place place) const {
    const Grid& grid = level.field->grid();
    return {{reinterpret_cast<const T*>(place.base), place.component_stride},
            grid.layout().sy,
            grid.layout().sz,
            grid.origin()};
  }
  [[gnu::always_inline]] Across<T, N> view() const { return view(place_of(level.storage())); }
};

}  // namespace detail

/// The kernel sets every cell of these levels, in every component. Old values are lost, even where the kernel
/// sets nothing.
template <class T, int N>
auto writes(Level<T, N> level) {
  return detail::Declared<T, N, Mode::write>{level, point};
}
/// The kernel reads and writes these at its own cell or, in a coloured sweep, reads them within `reach`.
template <class T, int N>
auto updates(Level<T, N> level, Reach reach = point) {
  return detail::Declared<T, N, Mode::update>{level, reach};
}
template <class T, int N>
auto reads(Level<T, N> level, Reach reach = point) {
  return detail::Declared<T, N, Mode::read>{level, reach};
}

/// Reads a grid `factor` times finer or coarser than the sweep's, with the same blocks. `reach` counts layers
/// of that grid's halo. A coarse cell belongs to the rank of its first child. So up to factor - 1 children
/// may be in the halo, and the parent of a child may be one layer outside.
struct Refined {
  int factor;
  Reach reach;
};
struct Coarsened {
  int factor;
  Reach reach;
};
constexpr Refined refine(int factor, Reach reach) { return {factor, reach}; }
constexpr Coarsened coarsen(int factor, Reach reach) { return {factor, reach}; }

template <class T, int N>
auto reads(Level<T, N> level, Refined r) {
  // A coarse cell at the end of a block may contain fine cells of the neighbour, one or more layers of halo.
  return detail::DeclaredAcross<T, N>{level, r.reach, (r.reach.width + r.factor - 1) / r.factor + 1, r.factor,
                                      1};
}
template <class T, int N>
auto reads(Level<T, N> level, Coarsened c) {
  return detail::DeclaredAcross<T, N>{level, c.reach, (c.reach.width + 1) * c.factor, 1, c.factor};
}

}  // namespace sc
