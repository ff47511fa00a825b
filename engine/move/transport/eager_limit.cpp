// SPDX-License-Identifier: Apache-2.0
// The search for the eager limit. It measures no time: a send completes without its receive, or it does not.
#include "engine/move/transport/eager_limit.hpp"

#include <mpi.h>

#include <chrono>
#include <vector>

#include "engine/base/mpi_check.hpp"

namespace sc {

namespace {

constexpr int stop = -1;  // instead of a number of bytes

/// Messages of rank 0 to one other rank, which posts its receives late.
class LateReceives {
 public:
  LateReceives(Context& context, int to)
      : comm_(context.comm()), to_(to), tag_(context.next_tags(2)), bytes_(std::size_t{most_eager}) {}

  /// On rank 0: whether a message leaves while no receive is posted.
  bool leaves(int bytes) {
    announce(bytes);
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check(MPI_Isend(bytes_.data(), bytes, MPI_BYTE, to_, tag_ + 1, comm_, &request));
    int done = 0;
    // MPI copies a message, or passes it to the network, in much less time. On a busy machine a call may take
    // long, hence the least number.
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::milliseconds(10);
    for (int look = 0; !done && (look < 3 || Clock::now() < end); ++look)
      mpi::check(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    const bool left = done != 0;
    announce(0);
    mpi::check(MPI_Wait(&request, MPI_STATUS_IGNORE));
    return left;
  }
  void end() { announce(stop); }

  /// On the other rank, until the end. It makes progress while it waits for the next announcement.
  void receive() {
    for (int bytes = announced(); bytes != stop; bytes = announced()) {
      announced();  // the sender has seen enough
      mpi::check(MPI_Recv(bytes_.data(), bytes, MPI_BYTE, 0, tag_ + 1, comm_, MPI_STATUS_IGNORE));
    }
  }

 private:
  void announce(int bytes) { mpi::check(MPI_Send(&bytes, 1, MPI_INT, to_, tag_, comm_)); }
  int announced() const {
    int bytes = 0;
    mpi::check(MPI_Recv(&bytes, 1, MPI_INT, 0, tag_, comm_, MPI_STATUS_IGNORE));
    return bytes;
  }

  MPI_Comm comm_;
  int to_, tag_;
  std::vector<std::byte> bytes_;
};

/// The first rank on another node than rank 0, or else rank 1.
int receiver(const Context& context) {
  int to = 1;
  if (context.rank() == 0)
    for (int rank = context.size() - 1; rank > 0; --rank)
      if (context.node_rank_of(rank) < 0) to = rank;
  return context.largest(to);  // the others have 1
}

}  // namespace

std::optional<int> eager_limit(Context& context) {
  if (context.size() < 2) refuse("the eager limit needs at least 2 ranks: a single one sends no messages");
  const int to = receiver(context);
  LateReceives messages(context, to);
  int known = 0;  // on rank 0: the largest message that left, and the smallest that did not
  if (context.rank() == 0) {
    int waits = most_eager + 1;
    if (messages.leaves(most_eager)) known = most_eager;
    while (waits - known > 1) {
      const int middle = known + (waits - known) / 2;
      (messages.leaves(middle) ? known : waits) = middle;
    }
    messages.end();
  } else if (context.rank() == to) {
    messages.receive();
  }
  known = context.largest(known);
  return known < most_eager ? std::optional(known) : std::nullopt;
}

}  // namespace sc
