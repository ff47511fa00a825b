// SPDX-License-Identifier: Apache-2.0
// For programs without MPI calls of their own: initialises MPI on demand, and converts Fortran communicators.
#pragma once

#include <mpi.h>

namespace sc {

/// Initialises MPI (thread level FUNNELED) if necessary; it is then finalised when the program exits. Throws
/// Error (failure) if MPI has been finalised already.
void start_mpi();

/// Initialises MPI first, because handles do not exist before.
MPI_Comm communicator_of(int fortran_handle);

/// Number of ranks of a communicator, and this rank; throws Error (bad_input) for an invalid communicator.
int size_of(MPI_Comm comm);
int rank_of(MPI_Comm comm);

/// Whether two communicators have the same ranks in the same order.
bool same_ranks(MPI_Comm one, MPI_Comm other);

}  // namespace sc
