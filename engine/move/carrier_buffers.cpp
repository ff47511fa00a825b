// SPDX-License-Identifier: Apache-2.0
// Carrier, what cells pass through: copies, buffers of its own or in the node's shared memory, messages.
#include <algorithm>
#include <map>

#include "engine/base/error.hpp"
#include "engine/base/mpi_check.hpp"
#include "engine/move/carrier.hpp"
#include "engine/move/message_type.hpp"

namespace sc {

namespace {

constexpr std::size_t line = 64;
std::size_t round_up(std::size_t bytes) { return (bytes + line - 1) / line * line; }

}  // namespace

/// From the owner's cells, this rank's or a peer's, to where they go.
BoxCopy Carrier::straight(const CellMemory& owned, const Part& part) const {
  const Route& route = routes_[static_cast<std::size_t>(part.item)];
  const CellMemory from = owned.layer(part.layers.source), to = route.to_cells.layer(part.layers.sink);
  if (part.entries) return {from, part.entries, to, part.sink, layers_of(part), route.cell_bytes};
  if (part.lattice.colours > 1)
    return {BoxCopy::Coloured::rows, part.lattice,    part.global, from, part.source, to, part.sink,
            layers_of(part),         route.cell_bytes};
  return {from, part.source, to, part.sink, layers_of(part), route.cell_bytes};
}

/// Packing into `packed` or unpacking from it.
BoxCopy Carrier::packing(const Part& part, std::byte* packed, bool leaving) const {
  const Route& route = routes_[static_cast<std::size_t>(part.item)];
  const Box& box = leaving && !part.entries ? part.source : part.sink;
  const CellMemory buffer = CellMemory::dense(packed, box, route.cell_bytes);
  const CellMemory cells =
      leaving ? route.from_cells.layer(part.layers.source) : route.to_cells.layer(part.layers.sink);
  if (leaving && part.entries) return {cells, part.entries, buffer, box, layers_of(part), route.cell_bytes};
  if (part.lattice.colours > 1) {
    const CellMemory message{packed, 0, 0, 0};
    return {leaving ? BoxCopy::Coloured::pack : BoxCopy::Coloured::unpack,
            part.lattice,
            part.global,
            leaving ? cells : message,
            box,
            leaving ? message : cells,
            box,
            layers_of(part),
            route.cell_bytes};
  }
  return {leaving ? cells : buffer, box, leaving ? buffer : cells, box, layers_of(part), route.cell_bytes};
}

int Carrier::layers_of(const Part& part) const {
  return part.layers.count > 0 ? part.layers.count : routes_[static_cast<std::size_t>(part.item)].components;
}

std::size_t Carrier::bytes_of(const Part& part) const {
  return static_cast<std::size_t>(part.cells() * layers_of(part)) *
         routes_[static_cast<std::size_t>(part.item)].cell_bytes;
}

/// In the order of the parts.
void Carrier::add_copies(Job& job, const Parcel& parcel, bool leaving) {
  job.first = static_cast<int>(copies_.size());
  std::byte* packed = job.buffer;
  for (const Part& part : parcel.parts) {
    copies_.push_back(packing(part, packed, leaving));
    packed += bytes_of(part);
  }
  job.last = static_cast<int>(copies_.size());
}

/// Buffers in the node's shared memory for what this rank sends, peer by peer; each peer is told where its
/// own begin, and finds the others behind one another.
void Carrier::add_staging() {
  if (!context_.any(has_staged_)) return;
  std::map<int, std::int64_t> bytes;  // by node rank
  for (const Job& job : departures_)
    if (job.transport == Transport::staged)
      bytes[context_.node_rank_of(job.peer)] += static_cast<std::int64_t>(round_up(job.bytes));
  std::int64_t total = 0;
  for (const auto& [peer, n] : bytes) total += n;
  staging_ = std::make_unique<Arena>(context_);
  // The first chunk of an arena has two slots.
  staging_block_ = staging_->allocate(static_cast<std::size_t>(total) / 2 + line, 2);
  if (!staging_->remote(staging_block_.chunk, 0))
    throw Error(Exit::storage, "shared memory for the buffers of a halo exchange was refused");
  int node_size = 0;
  mpi::check(MPI_Comm_size(context_.node_comm(), &node_size));
  std::vector<std::int64_t> begin(static_cast<std::size_t>(node_size));
  staging_begin_.resize(begin.size());
  auto next = static_cast<std::int64_t>(staging_block_.offset);
  for (const auto& [peer, n] : bytes) {
    begin[static_cast<std::size_t>(peer)] = next;
    next += n;
  }
  std::vector<std::int64_t> at = begin;
  for (Job& job : departures_) {
    if (job.transport != Transport::staged) continue;
    std::int64_t& offset = at[static_cast<std::size_t>(context_.node_rank_of(job.peer))];
    job.buffer = staging_block_.data + (offset - static_cast<std::int64_t>(staging_block_.offset));
    offset += static_cast<std::int64_t>(round_up(job.bytes));
  }
  mpi::check(MPI_Alltoall(begin.data(), 1, MPI_INT64_T, staging_begin_.data(), 1, MPI_INT64_T,
                          context_.node_comm()));
  at = staging_begin_;
  for (Job& job : arrivals_) {
    if (job.transport != Transport::staged) continue;
    const int peer = context_.node_rank_of(job.peer);
    std::int64_t& offset = at[static_cast<std::size_t>(peer)];
    job.buffer = staging_->remote(staging_block_.chunk, peer) + offset;
    offset += static_cast<std::int64_t>(round_up(job.bytes));
  }
}

/// Whether cells pass through a buffer of this rank's own.
bool Carrier::packs(const Job& job) const {
  return by_message(job.transport) ||
         (job.transport == Transport::self && pace_ == Pace::singly && !in_place(job));
}

void Carrier::add_buffers() {
  std::size_t bytes = 0;
  for (const auto* jobs : {&departures_, &arrivals_})
    for (const Job& job : *jobs)
      if (packs(job)) bytes += round_up(job.bytes);
  if (!device_) packed_.resize(bytes);
  std::byte* next = device_ ? device_buffers(bytes) : packed_.data();
  for (auto* jobs : {&departures_, &arrivals_})
    for (Job& job : *jobs)
      if (packs(job)) {
        job.buffer = next;
        next += round_up(job.bytes);
      }
  for (const Job& job : departures_)  // what this rank sends itself is unpacked from where it was packed
    if (job.transport == Transport::self && packs(job))
      arrivals_[static_cast<std::size_t>(job.partner)].buffer = job.buffer;
  lay_out_copies();
}

void Carrier::lay_out_copies() {
  const auto copied = [](const Job& job) { return job.buffer != nullptr; };
  for (std::size_t i = 0; i < departures_.size(); ++i)
    if (copied(departures_[i])) add_copies(departures_[i], parcels_out_[i], true);
  for (std::size_t i = 0; i < arrivals_.size(); ++i)
    if (copied(arrivals_[i]))
      add_copies(arrivals_[i], parcels_in_[i], false);
    else if (arrivals_[i].transport == Transport::shared || in_place(arrivals_[i]))
      add_direct(arrivals_[i], parcels_in_[i]);
}

/// What MPI is told of a parcel: its packed bytes, or the cells themselves where their rows are long.
struct Carrier::Message {
  Message(const Carrier& carrier, Job& job, const Parcel& parcel, bool leaving)
      : base(job.buffer), count(static_cast<int>(job.bytes)) {
    if (job.transport != Transport::mpi) return;
    std::vector<CellBlock> blocks;
    for (const Part& part : parcel.parts) {
      const Route& route = carrier.routes_[static_cast<std::size_t>(part.item)];
      // Some cells of a row only; what gathered entries become is a whole row again.
      if ((leaving && part.entries) || part.lattice.colours > 1) return;
      blocks.push_back({(leaving ? route.from_cells : route.to_cells)
                            .layer(leaving ? part.layers.source : part.layers.sink),
                        leaving ? part.source : part.sink, carrier.layers_of(part), route.cell_bytes});
    }
    if (!long_rows(blocks)) return;
    base = MPI_BOTTOM;
    count = 1;
    type = made = message_type(blocks);
    job.first = job.last;  // nothing to pack
  }
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;
  ~Message() {
    if (made != MPI_DATATYPE_NULL) MPI_Type_free(&made);
  }
  void* base;
  int count;
  MPI_Datatype type = MPI_BYTE;
  MPI_Datatype made = MPI_DATATYPE_NULL;
};

void Carrier::add_messages() {
  int most = 0;
  for (const auto* parcels : {&parcels_out_, &parcels_in_})
    for (const Parcel& parcel : *parcels) most = std::max(most, parcel.order + 1);
  const int tag = context_.next_tags(context_.largest(most));
  for (std::size_t i = 0; i < departures_.size(); ++i) {
    Job& job = departures_[i];
    job.tag = tag + parcels_out_[i].order;
    if (!by_message(job.transport) || pace_ == Pace::singly) continue;
    job.request = static_cast<int>(sends_.size());
    const Message message(*this, job, parcels_out_[i], true);
    mpi::check(MPI_Send_init(message.base, message.count, message.type, job.peer, job.tag, context_.comm(),
                             &sends_.emplace_back(MPI_REQUEST_NULL)));
  }
  for (std::size_t i = 0; i < arrivals_.size(); ++i) {
    Job& job = arrivals_[i];
    job.tag = tag + parcels_in_[i].order;
    if (!by_message(job.transport) || pace_ == Pace::singly) continue;
    received_by_.push_back(static_cast<int>(i));
    const Message message(*this, job, parcels_in_[i], false);
    mpi::check(MPI_Recv_init(message.base, message.count, message.type, job.peer, job.tag, context_.comm(),
                             &receives_.emplace_back(MPI_REQUEST_NULL)));
  }
  completed_.resize(receives_.size());
}

}  // namespace sc
