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
  /// `now` is when the run begins; what files do goes on from run to run.
  VirtualPorts(const RehearsedRun& run, const Machine& machine, bool overlaps, double now, FileClock& files);

  void start(const Piece& piece) override;
  bool arrived(const Arrival& arrival) override;
  void wait(const Arrival& arrival) override;
  void compute(const Chunk& chunk) override;
  void compute_beside(const Chunk& chunk, const std::function<void()>& drive, bool joins) override;

  double now() const { return now_; }
  const StageTimes& times() const { return times_; }

 private:
  /// A message on its way here.
  struct Coming {
    RehearsedRun::Awaited awaited;
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
  double link_free_;          // the network's, of this rank
  std::vector<double> left_;  // when a piece is where it goes; never before it has been started
  std::vector<std::vector<Coming>> coming_;  // of the plan's arrivals
  int threads_;                              // that compute at present
  StageTimes times_;
};

}  // namespace sc::model
