// SPDX-License-Identifier: Apache-2.0
// The plan of a transform: passes over slabs of lines, and the transposes of slabs between passes.
#pragma once

#include <span>
#include <vector>

#include "engine/plan/plan.hpp"

namespace sc::spectral {

/// The source of a slab of the next pass.
enum class Next {
  in_memory,     ///< all slabs, in place
  from_all,      ///< all slabs of all ranks, by a transpose
  from_the_same  ///< slabs of the same number on all ranks, by a transpose
};

/// The shape of a pass.
struct PassShape {
  int slabs = 1;
  Next next = Next::in_memory;
  bool by_array = false;  ///< see Pass
};

class PassPlan {
 public:
  struct Slab {
    int pass = 0, number = 0;
  };

  /// A chunk is a slab of a pass. It depends on an arrival of the previous transpose, and its result is a
  /// piece of the next one. Both have as movement the number of the pass before the transpose, and as number
  /// that of the slab. `in_turn`, without overlap: a step is a pass. Otherwise a slab is a step, so that its
  /// piece is sent without waiting for other slabs.
  void make(std::span<const PassShape> passes, bool in_turn);
  const Plan& plan() const { return plan_; }
  Slab slab(const Chunk& chunk) const { return slabs_[static_cast<std::size_t>(chunk.part)]; }

 private:
  void add(std::span<const PassShape> passes, Slab slab, bool in_turn);
  void add_next(std::span<const PassShape> passes, int pass);

  Plan plan_;
  std::vector<Slab> slabs_;  // of each chunk
  std::vector<int> next_;    // next slab of each pass
  std::vector<int> after_;   // scratch
};

}  // namespace sc::spectral
