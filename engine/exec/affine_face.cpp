// SPDX-License-Identifier: Apache-2.0
// AffineFace on the host and as a launch on a device; compiled by nvcc where there is one.
#include "engine/exec/compiled_rows.hpp"
#include "engine/exec/launch.hpp"

namespace sc {

namespace {

/// Fills the halo cells of one component in one column.
template <class T>
struct AffineColumn {
  Int3 low;
  std::ptrdiff_t sy, sz, outward;
  int layers;
  T* base;
  AffineFace::Law law;

  SC_FN void operator()(Int3 place) const {
    const Int3 c = low + place;
    const Border b{{c.x + c.y * sy + c.z * sz, sy, sz}, outward, layers};
    for (int n = 1; n <= layers; ++n) {
      const double within = law.a == 0 ? 0 : law.a * static_cast<double>(base[b.inside(n).i]);
      base[b.ghost(n).i] = static_cast<T>(within + law.b + law.c * (2 * n - 1));
    }
  }
};

}  // namespace

template <class T>
void AffineFace::fill(Storage& storage, Face face, const Columns& columns) const {
  const Grid& grid = storage.grid();
  const Layout& layout = grid.layout();
  const std::ptrdiff_t along = face.axis == 0 ? 1 : face.axis == 1 ? layout.sy : layout.sz;
  const Int3 extent = columns.cells.extent();
  for (int k = 0; k < storage.components(); ++k) {
    const AffineColumn<T> column{columns.cells.lo,
                                 layout.sy,
                                 layout.sz,
                                 face.side ? along : -along,
                                 columns.layers > 0 ? columns.layers : grid.halo(face.axis),
                                 reinterpret_cast<T*>(storage.base()) + k * storage.component_stride(),
                                 laws_[static_cast<std::size_t>(k)]};
    if (Device* device = storage.device())
      launch(*device, Stream::edge, extent, column, "a boundary condition");
    else
      each_cell({{}, extent}, column);
  }
}

void AffineFace::apply(Storage& storage, Face face, const Columns& columns) const {
  if (storage.device()) storage.use_on_device(true);
  if (storage.type() == ElementType::f32)
    fill<float>(storage, face, columns);
  else
    fill<double>(storage, face, columns);
}

}  // namespace sc
