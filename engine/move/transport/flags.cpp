// SPDX-License-Identifier: Apache-2.0
// Each rank lays out the flags of its departures by peer, and tells each peer the offset of its own.
#include "engine/move/transport/flags.hpp"

#include <map>

#include "engine/base/align.hpp"
#include "engine/base/arena.hpp"
#include "engine/base/mpi_check.hpp"

namespace sc {

namespace {

constexpr std::size_t flags_bytes = 2 * cache_line;
constexpr auto per_segment = static_cast<int>(Context::signal_segment_bytes / flags_bytes);

void set_flags(Endpoint& end, std::byte* base, int index) {
  std::byte* at = base + static_cast<std::size_t>(index) * flags_bytes;
  end.ready = reinterpret_cast<std::uint64_t*>(at);
  end.consumed = reinterpret_cast<std::uint64_t*>(at + cache_line);
}

}  // namespace

void lay_out_flags(Ends& ends, std::vector<std::array<std::uint64_t, 3>>& own) {
  own.assign(ends.departures.size(), {});
  for (std::size_t i = 0; i < own.size(); ++i)
    if (Endpoint& end = ends.departures[i]; end.partner >= 0) {
      Endpoint& partner = ends.arrivals[static_cast<std::size_t>(end.partner)];
      end.ready = partner.ready = own[i].data();
      end.consumed = partner.consumed = own[i].data() + 2;
    }
  Context& context = ends.context;
  const auto node_rank = [&](const Endpoint& end) {
    return static_cast<std::size_t>(context.node_rank_of(end.parcel.peer));
  };
  std::map<std::size_t, int> count;  // number of departures, by peer
  for (const Endpoint& end : ends.departures)
    if (by_flags(end.transport)) ++count[node_rank(end)];
  int node_size = 0;
  mpi::check(MPI_Comm_size(context.node_comm(), &node_size));
  std::vector<int> begin(static_cast<std::size_t>(node_size)), begin_at(begin.size());
  int total = 0;
  for (const auto& [peer, n] : count) {
    begin[peer] = total;
    total += n;
  }
  const int most = context.largest(total);
  if (most == 0) return;
  const Arena::Block block =
      context.signals().allocate(Context::signal_segment_bytes, (most + per_segment - 1) / per_segment);
  if (!context.signals().remote(block.chunk, 0))
    throw Error(Exit::storage, "shared memory for the flags of a halo exchange was refused");
  std::vector<std::int64_t> offsets(begin.size());
  const auto own_offset = static_cast<std::int64_t>(block.offset);
  // The collectives also guarantee that all owners have zeroed their flags.
  mpi::check(MPI_Allgather(&own_offset, 1, MPI_INT64_T, offsets.data(), 1, MPI_INT64_T, context.node_comm()));
  mpi::check(MPI_Alltoall(begin.data(), 1, MPI_INT, begin_at.data(), 1, MPI_INT, context.node_comm()));
  for (Endpoint& end : ends.departures)
    if (by_flags(end.transport)) set_flags(end, block.data, begin[node_rank(end)] + end.parcel.order);
  for (Endpoint& end : ends.arrivals) {
    if (!by_flags(end.transport)) continue;
    const std::size_t peer = node_rank(end);
    std::byte* part = context.signals().remote(block.chunk, static_cast<int>(peer));
    set_flags(end, part + offsets[peer], begin_at[peer] + end.parcel.order);
  }
}

}  // namespace sc
