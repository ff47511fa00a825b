// SPDX-License-Identifier: Apache-2.0
// Calls of compiled kernels: rows shared out to threads, columns of a face.
#include "engine/exec/compiled_rows.hpp"

#include "engine/base/error.hpp"
#include "engine/exec/team.hpp"

namespace sc {

namespace {

void add_values(void* into, int k, const double* values, int count) {
  static_cast<std::vector<Accumulator>*>(into)->at(static_cast<std::size_t>(k)).add(values, count);
}

void refuse_device(const Storage& storage, Face face) {
  if (storage.device())
    refuse("the boundary condition of field \"" + storage.name() + "\" beyond " + face_name(face) +
           " runs on the host only, and the field lies on " + storage.device()->describe());
}

int layers_of(const Grid& grid, const Columns& columns) {
  return columns.layers > 0 ? columns.layers : grid.halo();
}

std::ptrdiff_t outward_of(const Layout& layout, Face face) {
  const std::ptrdiff_t along = face.axis == 0 ? 1 : face.axis == 1 ? layout.sy : layout.sz;
  return face.side ? along : -along;
}

}  // namespace

void for_each_compiled(const Box& box, const Lattice& lattice, const Frame& frame, int threads,
                       std::span<Accumulator> into, const CompiledRows& rows,
                       std::span<const CellsAt> fields) {
  if (box.empty()) return;
  const Int3 n = box.extent();
  const std::int64_t count = std::int64_t{n.y} * n.z;
  const auto part = [&](std::int64_t first, std::int64_t last, std::vector<Accumulator>& mine) {
    const RowsCall call{.box = box,
                        .lattice = lattice,
                        .origin = frame.origin,
                        .sy = frame.layout.sy,
                        .sz = frame.layout.sz,
                        .first = first,
                        .last = last,
                        .fields = fields.data(),
                        .kernel = rows.kernel.data(),
                        .add = into.empty() ? nullptr : &add_values,
                        .into = &mine};
    rows.function(&call);
  };
  if (threads <= 1) {
    std::vector<Accumulator> mine = like(into);
    part(0, count, mine);
    return merge(into, mine);
  }
#pragma omp parallel num_threads(threads)
  {
    const auto [first, last] = team_share(count);
    std::vector<Accumulator> mine = like(into);
    part(first, last, mine);
#pragma omp critical(sc_accumulate)
    merge(into, mine);
  }
}

void CompiledFace::apply(Storage& storage, Face face, const Columns& columns) const {
  refuse_device(storage, face);
  std::vector<CellsAt> fields{{storage.base(), storage.component_stride()}};
  for (const ReadBeside& other : others_) {
    const Storage& beside = other.field->storage(other.level);
    fields.push_back({beside.base(), beside.component_stride()});
  }
  const Grid& grid = storage.grid();
  const ColumnsCall call{.cells = columns.cells,
                         .sy = grid.layout().sy,
                         .sz = grid.layout().sz,
                         .outward = outward_of(grid.layout(), face),
                         .layers = layers_of(grid, columns),
                         .fields = fields.data(),
                         .kernel = columns_.kernel.data()};
  columns_.function(&call);
}

template <class T>
void AffineFace::fill(Storage& storage, Face face, const Columns& columns) const {
  const Box& cells = columns.cells;
  const Grid& grid = storage.grid();
  const Layout& layout = grid.layout();
  for (int k = 0; k < storage.components(); ++k) {
    const Law law = laws_[static_cast<std::size_t>(k)];
    T* base = reinterpret_cast<T*>(storage.base()) + k * storage.component_stride();
    for (int z = cells.lo.z; z < cells.hi.z; ++z)
      for (int y = cells.lo.y; y < cells.hi.y; ++y)
        for (int x = cells.lo.x; x < cells.hi.x; ++x) {
          const Border b{{layout.offset({x, y, z}), layout.sy, layout.sz},
                         outward_of(layout, face),
                         layers_of(grid, columns)};
          for (int n = 1; n <= b.layers; ++n) {
            const double within = law.a == 0 ? 0 : law.a * static_cast<double>(base[b.inside(n).i]);
            base[b.ghost(n).i] = static_cast<T>(within + law.b + law.c * (2 * n - 1));
          }
        }
  }
}

void AffineFace::apply(Storage& storage, Face face, const Columns& columns) const {
  refuse_device(storage, face);
  if (storage.type() == ElementType::f32)
    fill<float>(storage, face, columns);
  else
    fill<double>(storage, face, columns);
}

}  // namespace sc
