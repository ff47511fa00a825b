// SPDX-License-Identifier: Apache-2.0
// The plan of a transform: its stages, each in slabs of lines, and the transposes of slabs between stages.
#pragma once

#include <span>
#include <vector>

#include "engine/plan/plan.hpp"

namespace sc::spectral {

/// The source of a slab of the next stage.
enum class Next {
  in_memory,     ///< all slabs, in place
  from_all,      ///< all slabs of all ranks, by a transpose
  from_the_same  ///< slabs of the same number on all ranks, by a transpose
};

/// The shape of a stage.
struct TransformStageShape {
  int slabs = 1;
  Next next = Next::in_memory;
  bool by_array = false;  ///< see TransformStage
};

class TransformPlan {
 public:
  struct Slab {
    int stage = 0, number = 0;
  };

  /// A chunk is a slab of a stage. It depends on an arrival of the previous transpose, and its result is a
  /// piece of the next one. Both have as movement the number of the stage before the transpose, and as number
  /// that of the slab. `sequential`, without overlap: a step is a stage. Otherwise a slab is a step, so that
  /// its piece is sent without waiting for other slabs.
  void make(std::span<const TransformStageShape> stages, bool sequential);
  const Plan& plan() const { return plan_; }
  Slab slab(const Chunk& chunk) const { return slabs_[static_cast<std::size_t>(chunk.part)]; }

 private:
  void add(std::span<const TransformStageShape> stages, Slab slab, bool sequential);
  void add_next(std::span<const TransformStageShape> stages, int stage);

  Plan plan_;
  std::vector<Slab> slabs_;  // of each chunk
  std::vector<int> next_;    // next slab of each stage
  std::vector<int> after_;   // scratch
};

}  // namespace sc::spectral
