// SPDX-License-Identifier: Apache-2.0
// Boundary conditions written as kernels: boundary(T, z_high, Fixed{1.0}) calls the kernel once per column of
// a face.
#pragma once

#include <tuple>

#include "engine/field/field.hpp"

namespace sc {

/// A column of cells through a face, as a boundary kernel sees it.
struct Border {
  At first;                ///< the first halo cell
  std::ptrdiff_t outward;  ///< from a cell to the next one outward
  int layers;              ///< of halo to fill

  /// The n-th halo cell outward from the face, n = 1 … layers.
  SC_FN constexpr At ghost(int n) const { return {first.i + (n - 1) * outward, first.sy, first.sz}; }
  /// The n-th own cell inward from the face, n = 1, 2, …
  SC_FN constexpr At inside(int n) const { return {first.i - n * outward, first.sy, first.sz}; }
};

/// Halo cells take a given value.
template <class T>
struct Fixed {
  T value;
  SC_FN void operator()(Border b, Out<T> q) const {
    for (int n = 1; n <= b.layers; ++n) q[b.ghost(n)] = value;
  }
};
template <class T>
Fixed(T) -> Fixed<T>;

/// Halo cells mirror the own ones, so that the gradient on the face between them vanishes.
template <class T>
struct Mirrored {
  SC_FN void operator()(Border b, Out<T> q) const {
    for (int n = 1; n <= b.layers; ++n) q[b.ghost(n)] = q[b.inside(n)];
  }
};

namespace detail {

template <class Kernel, class T, int N, class... Others>
class FaceKernel final : public Boundary {
 public:
  FaceKernel(Kernel kernel, int tangential, std::tuple<Others...> others)
      : kernel_(kernel), tangential_(tangential), others_(others) {}

  int tangential() const override { return tangential_; }

  void apply(Storage& storage, Face face, const Box& cells) const override {
    std::apply(
        [&](const auto&... others) {
          const Out<T, N> q{reinterpret_cast<T*>(storage.base()), storage.component_stride()};
          loop(storage.grid(), face, cells, q, others.view()...);
        },
        others_);
  }

 private:
  template <class... Views>
  void loop(const Grid& grid, Face face, const Box& cells, Out<T, N> q, Views... views) const {
    const Layout& layout = grid.layout();
    const Int3 origin = grid.origin();
    const std::ptrdiff_t along = face.axis == 0 ? 1 : face.axis == 1 ? layout.sy : layout.sz;
    for (int z = cells.lo.z; z < cells.hi.z; ++z)
      for (int y = cells.lo.y; y < cells.hi.y; ++y)
        for (int x = cells.lo.x; x < cells.hi.x; ++x) {
          const Border b{
              {layout.offset({x, y, z}), layout.sy, layout.sz}, face.side ? along : -along, grid.halo()};
          if constexpr (std::is_invocable_v<const Kernel&, Border, Index, Out<T, N>, Views...>)
            kernel_(b, Index{origin.x + x, origin.y + y, origin.z + z}, q, views...);
          else
            kernel_(b, q, views...);
        }
  }

  Kernel kernel_;
  int tangential_;
  std::tuple<Others...> others_;
};

}  // namespace detail

/// Sets the condition of one face. The kernel's call operator takes (Border, Out<T, N>, views…) or (Border,
/// Index, Out<T, N>, views…), Index being the global position of the first halo cell. `others` are levels of
/// fields on the same grid that it reads along the same column.
template <class T, int N, class Kernel, class... Others>
void boundary(Field<T, N>& field, Face face, Kernel kernel, int tangential, Others... others) {
  field.boundaries().set(face, std::make_shared<detail::FaceKernel<Kernel, T, N, Others...>>(
                                   kernel, tangential, std::tuple<Others...>(others...)));
}
template <class T, int N, class Kernel>
void boundary(Field<T, N>& field, Face face, Kernel kernel) {
  boundary(field, face, kernel, 0);
}

}  // namespace sc
