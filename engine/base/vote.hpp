// SPDX-License-Identifier: Apache-2.0
// A vote among ranks of which some may never come.
#pragma once

#include <mpi.h>

#include <optional>

namespace sc {

/// Collective over `comm`: whether any rank says so; nothing when another one does not come within `seconds`
/// (0: however long it takes). `comm` is of no use for collectives any more then.
std::optional<bool> any_within(MPI_Comm comm, bool flag, double seconds);

}  // namespace sc
