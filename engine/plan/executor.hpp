// SPDX-License-Identifier: Apache-2.0
// Executor: carries out a plan in the order of a strategy. It knows neither what a chunk computes nor how a
// piece travels: its ports do. Same loop for a stage on memory, a pipeline of transforms and simulated ranks.
#pragma once

#include <functional>
#include <vector>

#include "engine/plan/strategy.hpp"

namespace sc {

/// What a plan is carried out on.
class Ports {
 public:
  virtual ~Ports() = default;
  virtual void start(const Piece& piece) = 0;
  /// Drives everything that moves, without blocking; whether this one is there.
  virtual bool arrived(const Arrival& arrival) = 0;
  /// Blocks until it is there, driving everything that moves: a neighbour may wait for what this rank sends.
  virtual void wait(const Arrival& arrival) = 0;
  virtual void compute(const Chunk& chunk) = 0;
  /// Computes it on all threads but this one, which calls `drive` and then, if `joins`, helps them.
  virtual void compute_beside(const Chunk& chunk, const std::function<void()>& drive, bool joins) = 0;
};

class Executor {
 public:
  /// Until every chunk has been computed and every piece started. It cannot come to a halt between ranks that
  /// carry out plans of the same shape: edges point forward in program order, a waiting rank drives
  /// everything, and with overlap any chunk that can be computed may be.
  void carry_out(const Plan& plan, const Strategy& strategy, Ports& ports);

  // The same in single steps, for many ranks in one program.
  void begin(const Plan& plan, const Strategy& strategy, Ports& ports);
  bool finished() const { return left_ == 0; }
  /// Computes a chunk; false where none can be before awaited() is there.
  bool advance(Ports& ports);
  const Arrival& awaited() const { return plan_->arrivals()[static_cast<std::size_t>(awaited_)]; }

 private:
  int next(Ports& ports);
  bool can_run(int chunk, Ports& ports);
  bool arrived(int arrival, Ports& ports);
  void compute(int chunk, Ports& ports);
  void drive(Ports& ports);
  void done(int chunk, Ports& ports);
  bool leaves_at_once(int piece) const;
  bool may_start(int piece) const;
  void start(int piece, Ports& ports);

  const Plan* plan_ = nullptr;
  const Strategy* strategy_ = nullptr;
  int left_ = 0;      // chunks
  int awaited_ = -1;  // the first arrival that a chunk was found to lack
  std::vector<int> order_;
  std::vector<char> computed_, under_way_, there_, started_;
  std::vector<int> givers_;   // of each piece, not computed yet
  std::vector<int> in_step_;  // chunks not computed yet, by step
};

}  // namespace sc
