// SPDX-License-Identifier: Apache-2.0
// Exchange: construction and destruction, the choice of a channel for each peer, and queries.
#include <algorithm>
#include <exception>
#include <map>
#include <sstream>
#include <utility>

#include "engine/move/exchange.hpp"
#include "engine/move/transport/device.hpp"
#include "engine/move/transport/in_place.hpp"
#include "engine/move/transport/rehearsing.hpp"
#include "engine/move/transport/staged.hpp"

namespace sc {

Exchange::Exchange(Context& context, Parcels parcels)
    : ends_{context, std::move(parcels.routes)}, device_(device_of(ends_.routes)) {
  if (device_) find_device_messages(context);
  if (context.options().transport == TransportPolicy::delayed)
    delay_.emplace(context, parcels.departures.size());
  context.rehearses() ? rehearse(parcels) : make_channels(parcels);
  bind();
  waiting_.reserve(departures().size());
  listed_.reserve(arrivals().size());
  there_.reserve(arrivals().size());
  alive_ = std::make_shared<Exchange*>(this);
  read_by_peers_ = std::any_of(departures().begin(), departures().end(),
                               [](const Endpoint& end) { return end.transport == Transport::shared; });
  context.on_close([found = std::weak_ptr<Exchange*>(alive_)] {
    const auto exchange = found.lock();
    if (!exchange) return;
    (*exchange)->finish();
    (*exchange)->release();
  });
  context.on_describe([found = std::weak_ptr<Exchange*>(alive_)] {
    const auto exchange = found.lock();
    return exchange ? (*exchange)->describe() : std::string();
  });
  context.drives(this);
}

void Exchange::make_channels(Parcels& parcels) {
  auto in_place = std::make_unique<InPlace>(ends_);
  add(ends_.departures, std::move(parcels.departures), true, in_place->sees_peers());
  add(ends_.arrivals, std::move(parcels.arrivals), false, in_place->sees_peers());
  find_partners();
  lay_out_flags(ends_, own_flags_);
  channels_[0] = std::move(in_place);
  channels_[1] = std::make_unique<Staged>(ends_);
  if (device_)
    channels_[2] = std::make_unique<DeviceMessages>(ends_, *device_);
  else
    channels_[2] = std::make_unique<Messages>(ends_);
}

/// The same endpoints and transports, without peers.
void Exchange::rehearse(Parcels& parcels) {
  const bool seen =
      std::ranges::all_of(ends_.routes, [](const Route& route) { return route.places[0].arena != nullptr; });
  add(ends_.departures, std::move(parcels.departures), true, seen);
  add(ends_.arrivals, std::move(parcels.arrivals), false, seen);
  find_partners();
  for (auto& channel : channels_) channel = std::make_unique<Rehearsing>(ends_);
}

Exchange::~Exchange() {
  if (!alive_) return;  // already released; the context may no longer exist
  if (!open_ || std::uncaught_exceptions() == 0) {
    finish();
    release();
    return;
  }
  abandon();  // after an error the peers may never complete this round: do not wait for them
  end_reading();
}

void Exchange::abandon() {
  for (const auto& channel : channels_) channel->abandon();
  ends_.context.drives_no_more(this);
  alive_.reset();
}

void Exchange::release() {
  if (device_) device_->finish();
  for (const auto& channel : channels_) channel->release();
  ends_.context.drives_no_more(this);
  alive_.reset();
}

Transport Exchange::choose(const Parcel& parcel, bool seen) const {
  const Context& context = ends_.context;
  if (parcel.peer == context.rank()) return Transport::self;
  if (delay_) return Transport::delayed;
  if (device_) return *ends_.context.device_messages() ? Transport::device : Transport::pinned;
  if (!context.shared_memory() || context.node_rank_of(parcel.peer) < 0) return Transport::mpi;
  return parcel.in_place && seen ? Transport::shared : Transport::staged;
}

void Exchange::add(std::vector<Endpoint>& list, std::vector<Parcel> parcels, bool leaving, bool seen) const {
  for (Parcel& parcel : parcels) {
    const Transport transport = choose(parcel, seen);
    list.push_back({.leaving = leaving, .parcel = std::move(parcel), .transport = transport});
    list.back().bytes = list.back().parcel.bytes;
  }
}

/// Matches the two endpoints of each message to this rank itself; both lists have the same order.
void Exchange::find_partners() {
  std::size_t next = 0;
  for (Endpoint& end : ends_.departures) {
    if (end.transport != Transport::self) continue;
    while (ends_.arrivals[next].transport != Transport::self) ++next;
    end.partner = static_cast<int>(next++);
  }
}

void Exchange::bind() {
  for (auto* list : {&ends_.departures, &ends_.arrivals})
    for (Endpoint& end : *list) {
      const int channel = by_message(end.transport) ? 2 : end.buffered() ? 1 : 0;
      end.channel = channels_[static_cast<std::size_t>(channel)].get();
      end.channel->bind(end);
    }
  if (device_) return;  // each piece has a kernel of its own there
  const auto pair = [](const Endpoint& end, const Endpoint& next) {
    return end.parcel.group == next.parcel.group && end.parcel.phase == next.parcel.phase &&
           !end.copies.empty() &&
           std::equal(end.copies.begin(), end.copies.end(), next.copies.begin(), next.copies.end(),
                      [](const BoxCopy& a, const BoxCopy& b) { return a.pairs_with(b); });
  };
  for (auto* list : {&ends_.departures, &ends_.arrivals})
    for (std::size_t i = 0; i + 1 < list->size(); ++i)
      (*list)[i].with_next = pair((*list)[i], (*list)[i + 1]);
}

void Exchange::rebind(const std::vector<CellMemory>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i)
    ends_.routes[i].from_cells = ends_.routes[i].to_cells = cells[i];
  bind();
}

std::int64_t Exchange::bytes() const {
  std::int64_t sum = 0;
  for (const Endpoint& end : departures())
    if (end.transport != Transport::self) sum += static_cast<std::int64_t>(end.bytes);
  return sum;
}

std::string Exchange::describe() const {
  std::map<std::pair<int, Transport>, std::array<std::size_t, 4>> peers;  // pieces, bytes; sent, received
  for (const auto* list : {&ends_.departures, &ends_.arrivals})
    for (const Endpoint& end : *list) {
      auto& sum = peers[{end.parcel.peer, end.transport}];
      ++sum[end.leaving ? 0 : 2];
      sum[end.leaving ? 1 : 3] += end.bytes;
    }
  std::ostringstream out;
  for (const auto& [by, sum] : peers)
    out << "rank " << ends_.context.rank() << " - rank " << by.first << ": " << transport_name(by.second)
        << ", out " << sum[0] << " pieces " << sum[1] << " bytes, in " << sum[2] << " pieces " << sum[3]
        << " bytes\n";
  return out.str();
}

}  // namespace sc
