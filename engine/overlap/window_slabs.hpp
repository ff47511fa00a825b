// SPDX-License-Identifier: Apache-2.0
// WindowSlabs: how several runs whose fields lie in files pass through slots, so that every plane comes near
// once a pass and leaves once. What is computed while a piece is near is skewed: each run stays behind the
// one before it, and the first behind the piece's end by what it reads, for the planes beyond are not there
// yet.
//
//            | piece n - 1     | piece n         |       The planes below piece n that its runs need come out
//   run 0   ... slab n - 1   |  slab n         |         of the slot before, which is held until they have
//   run 1   ...  slab n - 1 |  slab n         |          been computed, and gets them back.
//   run 2   ... slab n - 1 |  slab n         |
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/move/stream/slab_place.hpp"
#include "engine/overlap/window.hpp"

namespace sc {

struct RehearsedRun;

class WindowSlabs {
 public:
  /// The reason why runs on these arrays cannot use slots, as the end of a sentence; empty if they can, or
  /// need not.
  static std::string shortage(const RecordedArrays& arrays);
  /// The pieces that slots need, for runs that stay at most this far behind the first one and read this far.
  struct Planes {
    int most_behind, reach;
    /// Number of planes of a piece, with a wall whose conditions read `margin` cells.
    int least(int margin) const { return most_behind + reach + (reach > margin ? reach : margin); }
    /// Number of planes below the end of a piece at which its slab begins to compute and read.
    int below() const { return most_behind + 2 * reach; }
  };
  /// Whether any of them is in files.
  static bool in(const RecordedArrays& arrays);

  /// `following`: the runs of the program after these, as far as known. Values that they overwrite before a
  /// read are not written to files.
  WindowSlabs(const RecordedArrays& arrays, std::span<const Recorded> runs,
              std::span<const Recorded> following, int threads);

  /// The copies of the runs, and the first reads after them; without a phase if unknown.
  const StreamPass& pass() const { return pass_; }
  const StreamPass& next() const { return next_; }
  SlabStream& ring() const { return place_->ring(SlabStream::slot_bytes(pass_.phase), true); }
  int count() const { return pass_.pieces(); }
  /// The cells of slab n, without edges along x and y.
  Trapezoid slab(int n) const;
  /// Whether every run has cells in the first slab that need no other rank's, which begin `depth` planes from
  /// its low end in the first run.
  bool begins_apart(int depth) const;

  /// Sets the fields to the slot of slab n, with the planes that its runs need of the previous one, and fills
  /// a part of its halo; then compute, then call close().
  void open(const Slot& slot, const Slot* before, HaloPart part) const;
  void fill(const Slot& slot, HaloPart part) const;
  void close(const Slot& slot, const Slot* before) const;
  /// Adds what both do for slab n.
  void note_filled(RehearsedRun& run, int n) const;

 private:
  struct Array {
    const Recorded::Use* use;
    Reach input;            // reach beyond the block for the values before the pass
    std::size_t first = 0;  // of its arrays in the phase
    bool read = false, written = false, discarded = false, kept = false;
  };
  FarCells& cells(const Array& array) const { return far_cells(*array.use->storage); }
  void add_phases();
  void predict(std::span<const Recorded> following);
  void copy_planes(const Array& array, const Slot& from, const Slot& to, int lo, int hi, bool tail) const;
  void keep(const Slot& slot) const;
  bool first(const Slot& slot) const { return slot.piece() == 0; }
  bool last(const Slot& slot) const { return slot.piece() + 1 == pass_.pieces(); }

  Grid grid_;
  Planes planes_;
  int threads_;
  std::shared_ptr<SlabPlace> place_;
  std::vector<Array> arrays_;  // those in files
  StreamPass pass_, next_;
};

}  // namespace sc
