// SPDX-License-Identifier: Apache-2.0
// AnyField: making the levels and turning them over.
#include "engine/field/field.hpp"

#include <algorithm>

namespace sc {

namespace {

/// As fields of Space::host lie, but in memory of its own: neighbours on this node do not see it.
std::shared_ptr<Storage> pinned_storage(const Grid& grid, const std::string& name, ElementType type,
                                        int components) {
  const std::shared_ptr<Device>& device = grid.context().device();
  if (!device) refuse("field \"" + name + "\" is to pass through a device, and the context has none open");
  const Layout& layout = grid.layout();
  const auto size = static_cast<std::ptrdiff_t>(size_of(type));
  Device::Memory memory;
  grid.context().together(
      [&] { memory = device->pinned(static_cast<std::size_t>(layout.elements * components * size)); });
  const Int3 halo{grid.halo(), grid.halo(), grid.halo()};
  const ExternalCells cells{.base = memory.get() + layout.origin * size,
                            .y = layout.sy * size,
                            .z = layout.sz * size,
                            .component = layout.elements * size,
                            .cell_bytes = static_cast<std::size_t>(size),
                            .low = halo,
                            .high = halo};
  return {new Storage(grid, name, type, components, cells), [memory](Storage* storage) { delete storage; }};
}

std::shared_ptr<Storage> storage_of(const Grid& grid, const std::string& name, ElementType type,
                                    int components, Space space) {
  if (space == Space::device) return std::make_shared<Storage>(grid, name, type, components, space);
  if (space == Space::pinned) return pinned_storage(grid, name, type, components);
  return std::make_shared<Storage>(grid, name, type, components, grid.arena());
}

}  // namespace

AnyField::AnyField(const Grid& grid, std::string name, ElementType type, int components, FieldOptions options)
    : grid_(grid), name_(std::move(name)), place_(std::move(options.place)) {
  if (options.levels < 1)
    refuse("field \"" + name_ + "\" has levels = " + std::to_string(options.levels) +
           "; at least 1 is needed");
  if (place_ && options.space != Space::host)
    refuse("field \"" + name_ + "\" has both a space and a place; a field lies in one of them");
  for (int level = 0; level < options.levels; ++level)
    storages_.push_back(place_ ? place_->storage(grid_, name_, type, components)
                               : storage_of(grid_, name_, type, components, options.space));
}

void AnyField::advance() { std::rotate(storages_.begin(), storages_.begin() + 1, storages_.end()); }

}  // namespace sc
