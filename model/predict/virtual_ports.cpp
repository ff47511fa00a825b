// SPDX-License-Identifier: Apache-2.0
// VirtualPorts: the LogGP model (Alexandrov and others, 1995) between nodes, copies within a node.
#include "model/predict/virtual_ports.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace sc::model {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

}  // namespace

VirtualPorts::VirtualPorts(const RehearsedRun& run, const Machine& machine, bool overlaps, const Begin& begin,
                           FileClock& files, const Dues& dues)
    : run_(run),
      machine_(machine),
      overlaps_(overlaps),
      now_(begin.now),
      files_(files),
      sent_(begin.sent),
      started_(run.departures.size(), never),
      arrives_(run.departures.size(), never),
      threads_(machine.threads) {
  std::map<std::pair<int, int>, std::size_t> known;  // a message that two arrivals wait for is taken once
  for (std::size_t a = 0; a < run.arrivals.size(); ++a) {
    std::vector<Receive>& receives = receives_.emplace_back();
    for (std::size_t n = 0; n < run.arrivals[a].size(); ++n) {
      std::size_t message = taken_.size();
      if (const int like = run.arrivals[a][n].like; like >= 0)
        message = known.try_emplace({run.plan.arrivals()[a].movement, like}, message).first->second;
      if (message == taken_.size()) taken_.push_back(false);
      receives.push_back({run.arrivals[a][n], dues[a][n], message});
    }
  }
  times_.stage = run.stage;
  times_.runs = 1;
}

double VirtualPorts::seconds(const Chunk& chunk, int threads) const {
  double sum = 0;
  for (const Work& work : works(chunk)) sum += machine_.seconds(run_, work, threads);
  return sum;
}

double& VirtualPorts::time_of(Work::Part part) {
  return part == Work::Part::shell      ? times_.shell
         : part == Work::Part::boundary ? times_.boundary
                                        : times_.core;
}

/// This thread packs a message. Within a node only a flag is set.
void VirtualPorts::start(const Piece& piece) {
  const std::size_t n = number(piece);
  const Passage& passage = run_.departures[n];
  const double begin = now_, waited = times_.wait, bytes = static_cast<double>(passage.bytes);
  if (passage.bytes == 0) {
    started_[n] = arrives_[n] = now_;
    return;
  }
  switch (passage.way) {
    case Passage::Way::self:
      arrives_[n] = now_ += bytes * machine_.copied_byte;
      break;
    case Passage::Way::node:
      end_sends();
      arrives_[n] = now_ + machine_.node.latency;
      break;
    case Passage::Way::network:
      now_ += machine_.network.overhead + bytes * machine_.copied_byte;
      end_sends();
      arrives_[n] = now_ + machine_.network.on_share(passage.bytes) + machine_.network.latency;
      break;
  }
  started_[n] = now_;
  if (passage.way != Passage::Way::self) {
    ++times_.messages;
    times_.bytes += passage.bytes;
  }
  times_.start += now_ - begin - (times_.wait - waited);
}

/// Before the first send of this run, waits for the sends of earlier runs, as an exchange does.
void VirtualPorts::end_sends() {
  if (!sends_ && sent_ > now_) {
    times_.wait += sent_ - now_;
    now_ = sent_;
  }
  sends_ = true;
}

/// Whether its sender asks before it sends, and has not been answered.
bool VirtualPorts::asks(const Receive& receive) const {
  const Passage& passage = receive.awaited.passage;
  return passage.way == Passage::Way::network && machine_.network.asks(passage.bytes) &&
         receive.awaited.like >= 0 && std::isnan(receive.answered);
}

/// When the question arrives.
double VirtualPorts::asked(const Receive& receive) const {
  const bool known = !std::isnan(receive.due.at);
  if (known && !receive.due.own) return receive.due.asked;
  const double mine = started_[static_cast<std::size_t>(receive.awaited.like)] + machine_.network.latency;
  return known && mine < never ? receive.due.asked : mine;
}

double VirtualPorts::due(const Receive& receive) const {
  if (asks(receive)) return never;
  // After an answer come its way to the sender, and the message on a link of its own at best.
  const Machine::Network& network = machine_.network;
  const double answered = std::isnan(receive.answered)
                              ? 0
                              : receive.answered + 2 * network.latency +
                                    network.on_share(receive.awaited.passage.bytes) / network.sharing;
  const bool known = !std::isnan(receive.due.at);
  if (known && !receive.due.own) return std::max(receive.due.at, answered);
  if (receive.awaited.like < 0) return now_;
  const double mine = arrives_[static_cast<std::size_t>(receive.awaited.like)];
  return std::max(known && mine < never ? receive.due.at : mine, answered);
}

std::vector<std::vector<double>> VirtualPorts::answered() const {
  std::vector<std::vector<double>> all;
  for (const auto& receives : receives_) {
    auto& times = all.emplace_back();
    for (const Receive& receive : receives) times.push_back(receive.answered);
  }
  return all;
}

/// The time that receiving a piece takes this thread.
double VirtualPorts::cost(const Passage& passage) const {
  const double bytes = static_cast<double>(passage.bytes);
  switch (passage.way) {
    case Passage::Way::self:
      return 0;  // copied when it was started
    case Passage::Way::node:
      return bytes * machine_.node.copied_byte;
    case Passage::Way::network:
      return machine_.network.overhead + bytes * machine_.copied_byte;
  }
  return 0;
}

/// A progress call: answers the questions that have arrived, and receives everything that has, including what
/// arrives meanwhile. Returns the seconds that takes.
double VirtualPorts::take_arrived() {
  const double begin = now_;
  for (bool more = true; more;) {
    more = false;
    for (auto& receives : receives_)
      for (Receive& receive : receives) {
        if (taken(receive)) continue;
        if (asks(receive) && asked(receive) <= now_) receive.answered = now_;
        if (due(receive) > now_) continue;
        taken_[receive.message] = more = true;
        now_ += cost(receive.awaited.passage);
      }
  }
  return now_ - begin;
}

/// When the first question arrives that is not answered yet: a waiting rank answers all at once.
double VirtualPorts::first_question() const {
  double first = never;
  for (const auto& receives : receives_)
    for (const Receive& receive : receives)
      if (!taken(receive) && asks(receive)) first = std::min(first, asked(receive));
  return first;
}

bool VirtualPorts::all_there(const std::vector<Receive>& receives) const {
  return std::ranges::all_of(receives, [&](const Receive& c) { return taken(c); });
}

bool VirtualPorts::all_taken() const {
  return std::ranges::all_of(receives_, [&](const auto& c) { return all_there(c); });
}

bool VirtualPorts::arrived(const Arrival& arrival) {
  times_.wait += take_arrived();
  return all_there(receives_[number(arrival)]);
}

void VirtualPorts::wait(const Arrival& arrival) {
  std::vector<Receive>& awaited = receives_[number(arrival)];
  const double begin = now_;
  while (!all_there(awaited)) {
    double then = never;
    for (const Receive& receive : awaited)
      if (!taken(receive)) then = std::min(then, asks(receive) ? asked(receive) : due(receive));
    // The like piece has not been started yet, but its sender starts it before it waits itself: it counts as
    // arrived.
    if (then == never)
      for (Receive& receive : awaited)
        if (!taken(receive)) receive.awaited.like = -1;
    if (then < never) now_ = std::max(now_, std::min(then, first_question()));
    take_arrived();
  }
  times_.wait += now_ - begin;
}

void VirtualPorts::copy(const std::vector<RehearsedCopy>& copies) {
  const double begin = now_;
  for (const RehearsedCopy& one : copies) {
    now_ = files_.after(one, now_);
    if (one.begins) (one.in ? times_.read : times_.written) += one.bytes;
  }
  times_.files += now_ - begin;
}

void VirtualPorts::compute(const Chunk& chunk) {
  if (run_.slabs.empty()) return compute_cells(chunk);
  const RehearsedRun::Slab& slab = run_.slabs[number(chunk)];
  copy(slab.before);
  compute_cells(chunk);
  copy(slab.after);
}

/// The core is computed in intervals with a progress call after each, until all pieces have arrived.
void VirtualPorts::compute_cells(const Chunk& chunk) {
  for (const Work& work : works(chunk)) time_of(work.part) += machine_.seconds(run_, work, threads_);
  const double alone = seconds(chunk, threads_);
  if (!overlaps_ || !chunk.divisible) {
    now_ += alone;
    return;
  }
  double left = alone;
  while (left > 0) {
    times_.poke += take_arrived();
    const double stretch = all_taken() ? left : std::min(left, machine_.poke);
    now_ += stretch;
    left -= stretch;
    if (left <= 0 || all_taken()) continue;
    now_ += machine_.look;
    times_.poke += machine_.look;
  }
}

void VirtualPorts::compute_beside(const Chunk& chunk, const std::function<void()>& drive, bool joins) {
  const int others = machine_.threads - 1;
  const double begin = now_;
  threads_ = 1;
  drive();
  threads_ = machine_.threads;
  const double driven = now_ - begin;
  const double by_all = seconds(chunk, machine_.threads);
  if (others == 0) {  // a single thread computes the core afterwards
    now_ += by_all;
  } else {
    const double by_others = seconds(chunk, others);
    const double share = by_others > 0 ? std::min(1.0, driven / by_others) : 1.0;
    now_ = joins ? now_ + (1 - share) * by_all : std::max(now_, begin + by_others);
  }
  times_.core += by_all;
}

}  // namespace sc::model
