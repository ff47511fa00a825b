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

namespace sc {

namespace {

constexpr std::size_t line = 64;
constexpr std::size_t flags_bytes = 2 * line;
constexpr std::size_t flags_per_slot = Context::signal_slot_bytes / flags_bytes;

}  // namespace

Route::Route(Storage& storage_from, Storage& storage_to)
    : from(&storage_from),
      to(&storage_to),
      from_cells(CellMemory::of(storage_from)),
      to_cells(CellMemory::of(storage_to)),
      components(storage_from.components()),
      cell_bytes(storage_from.cell_bytes()) {
  if (storage_from.device() || storage_from.external().base) return;
  places[0] = {&storage_from.arena(), storage_from.block().chunk, from_cells.base};
}

Carrier::Carrier(Context& context, Pending& owner, std::vector<Route> routes, std::vector<Parcel> departures,
                 std::vector<Parcel> arrivals, CarrierOptions options)
    : context_(context),
      owner_(owner),
      routes_(std::move(routes)),
      parcels_out_(std::move(departures)),
      parcels_in_(std::move(arrivals)),
      pace_(options.pace),
      read_in_place_(options.read_in_place),
      delayed_(context.options().transport == TransportPolicy::delayed) {
  find_device();
  learn_places();
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
  context_.on_describe([found = std::weak_ptr<Carrier*>(alive_)] {
    const auto carrier = found.lock();
    return carrier ? (*carrier)->describe() : std::string();
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
  if (device_packed_) new Device::Memory(device_packed_);
  unwatch();
  alive_.reset();
}

void Carrier::release() {
  finish();
  if (device_) device_->finish();
  for (auto* requests : {&sends_, &receives_}) {
    for (MPI_Request& request : *requests) mpi::check(MPI_Request_free(&request));
    requests->clear();
  }
  alive_.reset();
}

/// Where the cells of the node's other ranks lie; on all ranks alike either every item is seen or none.
void Carrier::learn_places() {
  now_.assign(routes_.size(), 0);
  if (device_) return;
  int node_rank = 0, node_size = 0;
  mpi::check(MPI_Comm_rank(context_.node_comm(), &node_rank));
  mpi::check(MPI_Comm_size(context_.node_comm(), &node_size));
  std::vector<Offsets> own;
  for (const Route& route : routes_) {
    Offsets& offsets =
        own.emplace_back(Offsets{{}, route.from_cells.y, route.from_cells.z, route.from_cells.component});
    for (std::size_t k = 0; k < route.places.size(); ++k) {
      const SharedPlace& place = route.places[k];
      if (k > 0 && !place.arena) continue;
      const std::byte* part = place.arena ? place.arena->remote(place.chunk, node_rank) : nullptr;
      if (!part) return;
      offsets.places[k] = place.base - part;
    }
  }
  peer_cells_.resize(own.size() * static_cast<std::size_t>(node_size));
  const int bytes = static_cast<int>(own.size() * sizeof(Offsets));
  mpi::check(
      MPI_Allgather(own.data(), bytes, MPI_BYTE, peer_cells_.data(), bytes, MPI_BYTE, context_.node_comm()));
}

/// The cells of a peer of this node as this rank sees them; no base where they are not in shared memory.
CellMemory Carrier::remote_memory(int item, int peer) const {
  const int node_rank = context_.node_rank_of(peer);
  if (node_rank < 0 || peer_cells_.empty()) return {};
  const auto i = static_cast<std::size_t>(item);
  const Offsets& cells = peer_cells_[static_cast<std::size_t>(node_rank) * routes_.size() + i];
  const SharedPlace& place = routes_[i].places[now_[i]];
  return {place.arena->remote(place.chunk, node_rank) + cells.places[now_[i]], cells.y, cells.z,
          cells.component};
}

Transport Carrier::choose(const Parcel& parcel) const {
  if (parcel.peer == context_.rank()) return Transport::self;
  if (delayed_) return Transport::delayed;
  if (device_) return *context_.device_messages() ? Transport::device : Transport::pinned;
  if (context_.options().transport == TransportPolicy::mpi) return Transport::mpi;
  if (!on_node(parcel.peer)) return Transport::mpi;
  const auto narrow_rows = [&](const Part& part) {
    return narrow(part.source, routes_[static_cast<std::size_t>(part.item)].cell_bytes);
  };
  if (pace_ == Pace::singly &&
      (parcel.phase != read_in_place_ || std::any_of(parcel.parts.begin(), parcel.parts.end(), narrow_rows)))
    return Transport::staged;
  return peer_cells_.empty() ? Transport::staged : Transport::shared;
}

/// What a transport really moves of a parcel: straight copies of one colour take whole rows.
std::size_t Carrier::bytes_of(const Parcel& parcel, Transport transport) const {
  if (pace_ == Pace::singly || (transport != Transport::self && transport != Transport::shared))
    return parcel.bytes;
  std::size_t sum = 0;
  for (const Part& part : parcel.parts) {
    const Int3 n = part.source.extent();
    if (part.lattice.colours == 1) {
      sum += bytes_of(part);
      continue;
    }
    std::int64_t cells = 0;
    for (int z = 0; z < n.z; ++z)
      for (int y = 0; y < n.y; ++y)
        if (Lattice::cells(part.lattice.run(part.global.x, part.global.y + y, part.global.z + z), n.x) > 0)
          cells += n.x;
    sum += static_cast<std::size_t>(cells * layers_of(part)) *
           routes_[static_cast<std::size_t>(part.item)].cell_bytes;
  }
  return sum;
}

void Carrier::add_departures(const std::vector<Parcel>& parcels) {
  for (const Parcel& parcel : parcels) {
    Job job{.transport = choose(parcel), .peer = parcel.peer, .phase = parcel.phase, .bytes = parcel.bytes};
    job.bytes = bytes_of(parcel, job.transport);
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
    Job job{.transport = choose(parcel), .peer = parcel.peer, .phase = parcel.phase, .bytes = parcel.bytes};
    job.box = parcel.sink;
    job.bytes = bytes_of(parcel, job.transport);
    if (job.transport == Transport::self) {
      Job& departure = departures_[static_cast<std::size_t>(own.at(next_own++))];
      departure.partner = static_cast<int>(arrivals_.size());
      if (pace_ == Pace::rounds) add_direct(departure, parcel);
    }
    arrivals_.push_back(job);
  }
}

/// Straight from the owner's cells to where they go.
void Carrier::add_direct(Job& job, const Parcel& parcel) {
  job.first = static_cast<int>(copies_.size());
  for (const Part& part : parcel.parts) {
    const bool own = parcel.peer == context_.rank();
    const Route& route = routes_[static_cast<std::size_t>(part.item)];
    copies_.push_back(straight(own ? route.from_cells : remote_memory(part.item, parcel.peer), part));
  }
  job.last = static_cast<int>(copies_.size());
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
  const int most = context_.largest(total);
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
    std::array<int, 2> pieces{};
    std::array<std::size_t, 2> bytes{};
  };
  std::map<std::pair<int, Transport>, Sum> peers;
  for (std::size_t in = 0; in < 2; ++in)
    for (const Job& job : in ? arrivals_ : departures_) {
      Sum& sum = peers[{job.peer, job.transport}];
      ++sum.pieces[in];
      sum.bytes[in] += job.bytes;
    }
  std::ostringstream out;
  for (const auto& [by, sum] : peers)
    out << "rank " << context_.rank() << " - rank " << by.first << ": " << transport_name(by.second)
        << ", out " << sum.pieces[0] << " pieces " << sum.bytes[0] << " bytes, in " << sum.pieces[1]
        << " pieces " << sum.bytes[1] << " bytes\n";
  return out.str();
}

}  // namespace sc
