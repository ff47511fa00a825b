// SPDX-License-Identifier: Apache-2.0
// Slabs: how a stage with fields in far memory (files, or host memory beside a device) uses slots, slab by
// slab. Planes beside a slab are read with it. When it is in near memory, the halo of the rank is copied from
// the strips, and conditions fill the rest.
#pragma once

#include <vector>

#include "engine/move/stream/slab_place.hpp"
#include "engine/stage/refresh.hpp"
#include "engine/stage/stage.hpp"

namespace sc {

class Slabs {
 public:
  /// Whether any field of the stage is in far memory.
  static bool in(const Stage& stage);
  /// For such a stage. `ends_first`: slabs whose cells other ranks need are first, otherwise slabs that need
  /// no other rank's cells. Throws Error (bad_input) with the reason for a stage that cannot use slots.
  Slabs(Stage& stage, bool ends_first);

  /// The copies of a run.
  const StreamPass& pass() const { return pass_; }
  /// With slots large enough for `next` too.
  SlabStream& ring(const StreamPass* next = nullptr) const;
  int count() const { return pass_.pieces(); }
  /// Own cells of slab n, in the order of computation.
  Box box(int n) const;
  /// Whether the slab reads cells of another rank (or this one, if `self`), or contains cells that another
  /// one reads.
  bool at_end(int n, bool self) const { return piece_at_end(pass_.piece(n), self); }

  /// Sets the fields to the slot of the slab and fills their halos; then compute, then call close().
  void open(const Slot& slot) const;
  void close(const Slot& slot) const;
  /// Adds what both do for slab n.
  void note_filled(RehearsedRun& run, int n) const;

 private:
  struct Use {
    Storage* storage;
    const Boundaries* boundaries;
    Mode mode;
    Reach reach;
    int around;         // planes read with a piece, below it and above
    std::size_t first;  // of its arrays in the phase
  };
  bool piece_at_end(int piece, bool self) const;
  void add(const Stage& stage, const Access& access);
  int planes_around(const Stage& stage, const Use& use) const;
  void check(const Stage& stage) const;
  void check_thickness(const Stage& stage, const Use& use) const;

  Grid grid_;
  std::shared_ptr<SlabPlace> place_;
  std::vector<Use> uses_;
  StreamPass pass_;
};

}  // namespace sc
