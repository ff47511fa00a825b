// SPDX-License-Identifier: Apache-2.0
// Transpose: from pencils along one axis to pencils along another, for work on whole lines (transforms,
// tridiagonal solves). It travels in chunks of lines, while other lines are computed. Cells stay in the order
// x, y, z on both sides: rows along x are copied whole, and work along y or z gathers adjacent lines into a
// buffer in the cache. Modes that a transform leaves out are not in the grids.
#pragma once

#include "engine/move/redistribute.hpp"

namespace sc {

struct TransposeOptions {
  int leaving = 0;   ///< chunks in which `from` is computed; 0: chosen
  int arriving = 0;  ///< chunks in which `to` is computed; 0: chosen
  ChunkBytes piece_bytes = {};
};

class Transpose final : public Redistribute {
 public:
  /// Collective. `from` has whole lines along `from_axis` on every rank, `to` along `to_axis`; cells that
  /// only one of the grids has stay where they are. Throws Error (bad_input) where a line is cut.
  Transpose(Storage& from, int from_axis, Storage& to, int to_axis, TransposeOptions options = {});

  /// The chunks in which the own cells of `from` leave, all pencils of a slab, in local coordinates.
  int leaving() const { return leaving_.count; }
  Box leaving(int chunk) const { return leaving_.slab(from_own_, chunk); }
  /// Those in which the own cells of `to` arrive.
  int arriving() const { return arriving_.count; }
  Box arriving(int chunk) const { return arriving_.slab(to_own_, chunk); }

  /// Whether a chunk of `to` comes from the chunks of the same number alone, on all ranks.
  bool cuts_agree() const { return leaving_.axis == arriving_.axis && leaving_.count == arriving_.count; }

  /// A chunk of `from` has been computed: its pieces go. Every chunk once a round, empty ones too.
  using Redistribute::start_chunk;
  /// Makes progress on a chunk of `to`; true once all of it is there. Not before the first start_chunk().
  bool chunk_arrived(int chunk) { return take_chunk(chunk); }
  /// Pushes on the messages of the round under way, without taking what lies in peers' memory.
  using Redistribute::push;

 private:
  Transpose(Storage& from, Storage& to, const InChunks& chunks);

  Chunks leaving_, arriving_;
  Box from_own_, to_own_;
};

}  // namespace sc
