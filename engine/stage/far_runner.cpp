// SPDX-License-Identifier: Apache-2.0
// FarRunner: slots become the places of far fields.
#include "engine/stage/far_runner.hpp"

#include "engine/base/error.hpp"

namespace sc {

namespace {

std::shared_ptr<Storage> nowhere(const Grid& grid, const std::string& name, ElementType type, int components) {
  ExternalCells cells;
  cells.cell_bytes = size_of(type);
  return std::make_shared<Storage>(grid, name, type, components, cells);
}

FarField* far(const Access& access) { return dynamic_cast<FarField*>(access.field); }

/// Bytes from the beginning of a plane to its own cell (0, 0).
std::ptrdiff_t lead(const Grid& grid, ElementType type) {
  return (grid.layout().origin - grid.halo() * grid.layout().sz) * static_cast<std::ptrdiff_t>(size_of(type));
}

}  // namespace

FarField::FarField(const Grid& grid, const std::string& name, ElementType type, int components,
                   FarMemory& memory, int pieces)
    : AnyField({nowhere(grid, name, type, components)}) {
  for (int k = 0; k < components; ++k)
    arrays_.emplace_back(memory, components == 1 ? name : name + " " + std::to_string(k), grid.own().hi.z,
                         plane_bytes(grid, type), pieces);
}

StreamPhase FarRunner::phase_of(Stage& stage) {
  StreamPhase phase;
  for (const Access& a : stage.accesses()) {
    FarField* field = far(a);
    if (!field) continue;
    if (a.reach.width > 0)
      throw Error(Exit::failure, "stage \"" + stage.name() + "\" reads \"" + field->name() +
                                     "\", which lies in files, further than its own cell");
    const auto mode = a.mode == Mode::read    ? StreamUse::Mode::reads
                      : a.mode == Mode::write ? StreamUse::Mode::writes
                                              : StreamUse::Mode::updates;
    for (FarArray& array : field->arrays()) phase.push_back({&array, mode});
  }
  return phase;
}

void FarRunner::run(Stage& stage, Stage* next) {
  const StreamPhase phase = phase_of(stage);
  const StreamPhase after = next ? phase_of(*next) : StreamPhase{};
  for (Accumulator& a : stage.accumulators()) a.clear();
  for (const Access& a : stage.accesses())
    if (a.mode != Mode::read && !far(a)) {
      a.storage().settle();
      a.storage().set_fresh(point);
    }
  const auto compute = [&](const Slot& slot) {
    std::vector<Place> places;
    std::size_t use = 0;
    for (const Access& a : stage.accesses()) {
      if (!far(a)) {
        places.push_back(place_of(a.storage()));
        continue;
      }
      const ElementType type = a.storage().type();
      std::byte* first = slot.plane(use, 0);
      const std::ptrdiff_t distance = a.storage().components() > 1 ? slot.plane(use + 1, 0) - first : 0;
      places.push_back({first + lead(stage.grid(), type), distance / static_cast<std::ptrdiff_t>(size_of(type))});
      use += static_cast<std::size_t>(a.storage().components());
    }
    stage.bind(places);
    Box slab = stage.grid().own();
    slab.lo.z = slot.lo();
    slab.hi.z = slot.hi();
    stage.compute(slab, context_.threads(), stage.accumulators());
    stage.bind({});
  };
  stream_.run(phase, compute, after.empty() ? nullptr : &after);
}

}  // namespace sc
