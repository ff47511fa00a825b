// SPDX-License-Identifier: Apache-2.0
// Fields larger than a device: they lie in the host's memory and pass through it in pieces. How many, and
// what that costs, is known before any field is there.
#pragma once

#include <cstdint>
#include <string>

#include "engine/grid/grid.hpp"
#include "solvers/dendrite/options.hpp"

namespace sc::dendrite {

/// Of one rank, in bytes.
struct Pass {
  int pieces = 0;           ///< 0: fields lie where they are computed
  std::int64_t device = 0;  ///< on the device: three slots
  std::int64_t host = 0;
  std::int64_t there = 0, back = 0;  ///< copied a step, strips among them
  /// A line for a person; empty where there is no pass.
  std::string describe() const;
};

/// Collective. As few pieces as `memory` allows, or as many as asked for. Throws Error (bad_input) for more
/// pieces than some rank has planes, and for a memory that is too small, naming the smallest that would do.
Pass plan_pass(const Grid& grid, const DendriteOptions& options);

}  // namespace sc::dendrite
