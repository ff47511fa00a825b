// SPDX-License-Identifier: Apache-2.0
// _core.StencilGrid and _core.StencilField.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "engine/move/output/gather.hpp"
#include "engine/move/stream/budget.hpp"
#include "engine/move/stream/file_memory.hpp"
#include "engine/move/stream/rehearsed_files.hpp"
#include "io/snapshot.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/stencil.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sc::python {

StencilGrid::StencilGrid(std::shared_ptr<Ranks> r, Triple cells, std::array<bool, 3> periodic,
                         std::array<int, 2> halos, Triple split, std::string scratch, int pieces, int number)
    : ranks(std::move(r)),
      grid(ranks->open(), {.cells = {cells[0], cells[1], cells[2]},
                           .periodic = {periodic[0], periodic[1], periodic[2]},
                           .halo = halos[0],
                           .wall_halo = halos[1],
                           .split = {split[0], split[1], split[2]}}),
      scratch_(std::move(scratch)),
      pieces_(pieces),
      number_(number) {}

std::unique_ptr<FarMemory> StencilGrid::far_memory() {
  if (context().rehearses()) return std::make_unique<RehearsedFiles>(context(), true);
  FileMemoryOptions files = scratch_files(context(), {.scratch = scratch_}, true);
  files.name += " grid " + std::to_string(number_);
  return std::make_unique<FileMemory>(std::move(files));
}

FieldOptions StencilGrid::options(int levels, const std::string& place) {
  FieldOptions made{.levels = levels};
  if (place == "memory") {
    made.space = context().device() ? Space::device : Space::host;
  } else if (place == "host") {
    if (!host_) context().together([&] { host_ = in_host_memory_of(context().device(), pieces_); });
    made.place = host_;
  } else {
    if (!files_) context().together([&] { files_ = std::make_shared<SlabPlace>(far_memory(), pieces_); });
    made.place = files_;
  }
  return made;
}

Storage& StencilField::computed(int level) {
  Storage& one = storage(level);
  if (one.in_flight() && one.in_flight()->computes()) one.in_flight()->finish();
  return one;
}

void StencilField::forget_halos() {
  for (int level = 0; level < field.levels(); ++level) {
    storage(level).settle();
    storage(level).set_fresh(point);
  }
}

void StencilField::changed() {
  for (StencilField* one : dependents) one->forget_halos();
}

/// The interpreter may end fields that read one another in any order.
StencilField::~StencilField() {
  for (auto& all : beside)
    for (auto& [other, level] : all)
      if (other != this) std::erase(other->dependents, this);
  for (StencilField* one : dependents)
    if (one != this)
      for (auto& all : one->beside)
        std::erase_if(all, [this](const auto& read) { return read.first == this; });
}

namespace {

using Field = StencilField;
using Self = nb::pointer_and_handle<Field>;

nb::object gathered(Field& f, int level) {
  std::vector<std::byte> bytes = unlocked([&] { return gather(f.computed(level)); });
  if (f.grid->context().rank() != 0) return nb::none();
  return nb::cast(owned(std::move(bytes), f.storage(level), f.grid->grid.cells()));
}

void check_near(const Storage& storage) {
  if (const Far* far = storage.far())
    refuse("field \"" + storage.name() + "\" lies " + far->where() +
           ", of which there is no array; each_slab() shows it slab by slab, and gather() copies it");
}

/// use(lo, view) with own planes from `lo` on, slab by slab; `written`: what it leaves there is kept.
void each_slab(Field& f, int level, bool written, const nb::callable& use) {
  Storage& storage = f.computed(level);
  if (written) {
    storage.begin_host_write();
    f.changed();
  }
  storage.each_slab(true, written,
                    [&](int lo, int hi) { use(lo, view_of_planes(nb::none(), storage, lo, hi)); });
}

/// What one rank may look at without the others.
Storage& looked_at(Field& f, int level) {
  Storage& storage = f.storage(level);
  check_near(storage);
  if (storage.in_flight() && storage.in_flight()->computes())
    refuse(
        "field \"" + storage.name() +
        "\" is looked at while steps that work on it are recorded and not carried out; call finish() of the "
        "loop before, or gather() of the field, on all ranks");
  storage.settle();
  return storage;
}

/// The values of single cells of the whole grid, cell after cell and component after component, on all ranks.
std::vector<double> values_at(Field& f, const std::vector<Triple>& cells) {
  Storage& storage = f.computed(0);
  const Grid& grid = storage.grid();
  const auto components = static_cast<std::size_t>(storage.components());
  std::string mine(cells.size() * components * sizeof(double), '\0');
  const auto value = [&](Int3 c, std::size_t k) {
    const std::ptrdiff_t at =
        grid.layout().offset(c) + static_cast<std::ptrdiff_t>(k) * storage.component_stride();
    return storage.type() == ElementType::f32
               ? static_cast<double>(reinterpret_cast<const float*>(storage.host_base())[at])
               : reinterpret_cast<const double*>(storage.host_base())[at];
  };
  storage.each_slab(true, false, [&](int lo, int hi) {
    for (std::size_t n = 0; n < cells.size(); ++n) {
      const Int3 c = Int3{cells[n][0], cells[n][1], cells[n][2]} - grid.origin();
      if (!grid.own().contains(c) || c.z < lo || c.z >= hi) continue;
      for (std::size_t k = 0; k < components; ++k) {
        const double v = value(c, k);
        std::memcpy(mine.data() + (n * components + k) * sizeof v, &v, sizeof v);
      }
    }
  });
  // Each cell is one rank's, the others have zeros: bits are joined, not added.
  std::string all(mine.size(), '\0');
  for (const std::string& part : grid.context().gather(mine))
    for (std::size_t i = 0; i < part.size(); ++i) all[i] = static_cast<char>(all[i] | part[i]);
  grid.context().broadcast(all);
  std::vector<double> values(cells.size() * components);
  std::memcpy(values.data(), all.data(), all.size());
  return values;
}

/// The fields that a face's condition reads, instead of those that the one before it has read.
void read_beside(Field& f, int axis, int side, std::vector<std::pair<Field*, int>> others) {
  for (auto& all : f.beside)
    for (auto& [other, level] : all) std::erase(other->dependents, &f);
  f.beside[std::size_t(2 * axis + side)] = std::move(others);
  for (auto& all : f.beside)
    for (auto& [other, level] : all) other->dependents.push_back(&f);
}

void set_affine(Field& f, int axis, int side, const std::vector<std::array<double, 3>>& laws) {
  std::vector<AffineFace::Law> all;
  for (const auto& [a, b, c] : laws) all.push_back({a, b, c});
  f.forget_halos();  // first: steps recorded so far have the condition before this one
  f.field.boundaries().set({axis, side}, std::make_shared<AffineFace>(std::move(all)));
  read_beside(f, axis, side, {});
}

void set_compiled(Field& f, int axis, int side, std::uintptr_t function, bool on_device,
                  const nb::bytes& kernel, int inward,
                  const std::vector<std::pair<std::shared_ptr<Field>, int>>& others) {
  const auto* bytes = reinterpret_cast<const std::byte*>(kernel.c_str());
  CompiledColumns columns{nullptr, std::vector<std::byte>(bytes, bytes + kernel.size()), inward};
  if (on_device)
    columns.on_device = reinterpret_cast<const char* (*)(const FaceCall*)>(function);
  else
    columns.function = reinterpret_cast<void (*)(const ColumnsCall*)>(function);
  std::vector<ReadBeside> read;
  std::vector<std::pair<Field*, int>> beside;
  for (const auto& [other, level] : others) {
    const Storage &own = f.storage(0), &theirs = other->storage(0);
    if (own.far() || theirs.far())
      refuse("the boundary condition of field \"" + f.field.name() + "\" reads field \"" +
             other->field.name() + "\", and one of them lies " +
             (own.far() ? own.far() : theirs.far())->where() +
             "; allowed there are conditions that read nothing else");
    read.push_back({&other->field, level});
    beside.emplace_back(other.get(), level);
  }
  f.forget_halos();  // first, as above
  f.field.boundaries().set({axis, side}, std::make_shared<CompiledFace>(std::move(columns), std::move(read)));
  read_beside(f, axis, side, std::move(beside));
}

using Shown = std::tuple<std::string, std::shared_ptr<Field>, int>;

void write_snapshot(const std::string& path, const std::vector<Shown>& fields,
                    const std::array<double, 3>& origin, const std::array<double, 3>& spacing,
                    std::int64_t step, double time, const std::map<std::string, std::string>& units) {
  io::Snapshot snapshot{
      .uniform = io::UniformPoints{origin, spacing}, .step = step, .time = time, .units = units};
  for (const auto& [name, field, level] : fields) snapshot.fields.push_back({name, &field->computed(level)});
  io::write_snapshot(path, snapshot);
}

void bind_grid(nb::module_& module) {
  nb::class_<StencilGrid>(module, "StencilGrid")
      .def(nb::init<std::shared_ptr<Ranks>, Triple, std::array<bool, 3>, std::array<int, 2>, Triple,
                    std::string, int, int>(),
           "context"_a, "cells"_a, "periodic"_a, "halos"_a, "split"_a, "scratch"_a, "pieces"_a, "number"_a,
           Unlocked())
      .def_prop_ro("split", [](StencilGrid& g) { return tuple_of(g.grid.split()); })
      .def("box", [](StencilGrid& g) {
        const Box box = g.grid.global_box();
        return nb::make_tuple(tuple_of(box.lo), tuple_of(box.hi));
      });
}

}  // namespace

void bind_stencil_field(nb::module_& module) {
  bind_grid(module);
  nb::class_<Field>(module, "StencilField")
      .def(nb::init<std::shared_ptr<StencilGrid>, const std::string&, int, bool, int, const std::string&>(),
           "grid"_a, "name"_a, "components"_a, "single"_a, "levels"_a, "place"_a, Unlocked())
      .def("advance",
           [](Field& f) {
             f.field.advance();
             f.changed();
           })
      .def(
          "view", [](Self self, int level) { return view(self.h, looked_at(*self.p, level)); }, "level"_a,
          "This rank's own cells; to be read.")
      .def(
          "modify",
          [](Self self, int level) {
            check_near(self.p->storage(level));
            unlocked([&] {
              self.p->storage(level).begin_host_write();
              self.p->changed();
            });
            return view(self.h, self.p->storage(level));
          },
          "level"_a, "The same to be written, on all ranks alike.")
      .def("each_slab", &each_slab, "level"_a, "written"_a, "use"_a,
           "use(lo, view) with own planes from lo on, slab by slab.")
      .def("gather", &gathered, "level"_a)
      .def("values_at", &values_at, "cells"_a, Unlocked())
      .def("set_affine", &set_affine, "axis"_a, "side"_a, "laws"_a)
      .def("set_compiled", &set_compiled, "axis"_a, "side"_a, "function"_a, "on_device"_a, "kernel"_a,
           "inward"_a, "others"_a)
      .def_prop_ro(
          "on_device", [](Field& f) { return f.storage(0).device() != nullptr; },
          "Whether a device computes it.")
      .def(
          "leave_unread",
          [](Field& f, int axis, int side) {
            f.forget_halos();
            f.field.boundaries().leave({axis, side}, Beyond::unread);
            read_beside(f, axis, side, {});
          },
          "axis"_a, "side"_a);
  module.def("write_stencil_snapshot", &write_snapshot, "path"_a, "fields"_a, "origin"_a, "spacing"_a,
             "step"_a, "time"_a, "units"_a, Unlocked());
}

}  // namespace sc::python
