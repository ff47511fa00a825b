// SPDX-License-Identifier: Apache-2.0
// Transpose: from pencils along one axis to pencils along another, for work on whole lines (transforms,
// tridiagonal solves). It is sent in chunks of lines while other lines are computed. Cells keep the order x,
// y, z on both sides: rows along x are copied as a whole, and work along y or z gathers adjacent lines into a
// buffer in the cache. The grids do not contain modes that a transform drops.
#pragma once

#include "engine/move/redistribute.hpp"

namespace sc {

struct TransposeOptions {
  int leaving = 0;   ///< number of chunks in which `from` is computed; 0: chosen
  int arriving = 0;  ///< number of chunks in which `to` is computed; 0: chosen
  ChunkBytes piece_bytes = {};
  /// If positive, cells are stored slab by slab, in a slab by y, then z, then x, with so many elements
  /// between rows, so that what goes from one rank to another is contiguous at both ends. Slabs lie across z:
  /// those of `from`'s or `to`'s chunks, of which one is a single chunk. A rank's cells for itself are not
  /// copied: both ends take them from one place.
  int slab_major_row = 0;
};

class Transpose final : public Redistribute {
 public:
  /// Collective. `from` has whole lines along `from_axis` on every rank, `to` along `to_axis`; cells of only
  /// one of the grids are not moved. Throws Error (bad_input) if a line is divided.
  Transpose(Storage& from, int from_axis, Storage& to, int to_axis, TransposeOptions options = {});

  /// The chunks in which the own cells of `from` are sent, all pencils of a slab, in local coordinates.
  int leaving() const { return leaving_.count; }
  Box leaving(int chunk) const { return leaving_.slab(from_own_, chunk); }
  /// Those in which the own cells of `to` arrive.
  int arriving() const { return arriving_.count; }
  Box arriving(int chunk) const { return arriving_.slab(to_own_, chunk); }

  /// Whether a chunk of `to` depends only on chunks of the same number, on all ranks.
  bool cuts_agree() const { return leaving_.axis == arriving_.axis && leaving_.count == arriving_.count; }

  /// Sends the pieces of a computed chunk of `from`. Call it for every chunk once in each round, also for
  /// empty ones.
  void start_chunk(int chunk) {
    for (int j = 0; j < arriving(); ++j) start_chunk(chunk, j);
  }
  /// The same for those pieces that belong to an arriving chunk.
  using Redistribute::start_chunk;
  /// Makes progress on a chunk of `to`; true when it is complete. Call it after the first start_chunk().
  bool chunk_arrived(int chunk) { return take_chunk(chunk); }
  /// Makes progress on the messages of the round, without copying from peers' memory.
  using Redistribute::push;

 private:
  Transpose(Storage& from, Storage& to, const InChunks& chunks);

  Chunks leaving_, arriving_;
  Box from_own_, to_own_;
};

}  // namespace sc
