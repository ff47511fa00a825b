// SPDX-License-Identifier: Apache-2.0
// Reductions: a few bytes of all ranks, combined up a binomial tree and handed down again, as MPI's
// non-blocking reductions do it. An actor of the simulator beside each rank does so, while the rank goes on.
#pragma once

#include <simgrid/s4u.hpp>

#include <cstdint>
#include <deque>

namespace sc::model {

class Reductions {
 public:
  /// Of this rank of the MPI program. `overhead`: of a message between nodes, at either end; `on_node`: ranks
  /// whose numbers follow one another.
  Reductions(double overhead, int on_node);
  /// When all that was begun has ended.
  ~Reductions();
  Reductions(const Reductions&) = delete;
  Reductions& operator=(const Reductions&) = delete;

  void begin(std::int64_t bytes);
  /// Until the one that was begun as number `number`, from 0, has ended.
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
  std::deque<std::int64_t> waiting_;  // bytes of those that the actor has not come to; the last one: none
  simgrid::s4u::SemaphorePtr handed_over_, came_;
  simgrid::s4u::ActorPtr actor_;
};

}  // namespace sc::model
