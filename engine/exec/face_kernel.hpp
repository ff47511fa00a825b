// SPDX-License-Identifier: Apache-2.0
// Boundary conditions written as kernels: boundary(T, z_high, Fixed{1.0}) calls the kernel once per column of
// a face.
#pragma once

#include <tuple>

#include "engine/exec/border.hpp"
#include "engine/exec/launch.hpp"
#include "engine/field/field.hpp"

namespace sc {

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
template <class T, int N = 1>
struct Mirrored {
  SC_FN void operator()(Border b, Out<T, N> q) const {
    for (int n = 1; n <= b.layers; ++n) {
      if constexpr (N == 1)
        q[b.ghost(n)] = q[b.inside(n)];
      else
        for (int k = 0; k < N; ++k) q[k][b.ghost(n)] = q[k][b.inside(n)];
    }
  }
};

namespace detail {
inline namespace SC_COMPILED {

/// One column of a face.
template <class Kernel, class T, int N, class... Views>
struct ColumnBody {
  Box cells;
  Layout layout;
  Int3 origin;
  std::ptrdiff_t outward;
  int layers;
  Kernel kernel;
  Out<T, N> q;
  std::tuple<Views...> views;

  SC_FN void operator()(Int3 place) const {
    const Int3 c = cells.lo + place;
    const Border b{{layout.offset(c), layout.sy, layout.sz}, outward, layers};
    const Index g{origin.x + c.x, origin.y + c.y, origin.z + c.z};
    std::apply(
        [&](const auto&... v) {
#ifdef SC_CHECKED
          Borrowed borrowed;
          call(b, g, for_cell(q, b.first, g, borrowed), for_cell(v, b.first, g, borrowed)...);
#else
          call(b, g, q, v...);
#endif
        },
        views);
  }
  SC_FN void call(Border b, Index g, const Out<T, N>& column, const Views&... v) const {
    constexpr bool indexed = std::is_invocable_v<const Kernel&, Border, Index, Out<T, N>, Views...>;
    if constexpr (indexed) {
      static_assert(std::is_void_v<decltype(kernel(b, g, column, v...))>, "a condition returns nothing");
      kernel(b, g, column, v...);
    } else {
      static_assert(std::is_void_v<decltype(kernel(b, column, v...))>, "a condition returns nothing");
      kernel(b, column, v...);
    }
  }
};

template <class Kernel, class T, int N, class... Others>
class FaceKernel final : public Boundary {
 public:
  FaceKernel(Kernel kernel, int tangential, std::tuple<Others...> others)
      : kernel_(kernel), tangential_(tangential), others_(others) {}

  int tangential() const override { return tangential_; }
  int beside() const override {
    return std::apply(
        [&](const auto&... other) {
          return std::max({tangential_, reach_of(other)...});
        },
        others_);
  }

  void apply(Storage& storage, Face face, const Box& cells) const override {
    Device* device = storage.device();
    std::apply(
        [&](const auto&... others) {
          (check_space(storage, storage_of(others)), ...);
          if (device) {
            storage.use_on_device(true);
            (storage_of(others).use_on_device(false), ...);
          }
          Out<T, N> q{reinterpret_cast<T*>(storage.base()), storage.component_stride()};
#ifdef SC_CHECKED
          if (!device) {  // whose work comes later
            const std::vector<Watch> watches{watch_of(storage, face, tangential_),
                                             watch_of(storage_of(others), face, reach_of(others))...};
            std::tuple<decltype(others.view())...> views{others.view()...};
            set_watch(q, &watches[0]);
            std::apply(
                [&](auto&... view) {
                  const Watch* next = &watches[0];
                  (set_watch(view, ++next), ...);
                  run(device, storage.grid(), face, cells, q, view...);
                },
                views);
            return;
          }
#endif
          run(device, storage.grid(), face, cells, q, others.view()...);
        },
        others_);
  }

 private:
  template <class Other>
  static Storage& storage_of(const Other& other) {
    if constexpr (requires { other.storage(); })
      return other.storage();
    else
      return other.level.storage();
  }
  template <class Other>
  int reach_of(const Other& other) const {
    if constexpr (requires { other.reach; })
      return std::max(tangential_, other.reach.width);
    else
      return tangential_;
  }
#ifdef SC_CHECKED
  static Watch watch_of(const Storage& storage, Face face, int tangential) {
    return {{.context = &storage.grid().context(),
             .who = "the boundary condition of " + face_name(face),
             .field = storage.name(),
             .kind = Watch::Kind::column,
             .reach = box(tangential),
             .face = face},
            storage.grid()};
  }
#endif
  static void check_space(const Storage& storage, const Storage& other) {
    if (storage.device() != other.device() || other.far())
      throw Error(Exit::failure, "the boundary condition of field \"" + storage.name() + "\" reads field \"" +
                                     other.name() + "\", which lies in another memory");
  }

  template <class... Views>
  void run(Device* device, const Grid& grid, Face face, const Box& cells, Out<T, N> q, Views... views) const {
    const Layout& layout = grid.layout();
    const std::ptrdiff_t along = face.axis == 0 ? 1 : face.axis == 1 ? layout.sy : layout.sz;
    const ColumnBody<Kernel, T, N, Views...> column{
        cells, layout, grid.origin(), face.side ? along : -along, grid.halo(), kernel_, q, {views...}};
    if (device) return launch(*device, Lane::edge, cells.extent(), column, "a boundary condition");
    each_of(cells.extent(), column);
  }

  Kernel kernel_;
  int tangential_;
  std::tuple<Others...> others_;
};

}  // namespace SC_COMPILED
}  // namespace detail

inline namespace SC_COMPILED {

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

}  // namespace SC_COMPILED
}  // namespace sc
