// SPDX-License-Identifier: Apache-2.0
// For programs that know no MPI: starting it on demand, and communicators as Fortran holds them.
#pragma once

#include <mpi.h>

namespace sc {

/// Starts MPI (thread level FUNNELED) unless it is running; then it is ended when the program exits. Throws
/// Error (failure) when MPI has been ended already.
void start_mpi();

/// Starts MPI first: there are no handles before.
MPI_Comm communicator_of(int fortran_handle);

/// Ranks of a communicator, and this one among them; throws Error (bad_input) for one that is none.
int size_of(MPI_Comm comm);
int rank_of(MPI_Comm comm);

/// Whether two communicators have the same ranks in the same order.
bool same_ranks(MPI_Comm one, MPI_Comm other);

}  // namespace sc
