// SPDX-License-Identifier: Apache-2.0
// Calls of compiled kernels: rows divided among threads, columns of a face, launches on a device.
#include "engine/exec/compiled_rows.hpp"

#include "engine/base/error.hpp"

namespace sc {

namespace {

void add_values(void* into, int k, const double* values, int count) {
  (*static_cast<std::span<Accumulator>*>(into))[static_cast<std::size_t>(k)].add(values, count);
}

/// Copies of a kernel's bytes and of its fields' addresses, for execution at a later time.
struct Kept {
  std::vector<std::byte> kernel;
  std::vector<CellsAt> fields;
};

void check_launch(const char* said, const std::string& what, const Device& device) {
  if (said) throw Error(Exit::failure, what + " cannot run on " + device.describe() + ": " + said);
}

/// Enqueues function(&call) on the device; `show` points the call at the kept copies.
template <class Call, class Show>
void launch_compiled(Device& device, Stream stream, Int3 extent, Call call, Kept kept,
                     const std::string& what, const char* (*function)(const Call*), Show show) {
  call.on = {device.runs_on_host(), device.native(stream), shape_of(extent)};
  if (!device.runs_on_host()) {
    show(call, kept);
    return check_launch(function(&call), what, device);
  }
  device.enqueue(stream, [=, &device, kept = std::move(kept)]() mutable {
    show(call, kept);
    check_launch(function(&call), what, device);
  });
}

}  // namespace

void for_each_compiled(const Box& box, const Lattice& lattice, const Frame& frame, int threads,
                       std::span<Accumulator> into, const CompiledRows& rows,
                       std::span<const CellsAt> fields) {
  if (box.empty()) return;
  const Int3 n = box.extent();
  const auto part = [&](std::int64_t first, std::int64_t last, std::span<Accumulator> mine) {
    const RowsCall call{.in = {box, lattice, frame.origin, frame.layout.sy, frame.layout.sz},
                        .first = first,
                        .last = last,
                        .order = frame.order,
                        .fields = fields.data(),
                        .kernel = rows.kernel.data(),
                        .add = into.empty() ? nullptr : &add_values,
                        .into = &mine};
    rows.function(&call);
  };
  detail::share_rows(std::int64_t{n.y} * n.z, threads, into, part);
}

void device_cells_compiled(Device& device, Stream stream, const Box& box, const Lattice& lattice,
                           const Frame& frame, DeviceTally* tally, Reduce reduce, const std::string& what,
                           const CompiledRows& rows, std::span<const CellsAt> fields) {
  if (box.empty()) return;
  const CellsCall call{.on = {},
                       .box = box,
                       .lattice = lattice,
                       .origin = frame.origin,
                       .sy = frame.layout.sy,
                       .sz = frame.layout.sz,
                       .fields = nullptr,
                       .kernel = nullptr,
                       .reduce = reduce,
                       .tally = tally ? tally->memory() : nullptr};
  launch_compiled(device, stream, detail::places_of(box, lattice), call,
                  {rows.kernel, {fields.begin(), fields.end()}}, what, rows.on_device,
                  [](CellsCall& shown, const Kept& kept) {
                    shown.fields = kept.fields.data();
                    shown.kernel = kept.kernel.data();
                  });
}

void CompiledFace::apply(Storage& storage, Face face, const Columns& columns) const {
  Device* device = storage.device();
  const std::string what =
      "the boundary condition of field \"" + storage.name() + "\" beyond " + face_name(face);
  std::vector<CellsAt> fields{{storage.base(), storage.component_stride()}};
  if (device) {
    if (!columns_.on_device)
      refuse(what + " runs on the host only, and the field lies on " + device->describe());
    storage.use_on_device(true);
  }
  for (const ReadBeside& other : others_) {
    Storage& beside = other.field->storage(other.level);
    if (beside.device() != device || beside.far())
      throw Error(Exit::failure,
                  what + " reads field \"" + beside.name() + "\", which lies in another memory");
    if (device) beside.use_on_device(false);
    fields.push_back({beside.base(), beside.component_stride()});
  }
  const Grid& grid = storage.grid();
  const Layout& layout = grid.layout();
  const std::ptrdiff_t along = face.axis == 0 ? 1 : face.axis == 1 ? layout.sy : layout.sz;
  const ColumnsCall call{.cells = columns.cells,
                         .sy = layout.sy,
                         .sz = layout.sz,
                         .outward = face.side ? along : -along,
                         .layers = columns.layers > 0 ? columns.layers : grid.halo(face.axis),
                         .fields = fields.data(),
                         .kernel = columns_.kernel.data()};
  if (device) return launch(*device, call, fields, what);
  columns_.function(&call);
}

void CompiledFace::launch(Device& device, const ColumnsCall& columns, const std::vector<CellsAt>& fields,
                          const std::string& what) const {
  if (columns.cells.empty()) return;
  launch_compiled(device, Stream::edge, columns.cells.extent(), FaceCall{{}, columns},
                  {columns_.kernel, fields}, what, columns_.on_device, [](FaceCall& shown, const Kept& kept) {
                    shown.columns.fields = kept.fields.data();
                    shown.columns.kernel = kept.kernel.data();
                  });
}

}  // namespace sc
