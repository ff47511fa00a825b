// SPDX-License-Identifier: Apache-2.0
// Boundary conditions written as kernels: boundary(T, z_high, Fixed{1.0}) calls the kernel once for each
// column of a face.
#pragma once

#include <tuple>

#include "engine/exec/border.hpp"
#include "engine/exec/launch.hpp"
#include "engine/field/field.hpp"

namespace sc {

/// Halo cells get a given value.
template <class T>
struct Fixed {
  static constexpr bool constant = true;
  T value;
  SC_FN void operator()(Border b, Out<T> q) const {
    for (int n = 1; n <= b.layers; ++n) q[b.ghost(n)] = value;
  }
};
template <class T>
Fixed(T) -> Fixed<T>;

/// Halo cells mirror the own cells, so the gradient on the face between them vanishes.
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
  Int3 origin, period;  // cells of a periodic axis, 0 for others
  std::ptrdiff_t outward;
  int layers;
  Kernel kernel;
  Out<T, N> q;
  std::tuple<Views...> views;

  SC_FN void operator()(Int3 place) const {
    const Int3 c = cells.lo + place;
    const Border b{{layout.offset(c), layout.sy, layout.sz}, outward, layers};
    const Index g{on_grid(c, 0), on_grid(c, 1), on_grid(c, 2)};
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
  /// A column beside the block, around a periodic axis, has the position of the cell that it repeats.
  SC_FN std::int64_t on_grid(Int3 c, int axis) const {
    const int g = origin[axis] + c[axis];
    return g < 0 ? g + period[axis] : period[axis] > 0 && g >= period[axis] ? g - period[axis] : g;
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

  int inward() const override { return inward_of(); }
  bool reads_others() const override { return sizeof...(Others) > 0; }
  bool constant() const override {
    if constexpr (requires { Kernel::constant; })
      return Kernel::constant;
    else
      return false;
  }

  void apply(Storage& storage, Face face, const Columns& columns) const override {
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
            const int layers = layers_of(storage.grid(), face, columns);
            const std::vector<Watch> watches{
                watch_of(storage, face, tangential_, std::max(layers, inward_of())),
                watch_of(storage_of(others), face, reach_of(others), storage.grid().cells()[face.axis])...};
            std::tuple<decltype(others.view())...> views{others.view()...};
            set_watch(q, &watches[0]);
            std::apply(
                [&](auto&... view) {
                  const Watch* next = &watches[0];
                  (set_watch(view, ++next), ...);
                  run(device, storage.grid(), face, columns, q, view...);
                },
                views);
            return;
          }
#endif
          run(device, storage.grid(), face, columns, q, others.view()...);
        },
        others_);
  }

 private:
  static constexpr int inward_of() {
    if constexpr (requires { Kernel::inward; })
      return Kernel::inward;
    else
      return usual_inward;
  }
  static int layers_of(const Grid& grid, Face face, const Columns& columns) {
    return columns.layers > 0 ? columns.layers : grid.halo(face.axis);
  }
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
  static Watch watch_of(const Storage& storage, Face face, int tangential, int inward) {
    return {{.context = &storage.grid().context(),
             .who = "the boundary condition of " + face_name(face),
             .field = storage.name(),
             .kind = Watch::Kind::column,
             .reach = box(tangential),
             .face = face,
             .inward = inward},
            storage.grid()};
  }
#endif
  static void check_space(const Storage& storage, const Storage& other) {
    if (storage.device() != other.device() || other.far())
      throw Error(Exit::failure, "the boundary condition of field \"" + storage.name() + "\" reads field \"" +
                                     other.name() + "\", which lies in another memory");
  }

  template <class... Views>
  void run(Device* device, const Grid& grid, Face face, const Columns& columns, Out<T, N> q,
           Views... views) const {
    const Layout& layout = grid.layout();
    const Box& cells = columns.cells;
    const std::ptrdiff_t along = face.axis == 0 ? 1 : face.axis == 1 ? layout.sy : layout.sz;
    Int3 period;
    for (int axis = 0; axis < 3; ++axis) period[axis] = grid.periodic()[axis] ? grid.cells()[axis] : 0;
    const ColumnBody<Kernel, T, N, Views...> column{
        cells,   layout, grid.origin(), period, face.side ? along : -along, layers_of(grid, face, columns),
        kernel_, q,      {views...}};
    if (device) return launch(*device, Stream::edge, cells.extent(), column, "a boundary condition");
    each_cell({{}, cells.extent()}, column);
  }

  Kernel kernel_;
  int tangential_;
  std::tuple<Others...> others_;
};

}  // namespace SC_COMPILED
}  // namespace detail

inline namespace SC_COMPILED {

/// Sets the condition of one face. The kernel's call operator takes (Border, Out<T, N>, views…) or (Border,
/// Index, Out<T, N>, views…), with Index the global position of the first halo cell. `others` are levels of
/// fields on the same grid that it reads in the same column. A kernel that reads further into its column than
/// 4 cells and than the layers it fills declares `static constexpr int inward`.
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
