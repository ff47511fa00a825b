// SPDX-License-Identifier: Apache-2.0
// What of a flow lies in memory and what in files, and what that costs.
#pragma once

#include "engine/move/stream/budget.hpp"
#include "solvers/compressible/options.hpp"

namespace sc::compressible {

/// Of one rank.
struct Budget : sc::Budget {
  std::size_t slot = 0;  ///< bytes, of fields in files
  bool in_files() const { return pieces > 0; }
  /// A line for a person; empty where all fields are in memory.
  std::string describe() const;
};

/// Collective. Throws Error (bad_input) for more pieces than some rank has blocks of planes, and for a memory
/// that is too small, naming the smallest that would do; Error (storage) where the scratch folder cannot be
/// used.
Budget make_budget(const Grid& grid, const CompressibleOptions& options);

}  // namespace sc::compressible
