// SPDX-License-Identifier: Apache-2.0
// Carrier, the construction: a transport for every peer, and all copies, messages and flags laid out once.
#include <algorithm>
#include <exception>
#include <map>
#include <numeric>
#include <sstream>

#include "engine/base/error.hpp"
#include "engine/base/mpi_check.hpp"
#include "engine/move/carrier.hpp"
#include "engine/move/message_type.hpp"

namespace sc {

namespace {

constexpr std::size_t line = 64;
constexpr std::size_t flags_bytes = 2 * line;
constexpr std::size_t flags_per_slot = Context::signal_slot_bytes / flags_bytes;

std::size_t round_up(std::size_t bytes) { return (bytes + line - 1) / line * line; }

int largest(const Context& context, int value) {
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, context.comm()));
  return value;
}

bool by_flags(Transport transport) {
  return transport == Transport::shared || transport == Transport::staged;
}
bool by_message(Transport transport) {
  return transport == Transport::mpi || transport == Transport::delayed;
}

}  // namespace

Route::Route(Storage& storage_from, Storage& storage_to)
    : from(&storage_from),
      to(&storage_to),
      from_cells(CellMemory::of(storage_from)),
      to_cells(CellMemory::of(storage_to)),
      components(storage_from.components()),
      cell_bytes(storage_from.cell_bytes()) {}

Carrier::Carrier(Context& context, Pending& owner, std::vector<Route> routes, std::vector<Parcel> departures,
                 std::vector<Parcel> arrivals, Pace pace)
    : context_(context),
      owner_(owner),
      routes_(std::move(routes)),
      parcels_out_(std::move(departures)),
      parcels_in_(std::move(arrivals)),
      pace_(pace),
      delayed_(context.options().transport == TransportPolicy::delayed) {
  learn_blocks();
  add_departures(parcels_out_);
  add_arrivals(parcels_in_);
  add_staging();
  add_buffers();
  add_messages();
  add_flags();
  find_pairs();
  if (pace_ == Pace::singly) prepare_singles();
  to_take_.reserve(arrivals_.size());
  held_.reserve(departures_.size());
  alive_ = std::make_shared<Carrier*>(this);
  context_.on_close([found = std::weak_ptr<Carrier*>(alive_)] {
    if (const auto carrier = found.lock()) (*carrier)->release();
  });
}

Carrier::~Carrier() {
  if (!alive_) return;  // released by close(); the context may be gone by now
  if (open_ && std::uncaught_exceptions() > 0)
    abandon();  // the peers may never take part in this round any more: rather than hang
  else
    release();
}

void Carrier::abandon() {
  new std::vector<std::byte>(std::move(packed_));
  unwatch();
  alive_.reset();
}

void Carrier::release() {
  finish();
  for (auto* requests : {&sends_, &receives_}) {
    for (MPI_Request& request : *requests) mpi::check(MPI_Request_free(&request));
    requests->clear();
  }
  alive_.reset();
}

/// Where the storages of the node's other ranks lie.
void Carrier::learn_blocks() {
  std::vector<std::int64_t> own;
  for (const Route& route : routes_) {
    if (!route.from || route.from->external().base) return;  // so are they on the others: all is packed
    own.push_back(route.from->block().chunk);
    own.push_back(static_cast<std::int64_t>(route.from->block().offset));
  }
  int node_size = 0;
  mpi::check(MPI_Comm_size(context_.node_comm(), &node_size));
  peer_blocks_.resize(own.size() * static_cast<std::size_t>(node_size));
  const int count = static_cast<int>(own.size());
  mpi::check(MPI_Allgather(own.data(), count, MPI_INT64_T, peer_blocks_.data(), count, MPI_INT64_T,
                           context_.node_comm()));
}

/// The cells of a peer of this node as this rank sees them; no base where they are not in shared memory.
CellMemory Carrier::remote_memory(int item, int peer) const {
  const int node_rank = context_.node_rank_of(peer);
  if (node_rank < 0 || peer_blocks_.empty()) return {};
  const Storage& from = *routes_[static_cast<std::size_t>(item)].from;
  const std::int64_t* block = &peer_blocks_[2 * (static_cast<std::size_t>(node_rank) * routes_.size() +
                                                 static_cast<std::size_t>(item))];
  std::byte* part = from.arena().remote(static_cast<int>(block[0]), node_rank);
  if (!part) return {};
  const Layout layout = from.grid().layout_of(peer);
  const auto size = size_of(from.type());
  return CellMemory::of(part + block[1] + static_cast<std::size_t>(layout.origin) * size, layout, size);
}

Transport Carrier::choose(int peer) const {
  if (peer == context_.rank()) return Transport::self;
  if (delayed_) return Transport::delayed;
  if (context_.options().transport == TransportPolicy::mpi) return Transport::mpi;
  if (!on_node(peer)) return Transport::mpi;
  if (pace_ == Pace::singly) return Transport::staged;
  for (std::size_t item = 0; item < routes_.size(); ++item)
    if (!remote_memory(static_cast<int>(item), peer).base) return Transport::staged;
  return Transport::shared;
}

void Carrier::add_departures(const std::vector<Parcel>& parcels) {
  for (const Parcel& parcel : parcels) {
    Job job{
        .transport = choose(parcel.peer), .peer = parcel.peer, .phase = parcel.phase, .bytes = parcel.bytes};
    // The halo cells that a staged phase passes on are no own cells.
    const Storage* storage = routes_.front().from;
    job.box = storage ? intersect(parcel.source, storage->grid().own()) : parcel.source;
    has_shared_ = has_shared_ || job.transport == Transport::shared;
    has_staged_ = has_staged_ || job.transport == Transport::staged;
    departures_.push_back(job);
  }
}

void Carrier::add_arrivals(const std::vector<Parcel>& parcels) {
  std::vector<int> own;
  for (std::size_t i = 0; i < departures_.size(); ++i)
    if (departures_[i].transport == Transport::self) own.push_back(static_cast<int>(i));
  std::size_t next_own = 0;
  for (const Parcel& parcel : parcels) {
    Job job{
        .transport = choose(parcel.peer), .peer = parcel.peer, .phase = parcel.phase, .bytes = parcel.bytes};
    job.box = parcel.sink;
    if (job.transport == Transport::self) {
      Job& departure = departures_[static_cast<std::size_t>(own.at(next_own++))];
      departure.partner = static_cast<int>(arrivals_.size());
      if (pace_ == Pace::rounds) {
        departure.first = static_cast<int>(copies_.size());
        for (const Part& part : parcel.parts) copies_.push_back(straight(part));
        departure.last = static_cast<int>(copies_.size());
      }
    }
    arrivals_.push_back(job);
  }
}

/// From this rank's cells to its own halo.
BoxCopy Carrier::straight(const Part& part) const {
  const Route& route = routes_[static_cast<std::size_t>(part.item)];
  return {route.from_cells.layer(part.layers.source),
          part.source,
          route.to_cells.layer(part.layers.sink),
          part.sink,
          layers_of(part),
          route.cell_bytes};
}

/// Packing into `packed` or unpacking from it.
BoxCopy Carrier::packing(const Part& part, std::byte* packed, bool leaving) const {
  const Route& route = routes_[static_cast<std::size_t>(part.item)];
  const Box& box = leaving ? part.source : part.sink;
  const CellMemory buffer = CellMemory::dense(packed, box, route.cell_bytes);
  const CellMemory cells =
      leaving ? route.from_cells.layer(part.layers.source) : route.to_cells.layer(part.layers.sink);
  return {leaving ? cells : buffer, box, leaving ? buffer : cells, box, layers_of(part), route.cell_bytes};
}

int Carrier::layers_of(const Part& part) const {
  return part.layers.count > 0 ? part.layers.count : routes_[static_cast<std::size_t>(part.item)].components;
}

std::size_t Carrier::bytes_of(const Part& part) const {
  return static_cast<std::size_t>(part.source.cells() * layers_of(part)) *
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
  int wanted = has_staged_ ? 1 : 0;
  wanted = largest(context_, wanted);
  if (wanted == 0) return;
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
  return job.transport == Transport::mpi || job.transport == Transport::delayed ||
         (job.transport == Transport::self && pace_ == Pace::singly);
}

void Carrier::add_buffers() {
  std::size_t bytes = 0;
  for (const auto* jobs : {&departures_, &arrivals_})
    for (const Job& job : *jobs)
      if (packs(job)) bytes += round_up(job.bytes);
  packed_.resize(bytes);
  std::byte* next = packed_.data();
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
    if (copied(arrivals_[i])) add_copies(arrivals_[i], parcels_in_[i], false);
}

/// What MPI is told of a parcel: its packed bytes, or the cells themselves where their rows are long.
struct Carrier::Message {
  Message(const Carrier& carrier, Job& job, const Parcel& parcel, bool leaving)
      : base(job.buffer), count(static_cast<int>(job.bytes)) {
    std::vector<CellBlock> blocks;
    for (const Part& part : parcel.parts) {
      const Route& route = carrier.routes_[static_cast<std::size_t>(part.item)];
      blocks.push_back({(leaving ? route.from_cells : route.to_cells)
                            .layer(leaving ? part.layers.source : part.layers.sink),
                        leaving ? part.source : part.sink, carrier.layers_of(part), route.cell_bytes});
    }
    if (job.transport != Transport::mpi || !long_rows(blocks)) return;
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
  const int tag = context_.next_tags(largest(context_, most));
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

/// Every owner lays out the flags of its departures peer by peer and tells each peer where its own begin.
void Carrier::add_flags() {
  std::map<int, int> count;  // by peer
  for (const Job& job : departures_)
    if (by_flags(job.transport)) ++count[job.peer];
  int node_size = 0;
  mpi::check(MPI_Comm_size(context_.node_comm(), &node_size));
  std::vector<int> begin(static_cast<std::size_t>(node_size)), begin_at(begin.size());
  int total = 0;
  for (const auto& [peer, n] : count) {
    begin[static_cast<std::size_t>(context_.node_rank_of(peer))] = total;
    total += n;
  }
  const int most = largest(context_, total);
  if (most == 0) return;
  const auto per_slot = static_cast<int>(flags_per_slot);
  const Arena::Block block =
      context_.signals().allocate(Context::signal_slot_bytes, (most + per_slot - 1) / per_slot);
  if (!context_.signals().remote(block.chunk, 0))
    throw Error(Exit::storage, "shared memory for the flags of a halo exchange was refused");
  std::vector<std::int64_t> offsets(begin.size());
  const auto own_offset = static_cast<std::int64_t>(block.offset);
  // Both calls are also the promise that the owners have zeroed their flags.
  mpi::check(
      MPI_Allgather(&own_offset, 1, MPI_INT64_T, offsets.data(), 1, MPI_INT64_T, context_.node_comm()));
  mpi::check(MPI_Alltoall(begin.data(), 1, MPI_INT, begin_at.data(), 1, MPI_INT, context_.node_comm()));
  const auto flags_at = [](std::byte* base, int index) {
    std::byte* at = base + static_cast<std::size_t>(index) * flags_bytes;
    return Flags{reinterpret_cast<std::uint64_t*>(at), reinterpret_cast<std::uint64_t*>(at + line)};
  };
  for (std::size_t i = 0; i < departures_.size(); ++i)
    if (Job& job = departures_[i]; by_flags(job.transport))
      job.flags = flags_at(block.data, begin[static_cast<std::size_t>(context_.node_rank_of(job.peer))] +
                                           parcels_out_[i].order);
  for (std::size_t i = 0; i < arrivals_.size(); ++i) {
    Job& job = arrivals_[i];
    if (!by_flags(job.transport)) continue;
    const auto peer = static_cast<std::size_t>(context_.node_rank_of(job.peer));
    std::byte* part = context_.signals().remote(block.chunk, static_cast<int>(peer));
    job.flags = flags_at(part + offsets[peer], begin_at[peer] + parcels_in_[i].order);
    if (job.transport != Transport::shared) continue;
    job.first = static_cast<int>(copies_.size());
    for (const Part& piece : parcels_in_[i].parts) {
      const Route& route = routes_[static_cast<std::size_t>(piece.item)];
      copies_.emplace_back(remote_memory(piece.item, job.peer), piece.source, route.to_cells, piece.sink,
                           route.components, route.cell_bytes);
    }
    job.last = static_cast<int>(copies_.size());
  }
}

void Carrier::find_pairs() {
  const auto pair = [&](const Job& job, const Job& next) {
    if (job.phase != next.phase || job.last == job.first || job.last - job.first != next.last - next.first)
      return false;
    for (int k = 0; k < job.last - job.first; ++k)
      if (!copies_[static_cast<std::size_t>(job.first + k)].pairs_with(
              copies_[static_cast<std::size_t>(next.first + k)]))
        return false;
    return true;
  };
  for (auto* jobs : {&departures_, &arrivals_})
    for (std::size_t i = 0; i + 1 < jobs->size(); ++i) (*jobs)[i].pairs = pair((*jobs)[i], (*jobs)[i + 1]);
}

std::string Carrier::describe() const {
  struct Sum {
    Transport transport = Transport::self;
    std::array<int, 2> pieces{};
    std::array<std::size_t, 2> bytes{};
  };
  std::map<int, Sum> peers;
  for (std::size_t in = 0; in < 2; ++in)
    for (const Job& job : in ? arrivals_ : departures_) {
      Sum& sum = peers[job.peer];
      sum.transport = job.transport;
      ++sum.pieces[in];
      sum.bytes[in] += job.bytes;
    }
  std::ostringstream out;
  for (const auto& [peer, sum] : peers)
    out << "rank " << context_.rank() << " - rank " << peer << ": " << transport_name(sum.transport)
        << ", out " << sum.pieces[0] << " pieces " << sum.bytes[0] << " bytes, in " << sum.pieces[1]
        << " pieces " << sum.bytes[1] << " bytes\n";
  return out.str();
}

}  // namespace sc
