// SPDX-License-Identifier: Apache-2.0
// Regions (boxes that are sent from one rank to another) and parcels (the regions of all items that are sent
// together, divided into pieces). Both ranks of a pair make the same parcels in the same order from the same
// regions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "engine/grid/box.hpp"
#include "engine/grid/lattice.hpp"

namespace sc {

/// The usual limit of a piece to another node, in bytes: below the eager limit of the transport (64 KiB for
/// Open MPI over TCP).
inline constexpr std::size_t eager_piece = std::size_t{60} * 1024;

/// A range of components of an item, or of the fourth axis of a user array, which may have a halo too.
struct Layers {
  int source = 0, sink = 0;  ///< the first one at each end
  int count = 0;             ///< 0: all components of the item
  friend bool operator==(const Layers&, const Layers&) = default;
};

struct Region {
  int peer = 0;          ///< the rank at the other end
  Box source;            ///< in the owner's local coordinates
  Box sink;              ///< in the receiver's local coordinates; the same extent
  int phase = 0;         ///< phase of a staged exchange
  int group = 0;         ///< number of its group (see Parcel)
  bool in_place = true;  ///< may be read directly from the owner's cells
  Face face;             ///< the side of the receiver; regions of one face are sent together
  Lattice lattice = {};  ///< the cells of one colour only
  Int3 global = {};      ///< global position of source.lo, up to an even number of cells, for the colour
  Layers layers = {};
  std::size_t piece_bytes = 0;  ///< largest size of a piece, all of a face or none; 0: the common limit
  friend bool operator==(const Region&, const Region&) = default;
};

/// Rows shorter than a cache line: reading them in place causes false sharing with the owner, which writes
/// its halo to the same lines (both faces normal to x of 5 x 128^3 doubles: 4.9 ms in place, 4.0 ms packed).
/// They are divided into pieces within a node, too, so that those of both faces are packed in turn and each
/// line is read once (the same faces by messages, from memory: 3.5 ms undivided, 2.9 ms).
inline bool narrow(const Box& source, std::size_t cell_bytes) {
  return static_cast<std::size_t>(source.extent().x) * cell_bytes < 64;
}

struct Part {
  int item = 0;
  Box source, sink;
  /// Positions along x of the cells, in the order of the sink's, if not the whole of `source`.
  std::shared_ptr<const std::vector<int>> entries = nullptr;
  /// Or the cells of one colour, by the global position of source.lo.
  Lattice lattice = {};
  Int3 global = {};

  Layers layers = {};

  /// Number of cells, times layers if these are counted.
  std::size_t units() const {
    return static_cast<std::size_t>(cells()) * static_cast<std::size_t>(std::max(1, layers.count));
  }
  std::int64_t cells() const {
    return entries ? static_cast<std::int64_t>(entries->size())
                   : lattice.cells(Box{global, global + source.extent()});
  }
};

struct Parcel {
  int peer = 0;
  /// Parcels of group 0 are sent together and as wholes: both ends start all of them. Others are started one
  /// by one, maybe in part, and their senders wait for no receiver.
  int group = 0;
  int phase = 0;         ///< depends on cells received in previous phases
  bool in_place = true;  ///< may be read directly from the owner's cells, if the receiver can access them
  int order = 0;         ///< number among the parcels of this pair of ranks in this direction
  std::size_t bytes = 0;
  Box source, sink;  ///< bounding boxes of the parts
  std::vector<Part> parts;
};

/// Joins the regions of all items for one peer and face and divides them into pieces of at most `piece_bytes`
/// (or the region's own limit; a single cell is never divided). `regions[i]` belong to item i, whose cell, or
/// layer of a cell, has `cell_bytes[i]`. Sorted by group, phase and axis (z first, the cheapest to pack),
/// then by side; across x slice by slice, because the low halo of a row and the high halo of the previous row
/// share a cache line.
std::vector<Parcel> make_parcels(std::span<const std::vector<Region>> regions,
                                 std::span<const std::size_t> cell_bytes, std::size_t piece_bytes);

}  // namespace sc
