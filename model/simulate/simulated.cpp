// SPDX-License-Identifier: Apache-2.0
// A program for SimGrid's SMPI: every rank replays its trace by the engine's own executor. Messages are real
// to the simulator, so that they share links; cells are left out and computing is simulated time.
//
//   smpirun … simulated FOLDER pieces|whole STEPS    reads FOLDER/RANK, prints seconds from one step of all
//   ranks to the next; "whole": of a run one message from rank to rank
//
// The program is compiled on the user's machine, where SimGrid is.
#include <mpi.h>
#include <smpi/smpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/plan/executor.hpp"
#include "model/predict/file_clock.hpp"
#include "model/predict/trace.hpp"

namespace {

using sc::Passage;
using sc::model::FileClock;
using sc::model::Machine;
using sc::model::TracedRun;

constexpr int settling = 2;  // steps until ranks have fallen into each other's rhythm

void spend(double seconds) {
  if (seconds > 0) smpi_execute(seconds);
}

/// Without contents: all messages are parts of one piece of memory.
class Memory {
 public:
  explicit Memory(std::size_t bytes) : data_(smpi_shared_malloc(bytes, __FILE__, __LINE__)) {}
  ~Memory() { smpi_shared_free(data_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  void* data() const { return data_; }

 private:
  void* data_;
};

/// What travels between two ranks as one message.
struct Message {
  Passage passage;  // all bytes of it
  int pieces = 0;   // that it consists of
  int left = 0;     // of them, not started yet
};

/// Pieces that travel by themselves, or all that a run moves between two ranks as one: what many ranks send
/// is looked through for every event.
class Messages {
 public:
  explicit Messages(bool whole) : whole_(whole) {}

  /// The number of the message that carries it.
  std::size_t add(int movement, const Passage& passage) {
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
  Message& operator[](std::size_t n) { return all_[n]; }
  std::size_t size() const { return all_.size(); }

 private:
  bool whole_;
  std::vector<Message> all_;
  std::map<std::array<int, 3>, std::size_t> known_;
};

/// What goes on from run to run.
struct UnderWay {
  FileClock files;
  std::vector<MPI_Request> sends = {};

  /// One by one: SMPI's Waitall looks at all of them for each.
  void end_sends() {
    for (MPI_Request& send : sends) MPI_Wait(&send, MPI_STATUS_IGNORE);
    sends.clear();
  }
};

class SimulatedPorts final : public sc::Ports {
 public:
  SimulatedPorts(const TracedRun& traced, const Machine& machine, const sc::Strategy& strategy, bool whole,
                 UnderWay& under_way, void* memory)
      : traced_(traced),
        machine_(machine),
        overlaps_(strategy.overlaps),
        under_way_(under_way),
        memory_(memory),
        // where pieces leave one after the other for what they give others to do, each is a message
        going_(whole && strategy.starts != sc::Starts::with_chunk),
        coming_(whole && strategy.starts != sc::Starts::with_chunk) {
    for (std::size_t p = 0; p < traced.run.departures.size(); ++p)
      of_piece_.push_back(travels(traced.run.departures[p])
                              ? going_.add(traced.run.plan.pieces()[p].movement, traced.run.departures[p])
                              : 0);
    find_coming();
    left_ = coming_.size();
    receives_.resize(left_);
    for (std::size_t n = 0; n < left_; ++n) {
      const Passage& passage = coming_[n].passage;
      MPI_Irecv(memory_, static_cast<int>(passage.bytes), MPI_BYTE, passage.peer, tag(passage),
                MPI_COMM_WORLD, &receives_[n]);
    }
  }

  void start(const sc::Piece& piece) override {
    const auto n = static_cast<std::size_t>(&piece - traced_.run.plan.pieces().data());
    const Passage& passage = traced_.run.departures[n];
    const auto bytes = static_cast<double>(passage.bytes);
    if (passage.bytes == 0) return;
    if (passage.way == Passage::Way::self) return spend(bytes * machine_.copied_byte);
    if (passage.way == Passage::Way::network) spend(machine_.network.overhead + bytes * machine_.copied_byte);
    Message& message = going_[of_piece_[n]];
    if (--message.left > 0) return;
    if (!begun_) under_way_.end_sends();  // those of the run before
    begun_ = true;
    MPI_Isend(memory_, static_cast<int>(message.passage.bytes), MPI_BYTE, passage.peer, tag(message.passage),
              MPI_COMM_WORLD, &under_way_.sends.emplace_back());
  }

  bool arrived(const sc::Arrival& arrival) override {
    if (overlaps_) take_what_came();  // else it is waited for next
    for (const std::size_t n : awaited(arrival))
      if (receives_[n] != MPI_REQUEST_NULL) return false;
    return true;
  }

  void wait(const sc::Arrival& arrival) override {
    for (;;) {
      std::vector<MPI_Request> requests;
      std::vector<std::size_t> numbers;
      for (const std::size_t n : awaited(arrival))
        if (receives_[n] != MPI_REQUEST_NULL) {
          requests.push_back(receives_[n]);
          numbers.push_back(n);
        }
      if (requests.empty()) return;
      int which = 0;
      MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &which, MPI_STATUS_IGNORE);
      const std::size_t n = numbers[static_cast<std::size_t>(which)];
      receives_[n] = MPI_REQUEST_NULL;
      take(n);
    }
  }

  void compute(const sc::Chunk& chunk) override {
    const auto& slab = traced_.run.slabs[static_cast<std::size_t>(&chunk - traced_.run.plan.chunks().data())];
    for (const sc::RehearsedCopy& one : slab.before) copy(under_way_.files, one);
    compute_cells(chunk);
    for (const sc::RehearsedCopy& one : slab.after) copy(under_way_.files, one);
  }

  static void copy(FileClock& files, const sc::RehearsedCopy& one) {
    const double now = MPI_Wtime();
    spend(files.after(one, now) - now);
  }

  void compute_cells(const sc::Chunk& chunk) {
    double left = traced_.seconds[static_cast<std::size_t>(&chunk - traced_.run.plan.chunks().data())];
    if (!overlaps_ || !chunk.divisible) return spend(left);
    while (left > 0) {
      take_what_came();
      const double stretch = left_ == 0 ? left : std::min(left, machine_.poke);
      spend(stretch);
      left -= stretch;
      if (left > 0 && left_ > 0) spend(machine_.look);
    }
  }

  void compute_beside(const sc::Chunk&, const std::function<void()>&, bool) override {
    sc::refuse("SMPI has no threads");
  }

  void finish() {
    for (std::size_t n = 0; n < receives_.size(); ++n) {
      if (receives_[n] == MPI_REQUEST_NULL) continue;
      MPI_Wait(&receives_[n], MPI_STATUS_IGNORE);
      take(n);
    }
  }

 private:
  /// Sender and receiver number their pieces by themselves; of two messages between the same ranks those of
  /// one length may stand for each other.
  static int tag(const Passage& passage) { return static_cast<int>(passage.bytes % 1'000'003); }

  static bool travels(const Passage& passage) {
    return passage.way != Passage::Way::self && passage.bytes > 0;
  }

  void find_coming() {
    std::map<std::pair<int, int>, std::size_t> known;  // what two arrivals wait for comes once
    const auto& arrivals = traced_.run.plan.arrivals();
    for (std::size_t a = 0; a < arrivals.size(); ++a) {
      auto& mine = of_arrival_.emplace_back();
      for (const auto& awaited : traced_.run.arrivals[a]) {
        if (!travels(awaited.passage)) continue;
        const std::pair key(arrivals[a].movement, awaited.like);
        const auto found = awaited.like >= 0 ? known.find(key) : known.end();
        const bool fresh = found == known.end();
        const std::size_t n = fresh ? coming_.add(arrivals[a].movement, awaited.passage) : found->second;
        if (fresh && awaited.like >= 0) known[key] = n;
        if (std::find(mine.begin(), mine.end(), n) == mine.end()) mine.push_back(n);
      }
    }
  }

  const std::vector<std::size_t>& awaited(const sc::Arrival& arrival) const {
    return of_arrival_[static_cast<std::size_t>(&arrival - traced_.run.plan.arrivals().data())];
  }

  void take(std::size_t n) {
    --left_;
    const Message& message = coming_[n];
    const auto bytes = static_cast<double>(message.passage.bytes);
    spend(message.passage.way == Passage::Way::node
              ? bytes * machine_.node.copied_byte
              : message.pieces * machine_.network.overhead + bytes * machine_.copied_byte);
  }

  /// Nothing has come since the last look unless time has gone on.
  void take_what_came() {
    if (left_ == 0 || MPI_Wtime() == looked_) return;
    for (int which = 0, there = 1; left_ > 0 && there;) {
      MPI_Testany(static_cast<int>(receives_.size()), receives_.data(), &which, &there, MPI_STATUS_IGNORE);
      if (there && which != MPI_UNDEFINED) take(static_cast<std::size_t>(which));
    }
    looked_ = MPI_Wtime();
  }

  const TracedRun& traced_;
  const Machine& machine_;
  bool overlaps_;
  UnderWay& under_way_;
  void* memory_;
  bool begun_ = false;  // sending
  Messages going_, coming_;
  std::vector<std::size_t> of_piece_;
  std::vector<std::vector<std::size_t>> of_arrival_;
  std::vector<MPI_Request> receives_;
  std::size_t left_ = 0;
  double looked_ = -1;  // when it was last seen what had come
};

std::size_t longest(const sc::model::Trace& trace) {
  std::int64_t most = 8;
  const auto see = [&](const Passage& passage) { most = std::max(most, passage.bytes); };
  for (const auto& event : trace.events)
    if (const auto* traced = std::get_if<TracedRun>(&event)) {
      for (const Passage& passage : traced->run.departures) see(passage);
      for (const auto& arrival : traced->run.arrivals)
        for (const auto& awaited : arrival) see(awaited.passage);
    } else if (const auto* reduction = std::get_if<sc::model::TracedReduction>(&event)) {
      most = std::max(most, reduction->bytes);
    }
  return static_cast<std::size_t>(most);
}

/// A few bytes of all ranks, combined up a binomial tree and handed down again, as MPI's non-blocking
/// reductions do it.
class Tree {
 public:
  Tree(const sc::model::Trace& trace, void* memory)
      : overhead_(trace.machine.network.overhead), on_node_(trace.ranks_per_node), memory_(memory) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }

  void combine(int bytes) const {
    int reach = 1;  // below this, others hang on this rank
    for (; reach < size_ && !(rank_ & reach); reach *= 2)
      if (rank_ + reach < size_) receive(rank_ + reach, bytes);
    if (rank_ > 0) {
      send(rank_ - reach, bytes);
      receive(rank_ - reach, bytes);
    }
    for (reach /= 2; reach > 0; reach /= 2)
      if (rank_ + reach < size_) send(rank_ + reach, bytes);
  }

 private:
  static constexpr int tag = 2'000'000;  // beyond those of pieces
  void pay(int peer) const {
    if (peer / on_node_ != rank_ / on_node_) spend(overhead_);
  }
  void send(int peer, int bytes) const {
    pay(peer);
    MPI_Send(memory_, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD);
  }
  void receive(int peer, int bytes) const {
    MPI_Recv(memory_, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    pay(peer);
  }

  double overhead_;
  int on_node_, rank_ = 0, size_ = 1;
  void* memory_;
};

void replay(const sc::model::Trace& trace, const sc::Strategy& strategy, bool whole, UnderWay& under_way,
            void* memory) {
  const Tree tree(trace, memory);
  for (const auto& event : trace.events) {
    if (const auto* traced = std::get_if<TracedRun>(&event)) {
      spend(trace.machine.run);
      SimulatedPorts ports(*traced, trace.machine, strategy, whole, under_way, memory);
      sc::Executor().carry_out(traced->run.plan, strategy, ports);
      ports.finish();
    } else if (const auto* copy = std::get_if<sc::RehearsedCopy>(&event)) {
      SimulatedPorts::copy(under_way.files, *copy);
    } else {
      tree.combine(static_cast<int>(std::get<sc::model::TracedReduction>(event).bytes));
    }
  }
}

int simulate(const std::string& folder, bool whole, int steps) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::ifstream file(folder + "/" + std::to_string(rank));
  const sc::model::Trace trace = sc::model::read_trace(file);
  const sc::Strategy& strategy = sc::Strategy::of(trace.strategy);
  const Memory memory(longest(trace));
  UnderWay under_way{FileClock(trace.machine.files)};
  // No barrier between them: it would let ranks begin one after the other.
  std::array<double, 2> mine{}, last{};
  for (int step = 0; step < settling; ++step) replay(trace, strategy, whole, under_way, memory.data());
  mine[0] = MPI_Wtime();
  for (int step = 0; step < steps; ++step) replay(trace, strategy, whole, under_way, memory.data());
  mine[1] = MPI_Wtime();
  under_way.end_sends();
  MPI_Reduce(mine.data(), last.data(), 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf("simulated %.9g\n", (last[1] - last[0]) / steps);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 4) return 2;
  int code = 1;
  try {
    code = simulate(argv[1], std::string(argv[2]) == "whole", std::atoi(argv[3]));
  } catch (const sc::Error& error) {
    std::fprintf(stderr, "simulated: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return code;
}
