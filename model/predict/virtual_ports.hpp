// SPDX-License-Identifier: Apache-2.0
// VirtualPorts: simulates a rehearsed run for an executor. Computation advances a clock, and an arrival is
// timed by the peer's piece, or by this rank's like piece.
#pragma once

#include <limits>
#include <vector>

#include "engine/plan/executor.hpp"
#include "engine/plan/rehearsal.hpp"
#include "model/predict/file_clock.hpp"
#include "model/predict/forecast.hpp"

namespace sc::model {

class VirtualPorts final : public Ports {
 public:
  /// When an awaited piece arrives.
  struct Due {
    double at;        ///< NaN: unknown, as this rank's own like piece if that had the link to itself
    bool own = true;  ///< not before this rank has started its own like piece
    /// When the question of its sender arrives, if it is larger than the eager limit.
    double asked = 0;
  };
  using Dues = std::vector<std::vector<Due>>;  ///< for each arrival of the plan
  struct Begin {
    double now = 0;   ///< time when the run begins
    double sent = 0;  ///< time of the last arrival of messages of earlier runs; nothing is sent before
  };
  /// The state of the files continues from run to run.
  VirtualPorts(const RehearsedRun& run, const Machine& machine, bool overlaps, const Begin& begin,
               FileClock& files, const Dues& dues);

  void start(const Piece& piece) override;
  bool arrived(const Arrival& arrival) override;
  void wait(const Arrival& arrival) override;
  void compute(const Chunk& chunk) override;
  void compute_beside(const Chunk& chunk, const std::function<void()>& drive, bool joins) override;

  double now() const { return now_; }
  const StageTimes& times() const { return times_; }
  /// The time when each piece has been packed; its link is shared from then on.
  const std::vector<double>& started() const { return started_; }
  /// The arrival time of each piece if no other shares its link.
  const std::vector<double>& arrives() const { return arrives_; }
  /// When this rank answered the question before a large message, for each arrival and message of the plan;
  /// NaN: there was none.
  std::vector<std::vector<double>> answered() const;

 private:
  /// A message to this rank, for one of the arrivals that wait for it.
  struct Receive {
    RehearsedRun::Awaited awaited;
    Due due;
    std::size_t message = 0;
    double answered = std::numeric_limits<double>::quiet_NaN();
  };
  std::size_t number(const Piece& piece) const {
    return static_cast<std::size_t>(&piece - run_.plan.pieces().data());
  }
  std::size_t number(const Arrival& arrival) const {
    return static_cast<std::size_t>(&arrival - run_.plan.arrivals().data());
  }
  /// Seconds of a chunk on so many threads.
  double seconds(const Chunk& chunk, int threads) const;
  double& time_of(Work::Part part);
  const std::vector<Work>& works(const Chunk& chunk) const { return run_.works[number(chunk)]; }
  std::size_t number(const Chunk& chunk) const {
    return static_cast<std::size_t>(&chunk - run_.plan.chunks().data());
  }
  void compute_cells(const Chunk& chunk);
  void copy(const std::vector<RehearsedCopy>& copies);
  void end_sends();
  double due(const Receive& receive) const;
  bool asks(const Receive& receive) const;
  double asked(const Receive& receive) const;
  double first_question() const;
  bool taken(const Receive& receive) const { return taken_[receive.message]; }
  double cost(const Passage& passage) const;
  double take_arrived();
  bool all_there(const std::vector<Receive>& receives) const;
  bool all_taken() const;

  const RehearsedRun& run_;
  const Machine& machine_;
  bool overlaps_;
  double now_;
  FileClock& files_;
  double sent_;  // time when all messages of earlier runs have arrived
  bool sends_ = false;
  std::vector<double> started_, arrives_;       // of each piece; `never` before its start
  std::vector<std::vector<Receive>> receives_;  // for each arrival of the plan
  std::vector<bool> taken_;                     // of each message
  int threads_;                                 // that compute at present
  StageTimes times_;
};

}  // namespace sc::model
