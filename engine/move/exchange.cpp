// SPDX-License-Identifier: Apache-2.0
// Exchange: sending and receiving single pieces.
#include "engine/move/exchange.hpp"

#include <algorithm>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/base/index.hpp"

namespace sc {

namespace {

void run_pair(const Endpoint& end, const Endpoint& next) {
  for (std::size_t k = 0; k < end.copies.size(); ++k) end.copies[k].run_with(next.copies[k]);
}

}  // namespace

void Exchange::arm(Endpoint& end, const std::vector<Part>* parts) {
  if (end.under_way) throw Error(Exit::failure, "a parcel is started that is still under way");
  ++end.trip;
  end.under_way = true;
  end.refused = false;
  end.partial = parts != nullptr;
  end.travelling = end.bytes;
  if (parts) {
    end.part = packing(ends_.routes, *parts, end.buffer, end.leaving);
    end.travelling = bytes_of(ends_.routes, *parts);
  }
  if (!end.leaving) {
    ++missing_[at(end.parcel.phase)];
    return;
  }
  end.listed = true;
  Traffic& traffic = traffic_[static_cast<std::size_t>(end.transport)];
  ++traffic.messages;
  traffic.bytes += static_cast<std::int64_t>(end.travelling);
  if (end.transport == Transport::self) return;
  Account& account = ends_.context.accounts()[Resource::messages];
  ++account.pieces;
  account.bytes += static_cast<std::int64_t>(end.travelling);
}

void Exchange::start(int piece) {
  begin();
  const auto i = at(piece);
  if (i >= departures().size()) return;
  if (departures()[i].trip == rounds_)
    throw Error(Exit::failure, "piece " + std::to_string(piece) + " of a movement was started twice");
  isend(piece);
}

void Exchange::start() {
  for (int piece = 0; piece < pieces(); ++piece) start(piece);
}

void Exchange::isend(int departure, const std::vector<Part>* parts) {
  sent(departure);
  Endpoint& end = ends_.departures[at(departure)];
  arm(end, parts);
  if (!depart(departure))
    waiting_.push_back(departure);
  else if (end.partner >= 0 && !end.listed)
    take_if_there(ends_.arrivals[at(end.partner)]);
}

void Exchange::isend(std::span<const int> departures) {
  for (const int departure : departures) {
    sent(departure);
    arm(ends_.departures[at(departure)], nullptr);
    waiting_.push_back(departure);
  }
  push();
}

/// A parcel includes cells that arrive in earlier phases, so it waits for them.
bool Exchange::may_leave(const Endpoint& departure) const {
  for (int phase = 0; phase < departure.parcel.phase; ++phase)
    if (missing_[at(phase)] > 0) return false;
  return true;
}

bool Exchange::depart(int departure) {
  const Endpoint& end = ends_.departures[at(departure)];
  if (!may_leave(end)) return false;
  if (!delay_ || !delay_->holds(end.transport)) return hand_over(departure);
  delay_->hold(departure, end.trip, end.travelling);
  return true;
}

bool Exchange::hand_over(int departure) {
  Endpoint& end = ends_.departures[at(departure)];
  if (!end.channel->free(end)) return false;
  run(end);
  send(end);
  return true;
}

void Exchange::send(Endpoint& departure) {
  departure.listed = false;
  departure.channel->send(departure);
}

bool Exchange::sent(int departure) {
  Endpoint& end = ends_.departures[at(departure)];
  if (end.under_way && !end.listed && end.channel->sent(end)) end.under_way = false;
  return !end.under_way;
}

bool Exchange::all_sent() {
  for (int i = 0; i < static_cast<int>(ends_.departures.size()); ++i)
    if (!sent(i)) return false;
  return true;
}

bool Exchange::pushed() const {
  return waiting_.empty() && (!delay_ || delay_->empty()) &&
         std::ranges::all_of(channels_, [](const auto& c) { return c->pushed(); });
}

void Exchange::irecv(int arrival, const std::vector<Part>* parts) {
  Endpoint& end = ends_.arrivals[at(arrival)];
  arm(end, parts);
  end.channel->post_receive(end);
  if (end.listed || by_message(end.transport)) return;
  end.listed = true;
  listed_.push_back(arrival);
}

bool Exchange::received(int arrival) {
  Endpoint& end = ends_.arrivals[at(arrival)];
  if (end.under_way) return false;
  if (std::exchange(end.refused, false))
    refuse("rank " + std::to_string(end.parcel.peer) + " has sent " + std::to_string(end.received_bytes) +
           " bytes where rank " + std::to_string(ends_.context.rank()) + " expects " +
           std::to_string(end.travelling) + ": both ends must name the same sub-range");
  return true;
}

void Exchange::progress() {
  take_messages();
  take_listed();
  push();
}

void Exchange::progress(std::span<const int> arrivals) {
  take_messages();
  for (const int arrival : arrivals) take_if_there(ends_.arrivals[at(arrival)]);
  push();
}

void Exchange::push() {
  if (delay_)
    for (int piece = delay_->next(); piece >= 0; piece = delay_->next())
      if (!hand_over(piece)) waiting_.push_back(piece);
  std::size_t left = 0;
  for (std::size_t n = 0; n < waiting_.size(); ++n) {
    const int departure = waiting_[n];
    Endpoint& end = ends_.departures[at(departure)];
    const bool both = end.with_next && n + 1 < waiting_.size() && waiting_[n + 1] == departure + 1 && !delay_;
    Endpoint* next = both && !end.partial ? &end + 1 : nullptr;
    if (next && !next->partial && may_leave(end) && end.channel->free(end) && next->channel->free(*next)) {
      run_pair(end, *next);
      send(end);
      send(*next);
      ++n;
    } else if (!depart(departure)) {
      waiting_[left++] = departure;
    }
  }
  waiting_.resize(left);
}

void Exchange::take_messages() {
  for (const auto& channel : channels_) channel->poll(there_);
  for (Endpoint* arrival : there_) take(*arrival);
  there_.clear();
}

void Exchange::take_listed() {
  std::size_t left = 0;
  for (std::size_t n = 0; n < listed_.size(); ++n) {
    const int arrival = listed_[n];
    Endpoint& end = ends_.arrivals[at(arrival)];
    const bool both = end.with_next && n + 1 < listed_.size() && listed_[n + 1] == arrival + 1;
    Endpoint* next = both ? &end + 1 : nullptr;
    if (next && whole_is_there(end) && whole_is_there(*next)) {
      run_pair(end, *next);
      for (Endpoint* e : {&end, next}) taken(*e);
      for (Endpoint* e : {&end, next}) e->listed = false;
      ++n;
    } else if (end.under_way && !take_if_there(end)) {
      listed_[left++] = arrival;
    } else {
      end.listed = false;
    }
  }
  listed_.resize(left);
}

bool Exchange::whole_is_there(Endpoint& arrival) const {
  return arrival.under_way && !arrival.partial && arrival.channel->there(arrival) &&
         arrival.received_bytes == arrival.travelling;
}

bool Exchange::take_if_there(Endpoint& arrival) {
  if (!arrival.under_way || !arrival.channel->there(arrival)) return false;
  take(arrival);
  return true;
}

void Exchange::take(Endpoint& arrival) {
  arrival.refused = arrival.received_bytes != arrival.travelling;
  if (!arrival.refused) run(arrival);
  taken(arrival);
}

void Exchange::taken(Endpoint& arrival) {
  arrival.channel->taken(arrival);
  arrival.under_way = false;
  --missing_[at(arrival.parcel.phase)];
}

void Exchange::run(const Endpoint& end) const {
  const std::vector<BoxCopy>& copies = end.partial ? end.part : end.copies;
  if (!device_) {
    for (const BoxCopy& copy : copies) copy.run();
  } else if (!copies.empty()) {
    std::vector<CellCopy> on_device;
    for (const BoxCopy& copy : copies) on_device.push_back(copy.for_device());
    copy_cells(*device_, Stream::edge, on_device);
  }
}

}  // namespace sc
