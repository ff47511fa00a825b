// SPDX-License-Identifier: Apache-2.0
// Routes: the memory of the cells of each item on this rank, at the source and at the destination, and the
// copies for parts of parcels: packing, unpacking, and directly from rank to rank.
#pragma once

#include <array>
#include <vector>

#include "engine/base/arena.hpp"
#include "engine/field/storage.hpp"
#include "engine/move/parcels/box_copy.hpp"
#include "engine/move/parcels/region.hpp"

namespace sc {

/// Cells in memory that all ranks of the node can access: a chunk of an arena that they created together.
struct SharedPlace {
  const Arena* arena = nullptr;
  int chunk = 0;
  std::byte* base = nullptr;  ///< as in CellMemory
};

/// The source and the destination of the cells of one item on this rank; the same for a halo.
struct Route {
  Route(Storage& storage_from, Storage& storage_to);
  /// Cells of the caller, who keeps them alive and knows when they may be written.
  Route(const CellMemory& cells, int number, std::size_t bytes)
      : from_cells(cells), to_cells(cells), components(number), cell_bytes(bytes) {}

  int layers_of(const Part& part) const { return part.layers.count > 0 ? part.layers.count : components; }
  std::size_t bytes_of(const Part& part) const {
    return static_cast<std::size_t>(part.cells() * layers_of(part)) * cell_bytes;
  }
  /// The cells from which a part is copied, or to which it is copied.
  CellMemory cells(const Part& part, bool leaving) const {
    return leaving ? from_cells.layer(part.layers.source) : to_cells.layer(part.layers.sink);
  }
  /// Packs into `packed` or unpacks from it.
  BoxCopy packing(const Part& part, std::byte* packed, bool leaving) const;
  /// Copies from the owner's cells, on this rank or a peer, to the destination.
  BoxCopy straight(const CellMemory& owned, const Part& part) const;

  Storage* from = nullptr;
  Storage* to = nullptr;
  CellMemory from_cells, to_cells;
  int components;
  std::size_t cell_bytes;  ///< of one component
  /// Without an arena if peers cannot access the cells. Exchange::rebind() may change between the two, on all
  /// ranks.
  std::array<SharedPlace, 2> places{};
};

/// The contents of an exchange. Both ranks of a pair have the same parcels for each other in the same order.
struct Parcels {
  std::vector<Route> routes;
  std::vector<Parcel> departures, arrivals;
};

/// The copies of some parts, into or out of `packed`, one after the other.
std::vector<BoxCopy> packing(const std::vector<Route>& routes, const std::vector<Part>& parts,
                             std::byte* packed, bool leaving);
std::size_t bytes_of(const std::vector<Route>& routes, const std::vector<Part>& parts);

}  // namespace sc
