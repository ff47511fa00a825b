// SPDX-License-Identifier: Apache-2.0
// Route: copies for the parts of a parcel.
#include "engine/move/parcels/route.hpp"

namespace sc {

Route::Route(Storage& storage_from, Storage& storage_to)
    : from(&storage_from),
      to(&storage_to),
      from_cells(CellMemory::of(storage_from)),
      to_cells(CellMemory::of(storage_to)),
      components(storage_from.components()),
      cell_bytes(storage_from.cell_bytes()) {
  if (storage_from.device() || storage_from.external().base) return;
  places[0] = {&storage_from.arena(), storage_from.block().chunk, from_cells.base};
}

BoxCopy Route::straight(const CellMemory& owned, const Part& part) const {
  const CellMemory source = owned.layer(part.layers.source), sink = cells(part, false);
  if (part.entries) return {source, part.entries, sink, part.sink, layers_of(part), cell_bytes};
  if (part.lattice.colours > 1)
    return {BoxCopy::Coloured::rows, part.lattice, part.global, source, part.source, sink, part.sink,
            layers_of(part),         cell_bytes};
  return {source, part.source, sink, part.sink, layers_of(part), cell_bytes};
}

BoxCopy Route::packing(const Part& part, std::byte* packed, bool leaving) const {
  const Box& box = leaving && !part.entries ? part.source : part.sink;
  const CellMemory here = cells(part, leaving), buffer = CellMemory::dense(packed, box, cell_bytes);
  if (leaving && part.entries) return {here, part.entries, buffer, box, layers_of(part), cell_bytes};
  if (part.lattice.colours > 1) {
    const CellMemory message{packed, 0, 0, 0};
    return {leaving ? BoxCopy::Coloured::pack : BoxCopy::Coloured::unpack,
            part.lattice,
            part.global,
            leaving ? here : message,
            box,
            leaving ? message : here,
            box,
            layers_of(part),
            cell_bytes};
  }
  return {leaving ? here : buffer, box, leaving ? buffer : here, box, layers_of(part), cell_bytes};
}

std::vector<BoxCopy> packing(const std::vector<Route>& routes, const std::vector<Part>& parts,
                             std::byte* packed, bool leaving) {
  std::vector<BoxCopy> copies;
  for (const Part& part : parts) {
    const Route& route = routes[static_cast<std::size_t>(part.item)];
    copies.push_back(route.packing(part, packed, leaving));
    packed += route.bytes_of(part);
  }
  return copies;
}

std::size_t bytes_of(const std::vector<Route>& routes, const std::vector<Part>& parts) {
  std::size_t sum = 0;
  for (const Part& part : parts) sum += routes[static_cast<std::size_t>(part.item)].bytes_of(part);
  return sum;
}

}  // namespace sc
