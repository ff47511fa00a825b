// SPDX-License-Identifier: Apache-2.0
#include "engine/base/vote.hpp"

#include <memory>
#include <thread>

#include "engine/base/mpi_check.hpp"

namespace sc {

std::optional<bool> any_within(MPI_Comm comm, bool flag, double seconds) {
  struct Vote {
    int mine, all;
  };
  auto vote = std::make_unique<Vote>(Vote{flag ? 1 : 0, 0});
  const auto ends = [&](MPI_Request request) {
    const double begin = MPI_Wtime();
    for (int done = 0;;) {
      mpi::check(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
      if (done) return true;
      if (seconds > 0 && MPI_Wtime() - begin > seconds) return false;
      std::this_thread::yield();
    }
  };
  MPI_Request request = MPI_REQUEST_NULL;
  mpi::check(MPI_Iallreduce(&vote->mine, &vote->all, 1, MPI_INT, MPI_MAX, comm, &request));
  if (ends(request)) {
    // The all-reduce can complete although a rank timed out, because that rank had already contributed. It
    // does not enter the barrier, and so the late ranks time out too.
    mpi::check(MPI_Ibarrier(comm, &request));
    if (ends(request)) return vote->all != 0;
  }
  vote.release();  // leaked on purpose: MPI may still write to it
  return std::nullopt;
}

}  // namespace sc
