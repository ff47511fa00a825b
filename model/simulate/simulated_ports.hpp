// SPDX-License-Identifier: Apache-2.0
// SimulatedPorts: a traced run as an executor's ports under SimGrid's SMPI: what would be computed is
// simulated time, what would be sent is a message of the simulator, which shares links with others.
#pragma once

#include <mpi.h>

#include <array>
#include <map>
#include <vector>

#include "engine/plan/executor.hpp"
#include "model/predict/file_clock.hpp"
#include "model/predict/trace.hpp"

namespace sc::model {

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
  std::size_t add(int movement, const Passage& passage);
  Message& operator[](std::size_t n) { return all_[n]; }
  std::size_t size() const { return all_.size(); }

 private:
  bool whole_;
  std::vector<Message> all_;
  std::map<std::array<int, 3>, std::size_t> known_;
};

/// What goes on from run to run.
class UnderWay {
 public:
  explicit UnderWay(const Machine::Files& files) : files_(files) {}

  /// The rank computes. The simulator hears of it when somebody else can notice: every call costs real time.
  void spend(double seconds) { owed_ += seconds; }
  /// Simulated time, after all that was computed.
  double now() {
    pay();
    return MPI_Wtime();
  }
  /// Before anything that others notice.
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
  /// `whole`: of a run one message from rank to rank. `memory`: as long as the longest message.
  SimulatedPorts(const TracedRun& traced, const Machine& machine, const Strategy& strategy, bool whole,
                 UnderWay& under_way, void* memory);

  void start(const Piece& piece) override;
  bool arrived(const Arrival& arrival) override;
  void wait(const Arrival& arrival) override;
  void compute(const Chunk& chunk) override;
  void compute_beside(const Chunk& chunk, const std::function<void()>& drive, bool joins) override;
  /// Until all has come.
  void finish();

 private:
  void find_coming();
  const std::vector<std::size_t>& awaited(const Arrival& arrival) const {
    return of_arrival_[static_cast<std::size_t>(&arrival - traced_.run.plan.arrivals().data())];
  }
  void compute_cells(const Chunk& chunk);
  void take(std::size_t n);
  void take_what_came();

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

}  // namespace sc::model
