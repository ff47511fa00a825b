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

/// Bytes of a slot for `planes` whole planes normal to z, halo and row padding included.
inline std::size_t slab_bytes(const Storage& storage, int planes) {
  return static_cast<std::size_t>(storage.grid().layout().sz * planes * storage.components()) *
         size_of(storage.type());
}

/// The first byte of plane `z` of component `component` in the storage itself. Planes are contiguous, so
/// several planes are one run of bytes. z may be in the halo.
inline std::byte* plane_of(const Storage& storage, int z, int component = 0) {
  const Layout& layout = storage.grid().layout();
  const std::ptrdiff_t first = (z + storage.grid().halo(2)) * layout.sz - layout.origin;
  return storage.base() + (first + component * storage.component_stride()) *
                              static_cast<std::ptrdiff_t>(size_of(storage.type()));
}

}  // namespace sc
