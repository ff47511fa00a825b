// SPDX-License-Identifier: Apache-2.0
// Routes: where the cells of each item lie on this rank before and after they travel, and the copies that
// take parts of parcels out of them, into them, and straight from rank to rank.
#pragma once

#include <array>
#include <vector>

#include "engine/base/arena.hpp"
#include "engine/field/storage.hpp"
#include "engine/move/parcels/box_copy.hpp"
#include "engine/move/parcels/region.hpp"

namespace sc {

/// Cells in memory that all ranks of the node see: a chunk of an arena that they have made together.
struct SharedPlace {
  const Arena* arena = nullptr;
  int chunk = 0;
  std::byte* base = nullptr;  ///< as CellMemory's
};

/// Where the cells of one item come from on this rank and where they go; the same for a halo.
struct Route {
  Route(Storage& storage_from, Storage& storage_to);
  /// Cells of the caller, who keeps them alive and knows when they may be written.
  Route(const CellMemory& cells, int number, std::size_t bytes)
      : from_cells(cells), to_cells(cells), components(number), cell_bytes(bytes) {}

  int layers_of(const Part& part) const { return part.layers.count > 0 ? part.layers.count : components; }
  std::size_t bytes_of(const Part& part) const {
    return static_cast<std::size_t>(part.cells() * layers_of(part)) * cell_bytes;
  }
  /// The cells that a part is taken from, or put to.
  CellMemory cells(const Part& part, bool leaving) const {
    return leaving ? from_cells.layer(part.layers.source) : to_cells.layer(part.layers.sink);
  }
  /// Packing into `packed` or unpacking from it.
  BoxCopy packing(const Part& part, std::byte* packed, bool leaving) const;
  /// From the owner's cells, this rank's or a peer's, to where they go.
  BoxCopy straight(const CellMemory& owned, const Part& part) const;

  Storage* from = nullptr;
  Storage* to = nullptr;
  CellMemory from_cells, to_cells;
  int components;
  std::size_t cell_bytes;  ///< of one component
  /// Without an arena where peers cannot see the cells. Between the two Exchange::rebind() may change, on all
  /// ranks.
  std::array<SharedPlace, 2> places{};
};

/// What an exchange is made of. Both ends of a pair of ranks bring the same parcels for each other in the
/// same order.
struct Parcels {
  std::vector<Route> routes;
  std::vector<Parcel> departures, arrivals;
};

/// The copies of some parts, into or out of `packed`, where they follow one another.
std::vector<BoxCopy> packing(const std::vector<Route>& routes, const std::vector<Part>& parts,
                             std::byte* packed, bool leaving);
std::size_t bytes_of(const std::vector<Route>& routes, const std::vector<Part>& parts);

}  // namespace sc
