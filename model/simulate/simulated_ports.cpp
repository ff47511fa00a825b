// SPDX-License-Identifier: Apache-2.0
// SimulatedPorts: messages that share one buffer.
#include "model/simulate/simulated_ports.hpp"

#include <smpi/smpi.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "engine/base/error.hpp"

namespace sc::model {

namespace {

/// Sender and receiver number their pieces independently, so the tag is the length: messages of equal length
/// between the same ranks are interchangeable.
int tag(const Passage& passage) { return static_cast<int>(passage.bytes % 1'000'003); }
int question_tag(const Passage& passage) { return 1'000'003 + tag(passage); }

bool travels(const Passage& passage) { return passage.way != Passage::Way::self && passage.bytes > 0; }

}  // namespace

std::size_t MessageList::add(int movement, const Passage& passage) {
  const std::size_t next = all_.size();
  const auto [found, fresh] =
      known_.try_emplace({movement, passage.peer, whole_ ? 0 : static_cast<int>(next)}, next);
  if (fresh) all_.push_back({{passage.way, passage.peer, 0}});
  Message& message = all_[found->second];
  message.passage.bytes += passage.bytes;
  ++message.left;
  ++message.pieces;
  return found->second;
}

void UnderWay::pay() {
  if (owed_ > 0) smpi_execute(owed_);
  owed_ = 0;
}

void UnderWay::send(const Passage& passage, int tag, void* memory) {
  pay();
  MPI_Isend(memory, static_cast<int>(passage.bytes), MPI_BYTE, passage.peer, tag, MPI_COMM_WORLD,
            &sends_.emplace_back());
}

/// One by one, because SMPI's Waitall tests all requests for each of them.
void UnderWay::end_sends() {
  pay();
  for (MPI_Request& send : sends_) MPI_Wait(&send, MPI_STATUS_IGNORE);
  sends_.clear();
}

SimulatedPorts::SimulatedPorts(const TracedRun& traced, const Machine& machine, const Strategy& strategy,
                               bool whole, UnderWay& under_way, void* memory)
    : traced_(traced),
      machine_(machine),
      overlaps_(strategy.overlaps),
      under_way_(under_way),
      memory_(memory),
      // with starts during computation, each piece is a message
      sent_messages_(whole && strategy.starts != Starts::with_chunk),
      received_messages_(whole && strategy.starts != Starts::with_chunk) {
  for (std::size_t p = 0; p < traced.run.departures.size(); ++p)
    of_piece_.push_back(
        travels(traced.run.departures[p])
            ? sent_messages_.add(traced.run.plan.pieces()[p].movement, traced.run.departures[p])
            : 0);
  find_coming();
  outstanding_ = received_messages_.size();
  receives_.resize(outstanding_, MPI_REQUEST_NULL);
  questions_.resize(outstanding_, MPI_REQUEST_NULL);
  unanswered_.resize(outstanding_);
  if (outstanding_ > 0) under_way_.pay();
  for (std::size_t n = 0; n < outstanding_; ++n) {
    unanswered_[n] = asks(received_messages_[n]);
    if (!unanswered_[n])
      answer(n);
    else
      MPI_Irecv(memory_, 1, MPI_BYTE, received_messages_[n].passage.peer,
                question_tag(received_messages_[n].passage), MPI_COMM_WORLD, &questions_[n]);
  }
}

/// Whether the pieces of a message are above the eager limit. The answer's way back is part of the latency
/// of such a message in the simulator.
bool SimulatedPorts::asks(const Message& message) const {
  return message.passage.way == Passage::Way::network &&
         machine_.network.asks(message.passage.bytes / message.pieces);
}

/// Posts the receive of a message. One above the eager limit leaves only now, if it has been sent.
void SimulatedPorts::answer(std::size_t n) {
  const Passage& passage = received_messages_[n].passage;
  MPI_Irecv(memory_, static_cast<int>(passage.bytes), MPI_BYTE, passage.peer, tag(passage), MPI_COMM_WORLD,
            &receives_[n]);
  unanswered_[n] = false;
}

/// A progress call answers the questions that have come.
void SimulatedPorts::answer_requests() {
  for (std::size_t n = 0; n < questions_.size(); ++n) {
    int there = 0;
    if (unanswered_[n]) MPI_Test(&questions_[n], &there, MPI_STATUS_IGNORE);
    if (there) answer(n);
  }
}

void SimulatedPorts::find_coming() {
  std::map<std::pair<int, int>, std::size_t> known;  // a piece that two arrivals wait for is received once
  const auto& arrivals = traced_.run.plan.arrivals();
  for (std::size_t a = 0; a < arrivals.size(); ++a) {
    auto& mine = of_arrival_.emplace_back();
    for (const auto& awaited : traced_.run.arrivals[a]) {
      if (!travels(awaited.passage)) continue;
      const std::pair key(arrivals[a].movement, awaited.like);
      const auto found = awaited.like >= 0 ? known.find(key) : known.end();
      const bool fresh = found == known.end();
      const std::size_t n =
          fresh ? received_messages_.add(arrivals[a].movement, awaited.passage) : found->second;
      if (fresh && awaited.like >= 0) known[key] = n;
      if (std::find(mine.begin(), mine.end(), n) == mine.end()) mine.push_back(n);
    }
  }
}

void SimulatedPorts::start(const Piece& piece) {
  const auto n = static_cast<std::size_t>(&piece - traced_.run.plan.pieces().data());
  const Passage& passage = traced_.run.departures[n];
  const auto bytes = static_cast<double>(passage.bytes);
  if (passage.bytes == 0) return;
  if (passage.way == Passage::Way::self) return under_way_.spend(bytes * machine_.copied_byte);
  if (passage.way == Passage::Way::network)
    under_way_.spend(machine_.network.overhead + bytes * machine_.copied_byte);
  Message& message = sent_messages_[of_piece_[n]];
  if (--message.left > 0) return;
  if (!begun_) under_way_.end_sends();  // those of the previous run
  begun_ = true;
  if (asks(message))
    under_way_.send({message.passage.way, message.passage.peer, 1}, question_tag(message.passage), memory_);
  under_way_.send(message.passage, tag(message.passage), memory_);
}

bool SimulatedPorts::arrived(const Arrival& arrival) {
  if (overlaps_) take_arrived();  // otherwise wait() follows
  return !waits_for(arrival);
}

bool SimulatedPorts::waits_for(const Arrival& arrival) const {
  return std::any_of(awaited(arrival).begin(), awaited(arrival).end(),
                     [&](std::size_t n) { return unanswered_[n] || receives_[n] != MPI_REQUEST_NULL; });
}

/// A waiting rank answers all questions at once.
void SimulatedPorts::wait(const Arrival& arrival) {
  for (;;) {
    std::vector<MPI_Request> requests;
    std::vector<std::size_t> numbers;
    const auto add = [&](MPI_Request request, std::size_t n) {
      requests.push_back(request);
      numbers.push_back(n);
    };
    for (const std::size_t n : awaited(arrival))
      if (receives_[n] != MPI_REQUEST_NULL) add(receives_[n], n);
    const std::size_t messages = requests.size();
    for (std::size_t n = 0; n < unanswered_.size(); ++n)
      if (unanswered_[n]) add(questions_[n], n);
    if (!waits_for(arrival)) return;
    under_way_.pay();
    int which = 0;
    MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &which, MPI_STATUS_IGNORE);
    const auto found = static_cast<std::size_t>(which);
    const std::size_t n = numbers[found];
    if (found >= messages) {
      answer(n);
      continue;
    }
    receives_[n] = MPI_REQUEST_NULL;
    take(n);
  }
}

void SimulatedPorts::compute(const Chunk& chunk) {
  const auto& slab = traced_.run.slabs[static_cast<std::size_t>(&chunk - traced_.run.plan.chunks().data())];
  for (const RehearsedCopy& one : slab.before) under_way_.copy(one);
  compute_cells(chunk);
  for (const RehearsedCopy& one : slab.after) under_way_.copy(one);
}

void SimulatedPorts::compute_cells(const Chunk& chunk) {
  double left = traced_.seconds[static_cast<std::size_t>(&chunk - traced_.run.plan.chunks().data())];
  if (!overlaps_ || !chunk.divisible) return under_way_.spend(left);
  while (left > 0) {
    take_arrived();
    const double stretch = outstanding_ == 0 ? left : std::min(left, machine_.poke);
    under_way_.spend(stretch);
    left -= stretch;
    if (left > 0 && outstanding_ > 0) under_way_.spend(machine_.look);
  }
}

void SimulatedPorts::compute_beside(const Chunk&, const std::function<void()>&, bool) {
  refuse("SMPI has no threads");
}

void SimulatedPorts::finish() {
  for (std::size_t n = 0; n < receives_.size(); ++n) {
    if (!unanswered_[n]) continue;
    under_way_.pay();
    MPI_Wait(&questions_[n], MPI_STATUS_IGNORE);
    answer(n);
  }
  for (std::size_t n = 0; n < receives_.size(); ++n) {
    if (receives_[n] == MPI_REQUEST_NULL) continue;
    under_way_.pay();
    MPI_Wait(&receives_[n], MPI_STATUS_IGNORE);
    take(n);
  }
}

void SimulatedPorts::take(std::size_t n) {
  --outstanding_;
  const Message& message = received_messages_[n];
  const auto bytes = static_cast<double>(message.passage.bytes);
  under_way_.spend(message.passage.way == Passage::Way::node
                       ? bytes * machine_.node.copied_byte
                       : message.pieces * machine_.network.overhead + bytes * machine_.copied_byte);
}

/// Nothing new can have arrived unless the simulated time has advanced.
void SimulatedPorts::take_arrived() {
  if (outstanding_ == 0 || under_way_.now() == looked_) return;
  answer_requests();
  for (int which = 0, there = 1; outstanding_ > 0 && there;) {
    MPI_Testany(static_cast<int>(receives_.size()), receives_.data(), &which, &there, MPI_STATUS_IGNORE);
    there = there && which != MPI_UNDEFINED;  // with no receive posted, all are complete
    if (there) take(static_cast<std::size_t>(which));
    under_way_.pay();
  }
  looked_ = under_way_.now();
}

}  // namespace sc::model
