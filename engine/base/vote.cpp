// SPDX-License-Identifier: Apache-2.0
#include "engine/base/vote.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <thread>

#include "engine/base/mpi_check.hpp"

namespace sc {

namespace {

MPI_Datatype type_of(int) { return MPI_INT; }
MPI_Datatype type_of(double) { return MPI_DOUBLE; }
MPI_Datatype type_of(std::uint64_t) { return MPI_UINT64_T; }

}  // namespace

template <class T>
std::optional<T> reduce_within(MPI_Comm comm, T mine, MPI_Op op, double seconds) {
  struct Vote {
    T mine, all;
  };
  auto vote = std::make_unique<Vote>(Vote{mine, {}});
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
  mpi::check(MPI_Iallreduce(&vote->mine, &vote->all, 1, type_of(mine), op, comm, &request));
  if (ends(request)) {
    // The all-reduce can complete although a rank timed out, because that rank had already contributed. It
    // does not enter the barrier, and so the late ranks time out too.
    mpi::check(MPI_Ibarrier(comm, &request));
    if (ends(request)) return vote->all;
  }
  vote.release();  // leaked on purpose: MPI may still write to it
  return std::nullopt;
}

template std::optional<int> reduce_within(MPI_Comm, int, MPI_Op, double);
template std::optional<double> reduce_within(MPI_Comm, double, MPI_Op, double);
template std::optional<std::uint64_t> reduce_within(MPI_Comm, std::uint64_t, MPI_Op, double);

std::optional<bool> any_within(MPI_Comm comm, bool flag, double seconds) {
  const std::optional<int> all = reduce_within(comm, flag ? 1 : 0, MPI_MAX, seconds);
  return all ? std::optional(*all != 0) : std::nullopt;
}

std::optional<double> largest_within(MPI_Comm comm, double value, double seconds) {
  return reduce_within(comm, value, MPI_MAX, seconds);
}

void agree(MPI_Comm comm, Exit code, const std::string& sentence) {
  int rank = 0, size = 1;
  mpi::check(MPI_Comm_rank(comm, &rank));
  mpi::check(MPI_Comm_size(comm, &size));
  int lowest = sentence.empty() ? size : rank;
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, comm));
  if (lowest == size) return;
  std::array<int, 2> head{static_cast<int>(code), static_cast<int>(sentence.size())};
  mpi::check(MPI_Bcast(head.data(), 2, MPI_INT, lowest, comm));
  std::string text = rank == lowest ? sentence : std::string(static_cast<std::size_t>(head[1]), ' ');
  mpi::check(MPI_Bcast(text.data(), head[1], MPI_CHAR, lowest, comm));
  throw Error(static_cast<Exit>(head[0]), text);
}

}  // namespace sc
