// SPDX-License-Identifier: Apache-2.0
// A logical-OR allreduce with a timeout, for cases in which some ranks may never call it.
#pragma once

#include <mpi.h>

#include <optional>

namespace sc {

/// Collective over `comm`: the logical OR of all flags. Returns nothing if another rank has not called it
/// within `seconds` (0: no limit); then `comm` must not be used for collectives again.
std::optional<bool> any_within(MPI_Comm comm, bool flag, double seconds);

}  // namespace sc
