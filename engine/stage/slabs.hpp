// SPDX-License-Identifier: Apache-2.0
// Slabs: how a stage whose fields lie in far memory (files, or the host's beside a device) passes through
// slots, slab by slab. Planes of the slabs beside one come with it; the halo of the rank comes out of the
// strips, and conditions fill the rest, when the slab is near.
#pragma once

#include <vector>

#include "engine/move/stream/slab_place.hpp"
#include "engine/stage/refresh.hpp"
#include "engine/stage/stage.hpp"

namespace sc {

class Slabs {
 public:
  /// Whether any field of the stage lies in far memory.
  static bool in(const Stage& stage);
  /// Of such a stage. `ends_first`: slabs whose cells others wait for come first, otherwise those that need
  /// no other rank's. Throws Error (bad_input) for a stage that cannot pass, saying why.
  Slabs(Stage& stage, bool ends_first);

  /// What a run copies.
  const StreamPass& pass() const { return pass_; }
  /// With room for `next` too.
  SlabStream& ring(const StreamPass* next = nullptr) const;
  int count() const { return pass_.pieces(); }
  /// Own cells of slab n in the order in which they come.
  Box box(int n) const;
  /// Whether it reads what another rank has (or this one, as `self` says), or holds what another one reads.
  bool at_end(int n, bool self) const { return piece_at_end(pass_.piece(n), self); }

  /// Shows the fields where the slab is near, with their halos; computing comes next, then close().
  void open(const Slot& slot) const;
  void close(const Slot& slot) const;

 private:
  struct Use {
    Storage* storage;
    const Boundaries* boundaries;
    Mode mode;
    Reach reach;
    int around;         // planes that come with a piece, below it and above
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
  bool around_ = false;  // any is read around its cells, or will be
  StreamPass pass_;
};

}  // namespace sc
