// SPDX-License-Identifier: Apache-2.0
// PlaneCut: an array of planes cut into pieces for far memory, and what it takes of a slot and of the way
// there. Plans add these up before there is any memory; the ring lays its slots out by them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sc {

/// Planes that lie one behind the other in one piece.
struct PlaneRun {
  int piece = 0;
  int lo = 0, hi = 0;
};

/// `unit`: where far memory can begin a copy. Each piece begins on such a boundary, so that planes may be of
/// any size. `together`: so many planes are never cut apart; the last piece has what is left of them too.
struct PlaneCut {
  int planes = 0;
  std::size_t plane_bytes = 0;
  int pieces = 1;
  std::size_t unit = 1;
  int together = 1;

  /// First plane of a piece; of piece `pieces` the number of planes.
  int first(int piece) const {
    const std::int64_t groups = planes / together;
    return piece == pieces ? planes : static_cast<int>(groups * piece / pieces) * together;
  }
  int most_planes() const { return planes - first(pieces - 1); }
  /// Of a whole piece, as far memory copies it.
  std::size_t padded_bytes(int piece) const;
  std::size_t most_bytes() const;
  /// In far memory.
  std::int64_t bytes() const { return static_cast<std::int64_t>(most_bytes()) * pieces; }
  /// Whichever of planes [lo, hi) lie there, as runs of one piece each.
  std::vector<PlaneRun> runs(int lo, int hi) const;
  /// The bytes of its piece that the smallest copy of a run begins and ends with.
  std::size_t begin_of(const PlaneRun& run) const;
  std::size_t end_of(const PlaneRun& run) const;

  /// Room in a slot before the first plane of a piece, for `halo` planes.
  std::size_t lead_bytes(int halo) const;
  /// After the last plane, halo among them. Rows begin at lines of the cache: the halo at the end of a
  /// plane's last row may lie beyond the plane, by less than eight elements.
  std::size_t tail_bytes(int halo) const;
  /// Of a whole piece with `halo` planes around it, and room for halo planes on their way: each may come by
  /// itself, with what surrounds it up to boundaries. `room`: planes around it that do not come.
  std::size_t slot_bytes(int halo, int room = 0) const;
  /// Copied when every piece has come once with `halo` planes around it, as far as they lie there; out: 0.
  std::int64_t moved(int halo = 0) const;
};

}  // namespace sc
