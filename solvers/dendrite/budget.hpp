// SPDX-License-Identifier: Apache-2.0
// Where the fields of a crystal are stored, in how many pieces, and the cost of that.
#pragma once

#include "engine/move/stream/budget.hpp"
#include "solvers/dendrite/options.hpp"

namespace sc::dendrite {

/// For one rank. `read` and `written`: bytes copied in a step; beside a device they include strips.
struct Budget : sc::Budget {
  Where where = Where::memory;
  int room = 0;  ///< planes around a piece, for passes of several steps; 0: single steps
  /// With passes of several steps: what single steps in as many pieces would copy and wait for.
  struct Singles {
    std::int64_t read = 0, written = 0;
    double seconds = 0;
  } singles;
  /// A line of text for the user; empty if the fields are stored where they are computed.
  std::string describe() const;
};

/// Collective. Throws Error (bad_input) for more pieces than planes on any rank, and for a memory that is too
/// small, with the smallest sufficient one; Error (storage) if the scratch folder cannot be used.
Budget make_budget(const Grid& grid, const DendriteOptions& options);

}  // namespace sc::dendrite
