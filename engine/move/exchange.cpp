// SPDX-License-Identifier: Apache-2.0
// Exchange: the loop over pieces.
#include "engine/move/exchange.hpp"

#include <algorithm>
#include <exception>

#include "engine/base/error.hpp"
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

Exchange::Exchange(Context& context, Parcels parcels)
    : context_(context), carrier_(context, *this, std::move(parcels)) {
  const auto& departures = carrier_.departures();
  read_by_peers_ = std::any_of(departures.begin(), departures.end(),
                               [](const Endpoint& end) { return end.transport == Transport::shared; });
}

Exchange::~Exchange() {
  if (!carrier_.alive()) return;
  if (!open_ || std::uncaught_exceptions() == 0) {
    finish();
    return;
  }
  carrier_.abandon();  // the peers may never take part in this round any more: rather than hang
  end_reading();
}

void Exchange::begin() {
  if (open_) return;
  before_round();
  // Also for a caller who rewrote nothing: the cells of later phases lie in the halo, which this round
  // refreshes.
  wait_for_peers(context_, [&] { return carrier_.all_sent(); });
  ++rounds_;
  carrier_.begin_round();
  for (int i = 0; i < static_cast<int>(carrier_.arrivals().size()); ++i) carrier_.irecv(i);
  open_ = true;
  being_read_ = read_by_peers_;
  for (const Route& route : carrier_.routes()) route.from->add_reader(this);
}

void Exchange::start(int piece) {
  begin();
  const auto i = static_cast<std::size_t>(piece);
  if (i >= carrier_.departures().size()) return;
  if (carrier_.departures()[i].trip == rounds_)
    throw Error(Exit::failure, "piece " + std::to_string(piece) + " of a movement was started twice");
  carrier_.isend(piece);
}

bool Exchange::test() {
  if (!open_) return true;
  carrier_.progress();
  return carrier_.all_received() && carrier_.pushed();
}

bool Exchange::test_others() {
  if (!open_) return true;
  carrier_.progress();
  const auto missing = [](const Endpoint& end) { return end.under_way && end.transport != Transport::self; };
  const auto& arrivals = carrier_.arrivals();
  return std::none_of(arrivals.begin(), arrivals.end(), missing) && carrier_.pushed();
}

void Exchange::start_rest() {
  begin();
  for (int i = 0; i < static_cast<int>(carrier_.departures().size()); ++i)
    if (carrier_.departures()[static_cast<std::size_t>(i)].trip < rounds_) carrier_.isend(i);
}

void Exchange::wait() {
  start_rest();
  wait_for_peers(context_, [&] { return test(); });
  open_ = false;
  if (!being_read_) end_reading();
}

void Exchange::finish() {
  if (open_) wait();
  if (!being_read_) return;
  wait_for_peers(context_, [&] { return carrier_.all_sent(); });
  end_reading();
}

void Exchange::end_reading() {
  being_read_ = false;
  for (const Route& route : carrier_.routes()) route.from->remove_reader(this);
}

bool Exchange::copies_at_once() const {
  const auto& departures = carrier_.departures();
  const auto phased = [](const Endpoint& end) { return end.parcel.phase > 0; };
  return !carrier_.delays() && !carrier_.on_device() &&
         std::none_of(departures.begin(), departures.end(), phased);
}

bool Exchange::to_self(int piece) const {
  const auto i = static_cast<std::size_t>(piece);
  return i < carrier_.departures().size() && carrier_.departures()[i].transport == Transport::self;
}

bool Exchange::arrived(int piece) const {
  const auto i = static_cast<std::size_t>(piece);
  if (i >= carrier_.arrivals().size()) return true;
  const Endpoint& end = carrier_.arrivals()[i];
  return end.trip > 0 && !end.under_way;
}

int Exchange::pieces() const {
  return static_cast<int>(std::max(carrier_.departures().size(), carrier_.arrivals().size()));
}

/// The halo cells that a staged phase passes on are no own cells.
Box Exchange::source(int piece) const {
  const auto i = static_cast<std::size_t>(piece);
  if (i >= carrier_.departures().size()) return {};
  return intersect(carrier_.departures()[i].parcel.source, carrier_.routes().front().from->grid().own());
}

std::optional<Passage> Exchange::departure(int piece) const {
  return passage_of(carrier_.departures(), piece);
}

std::optional<Passage> Exchange::arrival(int piece) const { return passage_of(carrier_.arrivals(), piece); }

Box Exchange::sink(int piece) const {
  const auto i = static_cast<std::size_t>(piece);
  return i < carrier_.arrivals().size() ? carrier_.arrivals()[i].parcel.sink : Box{};
}

}  // namespace sc
