// SPDX-License-Identifier: Apache-2.0
// PassCost: what a pass of several steps moves on a rank, and what single steps would, from the declarations
// and the geometry of the block alone. Nothing is computed or sent.
#pragma once

#include <span>
#include <string>

#include "engine/move/parcels/halo_parcels.hpp"
#include "engine/overlap/window.hpp"

namespace sc {

/// Of a step, on this rank.
struct StepCost {
  double read = 0, written = 0;  ///< bytes of memory, each element once for a run or for a pass
  double sent = 0;               ///< bytes to other ranks
  double messages = 0;           ///< to other ranks
};
struct PassCost {
  int steps = 1;  ///< of the pass
  StepCost passes, singles;
  double more = 0;  ///< cells that are computed beyond the block, divided by its own
};

/// `runs`: those of a pass of at least two steps, in order. Single steps are like those after the first.
PassCost pass_cost(std::span<const Recorded> runs, const HaloOptions& halo);

/// "passes of 8 steps: in a step this rank reads 1.25 MB …"
std::string describe(const PassCost& cost);

}  // namespace sc
