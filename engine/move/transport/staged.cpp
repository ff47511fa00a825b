// SPDX-License-Identifier: Apache-2.0
// Staged: send buffers in shared memory, sorted by peer (this rank included). Each peer is told the offset of
// its first buffer; the others follow contiguously.
#include "engine/move/transport/staged.hpp"

#include <numeric>

#include "engine/base/align.hpp"
#include "engine/base/mpi_check.hpp"

namespace sc {

namespace {

/// Calls take(end, peer, offset) for the endpoints of each peer, at consecutive offsets; returns the end
/// offsets.
template <class Take>
std::vector<std::int64_t> each_buffer(std::vector<Endpoint>& list, const Context& context,
                                      std::vector<std::int64_t> at, Take take) {
  for (Endpoint& end : list) {
    if (!end.buffered()) continue;
    const auto peer = static_cast<std::size_t>(context.node_rank_of(end.parcel.peer));
    take(end, static_cast<int>(peer), at[peer]);
    at[peer] += static_cast<std::int64_t>(round_up(end.bytes, cache_line));
  }
  return at;
}

}  // namespace

Staged::Staged(Ends& ends) : Flagged(ends), arena_(ends.context) {
  Context& context = ends.context;
  const int own = context.node_rank_of(context.rank());
  int node_size = 0;
  mpi::check(MPI_Comm_size(context.node_comm(), &node_size));
  std::vector<std::int64_t> begin(static_cast<std::size_t>(node_size)), begin_at(begin.size());
  const std::vector<std::int64_t> bytes =
      each_buffer(ends.departures, context, begin, [](Endpoint&, int, std::int64_t) {});
  const std::int64_t total = std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
  if (!context.any(total > 0)) return;
  // An arena's first chunk has as many segments as are requested: two, of half the bytes each.
  const Arena::Block block = arena_.allocate(static_cast<std::size_t>(total) / 2 + cache_line, 2);
  if (node_size > 1 && !arena_.remote(block.chunk, 0) && total > bytes[static_cast<std::size_t>(own)])
    throw Error(Exit::storage, "shared memory for the buffers of a halo exchange was refused");
  std::exclusive_scan(bytes.begin(), bytes.end(), begin.begin(), static_cast<std::int64_t>(block.offset));
  mpi::check(
      MPI_Alltoall(begin.data(), 1, MPI_INT64_T, begin_at.data(), 1, MPI_INT64_T, context.node_comm()));
  const auto base = [&](int peer) {
    return peer == own ? block.data - block.offset : arena_.remote(block.chunk, peer);
  };
  each_buffer(ends.departures, context, begin,
              [&](Endpoint& end, int, std::int64_t offset) { end.buffer = base(own) + offset; });
  each_buffer(ends.arrivals, context, begin_at,
              [&](Endpoint& end, int peer, std::int64_t offset) { end.buffer = base(peer) + offset; });
}

}  // namespace sc
