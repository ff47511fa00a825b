// SPDX-License-Identifier: Apache-2.0
// Starting MPI for programs that do not call it themselves.
#include "engine/base/start.hpp"

#include "engine/base/error.hpp"
#include "engine/base/mpi_check.hpp"

namespace sc {

namespace {

void end_mpi() {
  int ended = 0;
  if (MPI_Finalized(&ended) == MPI_SUCCESS && !ended) MPI_Finalize();
}

}  // namespace

void start_mpi() {
  int started = 0, ended = 0;
  mpi::check(MPI_Finalized(&ended));
  if (ended) throw Error(Exit::failure, "MPI has been finalised: nothing can be started any more");
  mpi::check(MPI_Initialized(&started));
  if (started) return;
  int provided = MPI_THREAD_SINGLE;
  mpi::check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided));
  std::atexit(end_mpi);
}

MPI_Comm communicator_of(int fortran_handle) {
  start_mpi();
  return MPI_Comm_f2c(fortran_handle);
}

int size_of(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) refuse("the communicator is MPI_COMM_NULL");
  int size = 0;
  mpi::check(MPI_Comm_size(comm, &size));
  return size;
}

int rank_of(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) refuse("the communicator is MPI_COMM_NULL");
  int rank = 0;
  mpi::check(MPI_Comm_rank(comm, &rank));
  return rank;
}

bool same_ranks(MPI_Comm one, MPI_Comm other) {
  int result = MPI_UNEQUAL;
  mpi::check(MPI_Comm_compare(one, other, &result));
  return result == MPI_IDENT || result == MPI_CONGRUENT;
}

}  // namespace sc
