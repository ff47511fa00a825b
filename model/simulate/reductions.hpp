// SPDX-License-Identifier: Apache-2.0
// Reductions: a few bytes of all ranks, combined up a binomial tree and broadcast down again, as in MPI's
// non-blocking all-reduces. A separate actor of the simulator does this beside each rank.
#pragma once

#include <simgrid/s4u.hpp>

#include <cstdint>
#include <deque>

namespace sc::model {

class Reductions {
 public:
  /// For this rank of the MPI program. `overhead`: seconds at each end of a message between nodes; `on_node`:
  /// ranks on a node, with consecutive numbers.
  Reductions(double overhead, int on_node);
  /// Waits until all reductions have completed.
  ~Reductions();
  Reductions(const Reductions&) = delete;
  Reductions& operator=(const Reductions&) = delete;

  void begin(std::int64_t bytes);
  /// Waits for the reduction with this number, counted from 0.
  void wait(int number);
  int begun() const { return count_; }

 private:
  void work();
  void combine(std::uint64_t bytes);
  void send(int peer, std::uint64_t bytes);
  void receive(int peer);
  void pay(int peer) const;
  simgrid::s4u::Mailbox* between(int from, int to) const;

  double overhead_;
  int on_node_, rank_ = 0, size_ = 1;
  int count_ = 0, ended_ = 0;
  std::deque<std::int64_t> waiting_;  // bytes of reductions not begun yet; a last entry ends the actor
  simgrid::s4u::SemaphorePtr handed_over_, came_;
  simgrid::s4u::ActorPtr actor_;
};

}  // namespace sc::model
