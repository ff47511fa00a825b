// SPDX-License-Identifier: Apache-2.0
// A logical-OR allreduce with a timeout: among ranks of which some may never call it.
#pragma once

#include <mpi.h>

#include <optional>

namespace sc {

/// Collective over `comm`: the logical OR of all flags; nothing when another rank has not called it within
/// `seconds` (0: no limit), and then `comm` is of no use for collectives any more.
std::optional<bool> any_within(MPI_Comm comm, bool flag, double seconds);

}  // namespace sc
