// SPDX-License-Identifier: Apache-2.0
// Transpose: the division into slabs; Redistribute does the transfers.
#include "engine/move/transpose.hpp"

#include <algorithm>

#include "engine/base/error.hpp"

namespace sc {

namespace {

// The chunk size: a slab that has arrived is still in the second-level cache when its lines are computed, and
// its computation takes well below a millisecond, the interval in which a movement needs a poke.
constexpr std::size_t chunk_bytes = std::size_t{1} << 20;
constexpr int most_chunks = 32;

/// The slowest axis in memory that is not the axis of the lines.
int slab_axis(int pencil) { return pencil == 2 ? 1 : 2; }

/// The division is the same on all ranks, because it follows from the largest block.
Chunks slabs(const Storage& storage, int pencil, int wanted) {
  const Grid& grid = storage.grid();
  if (pencil < 0 || pencil > 2 || grid.split()[pencil] != 1)
    refuse("\"" + storage.name() + "\" has no whole lines along axis " + std::to_string(pencil) +
           ": its split is " + to_string(grid.split()));
  Int3 largest;
  for (int axis = 0; axis < 3; ++axis)
    for (std::size_t b = 0; b + 1 < grid.cuts(axis).size(); ++b)
      largest[axis] = std::max(largest[axis], grid.cuts(axis)[b + 1] - grid.cuts(axis)[b]);
  const std::size_t bytes = static_cast<std::size_t>(Box{{}, largest}.cells()) *
                            static_cast<std::size_t>(storage.components()) * size_of(storage.type());
  const int axis = slab_axis(pencil);
  if (wanted < 1)
    wanted =
        std::min({static_cast<int>((bytes + chunk_bytes - 1) / chunk_bytes), most_chunks, largest[axis]});
  return {axis, std::max(1, wanted)};
}

}  // namespace

Transpose::Transpose(Storage& from, Storage& to, const InChunks& chunks)
    : Redistribute(from, to, chunks),
      leaving_(chunks.leaving),
      arriving_(chunks.arriving),
      from_own_(from.grid().own()),
      to_own_(to.grid().own()) {}

Transpose::Transpose(Storage& from, int from_axis, Storage& to, int to_axis, TransposeOptions options)
    : Transpose(from, to,
                InChunks{.leaving = slabs(from, from_axis, options.leaving),
                         .arriving = slabs(to, to_axis, options.arriving),
                         .piece_bytes = options.piece_bytes,
                         .slab_major_row = options.slab_major_row}) {}

}  // namespace sc
