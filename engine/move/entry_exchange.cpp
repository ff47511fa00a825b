// SPDX-License-Identifier: Apache-2.0
// EntryExchange: divides lists of entries into parcels.
#include "engine/move/entry_exchange.hpp"

#include <algorithm>
#include <limits>

#include "engine/base/error.hpp"
#include "engine/base/mpi_check.hpp"
#include "engine/plan/rehearsal.hpp"

namespace sc {

namespace {

Box run_of(int lo, int hi) { return {{lo, 0, 0}, {hi, 1, 1}}; }

Box bounds(const std::vector<int>& entries) {
  const auto [least, most] = std::minmax_element(entries.begin(), entries.end());
  return run_of(*least, *most + 1);
}

/// Divides the list for one peer into parcels of at most `most` entries. Their destination begins at position
/// `sink`.
void add_parcels(int peer, const std::vector<int>& list, std::size_t most, std::size_t entry_bytes, int& sink,
                 std::vector<Parcel>& out) {
  const std::size_t pieces = (list.size() + most - 1) / most;
  for (std::size_t n = 0; n < pieces; ++n) {
    const auto first = static_cast<std::ptrdiff_t>(list.size() * n / pieces);
    const auto last = static_cast<std::ptrdiff_t>(list.size() * (n + 1) / pieces);
    auto entries = std::make_shared<std::vector<int>>(list.begin() + first, list.begin() + last);
    Parcel parcel;
    parcel.peer = peer;
    parcel.order = static_cast<int>(n);
    parcel.bytes = entries->size() * entry_bytes;
    parcel.source = bounds(*entries);
    parcel.sink = run_of(sink, sink + static_cast<int>(entries->size()));
    sink = parcel.sink.hi.x;
    parcel.parts.push_back({0, parcel.source, parcel.sink, std::move(entries)});
    out.push_back(std::move(parcel));
  }
}

void check_vector(const Storage& storage) {
  const Int3 cells = storage.grid().cells();
  if (cells.y != 1 || cells.z != 1)
    refuse("field \"" + storage.name() + "\" is no vector: its grid has " + to_string(cells) + " cells");
}

Parcels parcels_of(Storage& from, Storage& to, const EntryLists& departures, const EntryLists& arrivals,
                   std::size_t piece_bytes) {
  check_vector(from);
  check_vector(to);
  const std::size_t entry_bytes = static_cast<std::size_t>(from.components()) * size_of(from.type());
  const std::size_t most = std::max<std::size_t>(1, piece_bytes / entry_bytes);
  Parcels all;
  all.routes.emplace_back(from, to);
  const std::vector<int> order = receive_order(from.grid().context());
  for (auto peer = order.rbegin(); peer != order.rend(); ++peer) {
    int sink = 0;  // only the receiver knows the destination
    add_parcels(*peer, departures[static_cast<std::size_t>(*peer)], most, entry_bytes, sink, all.departures);
  }
  int sink = 0;
  for (int peer : order)
    add_parcels(peer, arrivals[static_cast<std::size_t>(peer)], most, entry_bytes, sink, all.arrivals);
  return all;
}

}  // namespace

std::vector<int> receive_order(const Context& context) {
  std::vector<int> order;
  for (int step = 1; step <= context.size(); ++step)
    order.push_back((context.rank() - step + context.size()) % context.size());
  return order;
}

EntryLists exchange_lists(Context& context, const EntryLists& for_each_rank) {
  if (context.rehearses()) {
    if (!context.rehearsal() || !context.rehearsal()->has_requests())
      refuse("what ranks send each other follows from all their rows, and this rehearsal has one rank's");
    return context.rehearsal()->exchange(context.rank(), for_each_rank);
  }
  const auto ranks = static_cast<std::size_t>(context.size());
  std::vector<int> out(ranks), in(ranks), out_at(ranks), in_at(ranks);
  std::vector<int> packed;
  for (std::size_t r = 0; r < ranks; ++r) {
    out_at[r] = static_cast<int>(packed.size());
    out[r] = static_cast<int>(for_each_rank[r].size());
    packed.insert(packed.end(), for_each_rank[r].begin(), for_each_rank[r].end());
  }
  mpi::check(MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, context.comm()));
  for (std::size_t r = 1; r < ranks; ++r) in_at[r] = in_at[r - 1] + in[r - 1];
  std::vector<int> received(static_cast<std::size_t>(in_at.back() + in.back()));
  mpi::check(MPI_Alltoallv(packed.data(), out.data(), out_at.data(), MPI_INT, received.data(), in.data(),
                           in_at.data(), MPI_INT, context.comm()));
  EntryLists lists(ranks);
  for (std::size_t r = 0; r < ranks; ++r)
    lists[r].assign(received.begin() + in_at[r], received.begin() + in_at[r] + in[r]);
  return lists;
}

Grid vector_grid(Context& context, int own) {
  std::vector<int> owned(static_cast<std::size_t>(context.size()));
  if (context.rehearses()) {  // assumes as many entries on the other ranks, at least one; only this rank's
                              // block is used
    std::fill(owned.begin(), owned.end(), std::max(own, 1));
    owned[static_cast<std::size_t>(context.rank())] = own;
  } else {
    mpi::check(MPI_Allgather(&own, 1, MPI_INT, owned.data(), 1, MPI_INT, context.comm()));
  }
  std::vector<int> cuts{0};
  std::int64_t sum = 0;
  for (int n : owned) {
    sum += n;
    if (sum > std::numeric_limits<int>::max())
      refuse("the ranks together would exchange " + std::to_string(sum) +
             " entries or more; at most 2147483647 can be counted");
    cuts.push_back(static_cast<int>(sum));
  }
  const int ranks = context.size();
  return {
      context,
      {.cells = {static_cast<int>(sum), 1, 1}, .halo = 0, .split = {ranks, 1, 1}, .cuts = {cuts, {}, {}}}};
}

EntryExchange::EntryExchange(Storage& from, Storage& to, const EntryLists& departures,
                             const EntryLists& arrivals, std::size_t piece_bytes)
    : Exchange(from.grid().context(), parcels_of(from, to, departures, arrivals, piece_bytes)) {
  for (const Endpoint& arrival : this->arrivals()) arrival_begins_.push_back(arrival.parcel.sink.lo.x);
  arrival_begins_.push_back(this->arrivals().empty() ? 0 : this->arrivals().back().parcel.sink.hi.x);
}

}  // namespace sc
