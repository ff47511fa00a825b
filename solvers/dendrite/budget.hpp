// SPDX-License-Identifier: Apache-2.0
// Where the fields of a crystal lie, in how many pieces they come if not at once, and what that costs.
#pragma once

#include "engine/move/stream/budget.hpp"
#include "solvers/dendrite/options.hpp"

namespace sc::dendrite {

/// Of one rank. `read` and `written` are what passes a step, strips among it beside a device.
struct Budget : sc::Budget {
  Where where = Where::memory;
  int room = 0;  ///< planes around a piece, for passes of several steps; 0: one by one
  /// A line for a person; empty where fields lie where they are computed.
  std::string describe() const;
};

/// Collective. Throws Error (bad_input) for more pieces than some rank has planes, and for a memory that is
/// too small, naming the smallest that would do; Error (storage) where the scratch folder cannot be used.
Budget make_budget(const Grid& grid, const DendriteOptions& options);

}  // namespace sc::dendrite
