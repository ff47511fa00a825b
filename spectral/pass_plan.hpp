// SPDX-License-Identifier: Apache-2.0
// The plan of a transform: passes over slabs of lines, and the transposes that take slabs from one pass to
// the next.
#pragma once

#include <span>
#include <vector>

#include "engine/plan/plan.hpp"

namespace sc::spectral {

/// What a slab of the next pass is made from.
enum class Next {
  in_memory,     ///< all slabs, which stay where they are
  from_all,      ///< all slabs of all ranks, by a transpose
  from_the_same  ///< those of its own number on all ranks, by a transpose
};

/// What the plan of a pass is made from.
struct PassShape {
  int slabs = 1;
  Next next = Next::in_memory;
};

class PassPlan {
 public:
  struct Slab {
    int pass = 0, number = 0;
  };

  /// A chunk is a slab of a pass. It waits for its arrival out of the transpose before, and gives its piece
  /// to the one after; both have the number of the pass before that transpose as movement, and their slab's.
  /// Without overlap a step is a pass. Otherwise a slab is a step, so that its piece waits for no other.
  void make(std::span<const PassShape> passes, bool in_turn);
  const Plan& plan() const { return plan_; }
  Slab slab(const Chunk& chunk) const { return slabs_[static_cast<std::size_t>(chunk.part)]; }

 private:
  void add(std::span<const PassShape> passes, Slab slab, bool in_turn);
  void add_next(std::span<const PassShape> passes, int pass);

  Plan plan_;
  std::vector<Slab> slabs_;  // of the chunks
  std::vector<int> next_;    // slab of each pass
  std::vector<int> after_;   // scratch
};

}  // namespace sc::spectral
