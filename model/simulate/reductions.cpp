// SPDX-License-Identifier: Apache-2.0
// Reductions: executed one after another, in the order of their starts.
#include "model/simulate/reductions.hpp"

#include <mpi.h>

#include <string>

namespace sc::model {

namespace s4u = simgrid::s4u;

namespace {

constexpr std::int64_t no_more = -1;

}  // namespace

Reductions::Reductions(double overhead, int on_node)
    : overhead_(overhead),
      on_node_(on_node),
      handed_over_(s4u::Semaphore::create(0)),
      came_(s4u::Semaphore::create(0)) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  actor_ = s4u::Actor::create("reductions", s4u::this_actor::get_host(), [this] { work(); });
}

Reductions::~Reductions() {
  waiting_.push_back(no_more);
  handed_over_->release();
  actor_->join();
}

void Reductions::begin(std::int64_t bytes) {
  ++count_;
  waiting_.push_back(bytes);
  handed_over_->release();
}

void Reductions::wait(int number) {
  for (; ended_ <= number; ++ended_) came_->acquire();
}

void Reductions::work() {
  // Messages are received without a matching wait.
  for (int reach = 1; reach < size_ && (reach == 1 || !(rank_ & (reach / 2))); reach *= 2)
    if (rank_ & reach)
      between(rank_ - reach, rank_)->set_receiver(s4u::Actor::self());
    else if (rank_ + reach < size_)
      between(rank_ + reach, rank_)->set_receiver(s4u::Actor::self());
  for (;;) {
    handed_over_->acquire();
    const std::int64_t bytes = waiting_.front();
    waiting_.pop_front();
    if (bytes == no_more) return;
    combine(static_cast<std::uint64_t>(bytes));
    came_->release();
  }
}

void Reductions::combine(std::uint64_t bytes) {
  int reach = 1;  // this rank combines values of ranks at smaller distances
  for (; reach < size_ && !(rank_ & reach); reach *= 2)
    if (rank_ + reach < size_) receive(rank_ + reach);
  if (rank_ > 0) {
    send(rank_ - reach, bytes);
    receive(rank_ - reach);
  }
  for (reach /= 2; reach > 0; reach /= 2)
    if (rank_ + reach < size_) send(rank_ + reach, bytes);
}

s4u::Mailbox* Reductions::between(int from, int to) const {
  return s4u::Mailbox::by_name(std::to_string(from) + ">" + std::to_string(to));
}

/// The processor time of a message between nodes. It delays the reduction, but not the rank's computation.
void Reductions::pay(int peer) const {
  if (peer / on_node_ != rank_ / on_node_) s4u::this_actor::sleep_for(overhead_);
}

void Reductions::send(int peer, std::uint64_t bytes) {
  pay(peer);
  between(rank_, peer)->put(this, bytes);
}

void Reductions::receive(int peer) {
  between(peer, rank_)->get<Reductions>();
  pay(peer);
}

}  // namespace sc::model
