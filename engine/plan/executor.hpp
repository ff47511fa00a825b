// SPDX-License-Identifier: Apache-2.0
// Executor: executes a plan in the order of a strategy. Its ports compute chunks and move pieces. The same
// loop is used for a stage in memory, for transforms and for simulated ranks.
#pragma once

#include <functional>
#include <vector>

#include "engine/plan/strategy.hpp"

namespace sc {

/// The interface that computes and communicates for an executor.
class Ports {
 public:
  virtual ~Ports() = default;
  virtual void start(const Piece& piece) = 0;
  /// Makes progress on all movements without blocking; returns whether this arrival is complete.
  virtual bool arrived(const Arrival& arrival) = 0;
  /// Blocks until this arrival is complete. It makes progress on all movements, because a neighbour may wait
  /// for what this rank sends.
  virtual void wait(const Arrival& arrival) = 0;
  virtual void compute(const Chunk& chunk) = 0;
  /// Computes the chunk on all threads but this one, which calls `drive` and, if `joins`, then computes too.
  /// Where threads are not divided: computes the chunk.
  virtual void compute_beside(const Chunk& chunk, const std::function<void()>& /*drive*/, bool /*joins*/) {
    compute(chunk);
  }
};

class Executor {
 public:
  /// Executes until every chunk has been computed and every piece started. It cannot deadlock between ranks
  /// that execute plans of the same shape: dependences point forward in program order, a waiting rank makes
  /// progress on all movements, and with overlap any chunk without missing dependences may be computed.
  void carry_out(const Plan& plan, const Strategy& strategy, Ports& ports);

  // The same in single steps, for many ranks in one program, or with other computations between them.
  void begin(const Plan& plan, const Strategy& strategy, Ports& ports);
  bool finished() const { return left_ == 0; }
  /// Computes a chunk; returns false if none can be computed before awaited() is complete.
  bool advance(Ports& ports);
  /// The rest.
  void finish(Ports& ports) { drive(ports); }
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
  int awaited_ = -1;  // the first arrival that a chunk was waiting for
  std::vector<int> order_;
  std::vector<char> computed_, under_way_, there_, started_;
  std::vector<int> givers_;   // for each piece, not computed yet
  std::vector<int> in_step_;  // chunks not computed yet, by step
};

}  // namespace sc
