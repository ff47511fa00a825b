// SPDX-License-Identifier: Apache-2.0
// AnyField: creation and rotation of time levels.
#include "engine/field/field.hpp"

#include <algorithm>

namespace sc {

namespace {

std::shared_ptr<Storage> storage_of(const Grid& grid, const std::string& name, ElementType type,
                                    int components, Space space) {
  if (space == Space::device) return std::make_shared<Storage>(grid, name, type, components, space);
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
