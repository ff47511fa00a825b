// SPDX-License-Identifier: Apache-2.0
// VirtualPorts: a rehearsed run as an executor's ports: what would be computed moves a clock on, what would
// be sent occupies a link, and what comes has left its sender when this rank's like piece left.
#pragma once

#include <vector>

#include "engine/plan/executor.hpp"
#include "engine/plan/rehearsal.hpp"
#include "model/predict/file_clock.hpp"
#include "model/predict/forecast.hpp"

namespace sc::model {

class VirtualPorts final : public Ports {
 public:
  /// When others' pieces are here that the plan's arrivals wait for, one by one; NaN: as this rank's own like
  /// piece. Empty for no others.
  using Comes = std::vector<std::vector<double>>;
  struct Begin {
    double now = 0;   ///< when the run begins
    double link = 0;  ///< when the link is free of what earlier runs have sent
    double sent = 0;  ///< when all of that is where it goes: nothing more is sent before
  };
  /// What files do goes on from run to run, too.
  VirtualPorts(const RehearsedRun& run, const Machine& machine, bool overlaps, const Begin& begin,
               FileClock& files, const Comes& comes);

  void start(const Piece& piece) override;
  bool arrived(const Arrival& arrival) override;
  void wait(const Arrival& arrival) override;
  void compute(const Chunk& chunk) override;
  void compute_beside(const Chunk& chunk, const std::function<void()>& drive, bool joins) override;

  double now() const { return now_; }
  double link_free() const { return link_free_; }
  /// When all is where it goes that this run and those before it have sent.
  double sent() const;
  const StageTimes& times() const { return times_; }
  /// When each piece is where it goes.
  const std::vector<double>& left() const { return left_; }

 private:
  /// A message on its way here.
  struct Coming {
    RehearsedRun::Awaited awaited;
    double known;  // when it is here; NaN where this rank's own piece says it
    bool taken = false;
  };
  std::size_t number(const Piece& piece) const {
    return static_cast<std::size_t>(&piece - run_.plan.pieces().data());
  }
  std::size_t number(const Arrival& arrival) const {
    return static_cast<std::size_t>(&arrival - run_.plan.arrivals().data());
  }
  /// What a chunk takes on so many threads.
  double seconds(const Chunk& chunk, int threads) const;
  bool shell(const Chunk& chunk) const;
  const std::vector<Work>& works(const Chunk& chunk) const { return run_.works[number(chunk)]; }
  std::size_t number(const Chunk& chunk) const {
    return static_cast<std::size_t>(&chunk - run_.plan.chunks().data());
  }
  void compute_cells(const Chunk& chunk);
  void copy(const std::vector<RehearsedCopy>& copies);
  void end_sends();
  double due(const Coming& coming) const;
  double cost(const Passage& passage) const;
  double take_what_came();
  bool all_there(const std::vector<Coming>& comings) const;
  bool all_taken() const;

  const RehearsedRun& run_;
  const Machine& machine_;
  bool overlaps_;
  double now_;
  FileClock& files_;
  double link_free_;  // the network's, of this rank
  double sent_;       // of the runs before: when all is where it goes
  bool sends_ = false;
  std::vector<double> left_;  // when a piece is where it goes; never before it has been started
  std::vector<std::vector<Coming>> coming_;  // of the plan's arrivals
  int threads_;                              // that compute at present
  StageTimes times_;
};

}  // namespace sc::model
