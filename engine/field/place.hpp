// SPDX-License-Identifier: Apache-2.0
// Place: the memory in which a stage finds the cells of a field: its own storage, or a slot with some of its
// planes. The base is shifted so that the offsets of the grid's layout are valid there too.
#pragma once

#include "engine/field/storage.hpp"

namespace sc {

struct Place {
  std::byte* base = nullptr;  ///< of own cell (0, 0, 0) of component 0, even if it is not in the slot
  std::ptrdiff_t component_stride = 0;  ///< elements from one component to the next
};

inline Place place_of(const Storage& storage) { return {storage.base(), storage.component_stride()}; }

}  // namespace sc
