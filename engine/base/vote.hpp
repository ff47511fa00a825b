// SPDX-License-Identifier: Apache-2.0
// Agreement of ranks: on a failure, and a logical-OR allreduce with a timeout, for cases in which some ranks
// may never call it.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>

#include "engine/base/error.hpp"

namespace sc {

/// Collective over `comm`: the logical OR of all flags. Returns nothing if another rank has not called it
/// within `seconds` (0: no limit); then `comm` must not be used for collectives again.
std::optional<bool> any_within(MPI_Comm comm, bool flag, double seconds);

/// Collective over `comm`: the largest value of any rank, under the same conditions.
std::optional<double> largest_within(MPI_Comm comm, double value, double seconds);

/// Collective over `comm`: the values of all ranks (int, double, std::uint64_t) reduced by `op`, under the
/// same conditions.
template <class T>
std::optional<T> reduce_within(MPI_Comm comm, T mine, MPI_Op op, double seconds);

/// Collective over `comm`: returns if `sentence` is empty on all ranks. Otherwise every rank throws Error
/// with the exit code and the message of the lowest failing rank.
void agree(MPI_Comm comm, Exit code, const std::string& sentence);

}  // namespace sc
