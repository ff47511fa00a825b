// SPDX-License-Identifier: Apache-2.0
// Place: where the cells of one field lie while a stage computes: the field's own storage, or a slot that
// holds some planes of it. The base is shifted so that the offsets of the grid's layout work there too.
#pragma once

#include "engine/field/storage.hpp"

namespace sc {

struct Place {
  std::byte* base = nullptr;            ///< of own cell (0, 0, 0) of component 0, in the slot or not
  std::ptrdiff_t component_stride = 0;  ///< elements from one component to the next
};

inline Place place_of(const Storage& storage) { return {storage.base(), storage.component_stride()}; }

/// Bytes of a slot for `planes` whole planes normal to z, halo and padding of the rows included.
inline std::size_t slab_bytes(const Storage& storage, int planes) {
  return static_cast<std::size_t>(storage.grid().layout().sz * planes * storage.components()) *
         size_of(storage.type());
}

/// The first byte of plane `z` of component `component` in the storage itself; planes follow one another, so
/// that several are one run of bytes. z may lie in the halo.
inline std::byte* plane_of(const Storage& storage, int z, int component = 0) {
  const Layout& layout = storage.grid().layout();
  const std::ptrdiff_t first = (z + storage.grid().halo()) * layout.sz - layout.origin;
  return storage.base() + (first + component * storage.component_stride()) *
                              static_cast<std::ptrdiff_t>(size_of(storage.type()));
}

/// The place of a field in a slot whose first byte is that of plane `first`: `planes` planes a component.
inline Place place_in_slab(const Storage& storage, std::byte* slot, int first, int planes) {
  return {slot + (storage.base() - plane_of(storage, first)), storage.grid().layout().sz * planes};
}

}  // namespace sc
