// SPDX-License-Identifier: Apache-2.0
// Exchange: rounds over all pieces, and the state of each piece.
#include "engine/move/exchange.hpp"

#include <algorithm>

#include "engine/move/waiting.hpp"

namespace sc {

namespace {

std::optional<Passage> passage_of(const std::vector<Endpoint>& ends, int piece) {
  const auto i = static_cast<std::size_t>(piece);
  if (i >= ends.size()) return {};
  const Endpoint& end = ends[i];
  const Passage::Way way = end.transport == Transport::self ? Passage::Way::self
                           : by_message(end.transport)      ? Passage::Way::network
                                                            : Passage::Way::node;
  return Passage{way, end.parcel.peer, static_cast<std::int64_t>(end.bytes)};
}

}  // namespace

void Exchange::begin() {
  if (open_) return;
  before_round();
  // Necessary even if the caller has written nothing since: parcels of later phases are read from the halo,
  // which this round overwrites.
  wait_for_peers(ends_.context, [&] { return all_sent(); });
  ++rounds_;
  for (const auto& channel : channels_) channel->begin();
  for (int i = 0; i < static_cast<int>(arrivals().size()); ++i) irecv(i);
  open_ = true;
  being_read_ = read_by_peers_;
  for (const Route& route : ends_.routes) route.from->add_reader(this);
}

bool Exchange::test() {
  if (!open_) return true;
  progress();
  return all_received() && pushed();
}

bool Exchange::test_others() {
  if (!open_) return true;
  progress();
  const auto missing = [](const Endpoint& end) { return end.under_way && end.transport != Transport::self; };
  return std::none_of(arrivals().begin(), arrivals().end(), missing) && pushed();
}

void Exchange::start_rest() {
  begin();
  for (int i = 0; i < static_cast<int>(departures().size()); ++i)
    if (departures()[static_cast<std::size_t>(i)].trip < rounds_) isend(i);
}

void Exchange::wait() {
  start_rest();
  wait_for_peers(ends_.context, [&] { return test(); });
  open_ = false;
  if (!being_read_) end_reading();
}

void Exchange::finish() {
  if (open_) wait();
  if (!being_read_) return;
  wait_for_peers(ends_.context, [&] { return all_sent(); });
  end_reading();
}

void Exchange::end_reading() {
  being_read_ = false;
  for (const Route& route : ends_.routes) route.from->remove_reader(this);
}

/// A device copies in the order of its stream, on which a stage computes all of its cells if nothing is sent
/// to other ranks.
bool Exchange::copies_at_once() const {
  const auto phased = [](const Endpoint& end) { return end.parcel.phase > 0; };
  const auto sent = [](const Endpoint& end) { return end.transport != Transport::self; };
  const std::vector<Endpoint>& all = departures();
  return !(delay_ && delay_->holds(Transport::self)) && std::ranges::none_of(all, phased) &&
         (!device_ || std::ranges::none_of(all, sent));
}

bool Exchange::to_self(int piece) const {
  const auto i = static_cast<std::size_t>(piece);
  return i < departures().size() && departures()[i].transport == Transport::self;
}

bool Exchange::arrived(int piece) const {
  const auto i = static_cast<std::size_t>(piece);
  if (i >= arrivals().size()) return true;
  const Endpoint& end = arrivals()[i];
  return end.trip > 0 && !end.under_way;
}

int Exchange::pieces() const { return static_cast<int>(std::max(departures().size(), arrivals().size())); }

/// Without halo cells, which a later phase may forward.
Box Exchange::source(int piece) const {
  const auto i = static_cast<std::size_t>(piece);
  if (i >= departures().size()) return {};
  return intersect(departures()[i].parcel.source, ends_.routes.front().from->grid().own());
}

std::optional<Passage> Exchange::departure(int piece) const { return passage_of(departures(), piece); }

std::optional<Passage> Exchange::arrival(int piece) const { return passage_of(arrivals(), piece); }

Box Exchange::sink(int piece) const {
  const auto i = static_cast<std::size_t>(piece);
  return i < arrivals().size() ? arrivals()[i].parcel.sink : Box{};
}

}  // namespace sc
