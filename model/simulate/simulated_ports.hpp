// SPDX-License-Identifier: Apache-2.0
// SimulatedPorts: replays a traced run under SimGrid's SMPI. Computation is simulated time; sends are
// messages of the simulator, which share links with others.
#pragma once

#include <mpi.h>

#include <array>
#include <map>
#include <vector>

#include "engine/plan/executor.hpp"
#include "model/predict/file_clock.hpp"
#include "model/predict/trace.hpp"

namespace sc::model {

/// The pieces that one message between two ranks contains.
struct Message {
  Passage passage;  // with the bytes of all pieces
  int pieces = 0;   // number of pieces
  int left = 0;     // pieces that have not been started
};

/// One message for each piece, or one for all pieces of a run between two ranks. The latter is faster to
/// simulate with many ranks, since every event tests all messages.
class MessageList {
 public:
  explicit MessageList(bool whole) : whole_(whole) {}

  /// The index of the message that contains a piece.
  std::size_t add(int movement, const Passage& passage);
  Message& operator[](std::size_t n) { return all_[n]; }
  std::size_t size() const { return all_.size(); }

 private:
  bool whole_;
  std::vector<Message> all_;
  std::map<std::array<int, 3>, std::size_t> known_;
};

/// State that continues from run to run.
class UnderWay {
 public:
  explicit UnderWay(const Machine::Files& files) : files_(files) {}

  /// Adds computing time. It is passed to the simulator only when others can notice it, because each call
  /// takes real time.
  void spend(double seconds) { owed_ += seconds; }
  /// The simulated time after all computation.
  double now() {
    pay();
    return MPI_Wtime();
  }
  /// Passes computing time to the simulator; to be called before any event that others notice.
  void pay();
  void copy(const RehearsedCopy& one) { spend(files_.after(one, now()) - now()); }
  void send(const Passage& passage, int tag, void* memory);
  void end_sends();

 private:
  FileClock files_;
  double owed_ = 0;
  std::vector<MPI_Request> sends_ = {};
};

class SimulatedPorts final : public Ports {
 public:
  /// `whole`: one message from rank to rank in each run. `memory`: a buffer as long as the longest message.
  SimulatedPorts(const TracedRun& traced, const Machine& machine, const Strategy& strategy, bool whole,
                 UnderWay& under_way, void* memory);

  void start(const Piece& piece) override;
  bool arrived(const Arrival& arrival) override;
  void wait(const Arrival& arrival) override;
  void compute(const Chunk& chunk) override;
  void compute_beside(const Chunk& chunk, const std::function<void()>& drive, bool joins) override;
  /// Waits for all messages.
  void finish();

 private:
  void find_coming();
  const std::vector<std::size_t>& awaited(const Arrival& arrival) const {
    return of_arrival_[static_cast<std::size_t>(&arrival - traced_.run.plan.arrivals().data())];
  }
  void compute_cells(const Chunk& chunk);
  bool asks(const Message& message) const;
  void answer(std::size_t n);
  void answer_requests();
  bool waits_for(const Arrival& arrival) const;
  void take(std::size_t n);
  void take_arrived();

  const TracedRun& traced_;
  const Machine& machine_;
  bool overlaps_;
  UnderWay& under_way_;
  void* memory_;
  bool begun_ = false;  // whether a message has been sent
  MessageList sent_messages_, received_messages_;
  std::vector<std::size_t> of_piece_;
  std::vector<std::vector<std::size_t>> of_arrival_;
  std::vector<MPI_Request> receives_;
  // Of messages above the eager limit: the question before them, and whether it has not been answered.
  std::vector<MPI_Request> questions_;
  std::vector<bool> unanswered_;
  std::size_t outstanding_ = 0;
  double looked_ = -1;  // time of the last test for arrivals
};

}  // namespace sc::model
