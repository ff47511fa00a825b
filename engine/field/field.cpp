// SPDX-License-Identifier: Apache-2.0
// AnyField: making the levels and turning them over.
#include "engine/field/field.hpp"

#include <algorithm>

namespace sc {

AnyField::AnyField(const Grid& grid, std::string name, ElementType type, int components, FieldOptions options)
    : grid_(grid), name_(std::move(name)) {
  if (options.levels < 1)
    refuse("field \"" + name_ + "\" has levels = " + std::to_string(options.levels) +
           "; at least 1 is needed");
  if (options.space == Space::disk)
    refuse("field \"" + name_ + "\" asks for a disk; fields on disk pass through a SlabStream");
  for (int level = 0; level < options.levels; ++level)
    storages_.push_back(options.space == Space::device
                            ? std::make_shared<Storage>(grid_, name_, type, components, Space::device)
                            : std::make_shared<Storage>(grid_, name_, type, components, grid_.arena()));
}

void AnyField::advance() { std::rotate(storages_.begin(), storages_.begin() + 1, storages_.end()); }

}  // namespace sc
