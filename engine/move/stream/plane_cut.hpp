// SPDX-License-Identifier: Apache-2.0
// PlaneCut: an array of planes divided into pieces for far memory, with the sizes of pieces and slots. Plans
// use these sizes before any memory exists; the stream uses them for its slots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sc {

/// Consecutive planes in one piece.
struct PlaneRun {
  int piece = 0;
  int lo = 0, hi = 0;
};

/// `unit`: alignment of copies in far memory. Each piece begins on such a boundary, so planes may have any
/// size. `together`: groups of this many planes are never divided; the last piece also has the remaining
/// planes.
struct PlaneCut {
  int planes = 0;
  std::size_t plane_bytes = 0;
  int pieces = 1;
  std::size_t unit = 1;
  int together = 1;

  /// First plane of a piece; for piece `pieces` the number of planes.
  int first(int piece) const {
    const std::int64_t groups = planes / together;
    return piece == pieces ? planes : static_cast<int>(groups * piece / pieces) * together;
  }
  int most_planes() const { return planes - first(pieces - 1); }
  /// Bytes of a whole piece, as copied by far memory.
  std::size_t padded_bytes(int piece) const;
  std::size_t most_bytes() const;
  /// Bytes in far memory.
  std::int64_t bytes() const { return static_cast<std::int64_t>(most_bytes()) * pieces; }
  /// The planes of [lo, hi) that exist, as runs in one piece each.
  std::vector<PlaneRun> runs(int lo, int hi) const;
  /// First and last byte, in its piece, of the smallest copy that contains a run.
  std::size_t begin_of(const PlaneRun& run) const;
  std::size_t end_of(const PlaneRun& run) const;

  /// Arrays of a slot begin this much further, so that the same cell of all of them does not map to one set
  /// of the caches.
  static constexpr std::size_t stagger = 1536;

  /// Bytes in a slot before the first plane of a piece, for `halo` planes.
  std::size_t lead_bytes(int halo) const;
  /// Bytes after the last plane, halo included. Rows are aligned to cache lines, so the halo at the end of a
  /// plane's last row may be beyond the plane, by less than eight elements.
  std::size_t tail_bytes(int halo) const;
  /// Bytes of a whole piece with `halo` planes around it, and space for halo planes in transfer: each may be
  /// copied separately, with its surroundings up to alignment boundaries. `room`: planes around it that are
  /// not copied. With `stagger`, which arrays of alignment 1 need not have.
  std::size_t slot_bytes(int halo, int room = 0) const;
  /// Bytes copied when every piece is read once with `halo` planes around it, as far as they exist; out: 0.
  std::int64_t moved(int halo = 0) const;
};

}  // namespace sc
