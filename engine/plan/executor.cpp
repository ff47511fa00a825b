// SPDX-License-Identifier: Apache-2.0
// Executor: computes available chunks in the strategy's order, and starts pieces whose cells have been
// computed.
#include "engine/plan/executor.hpp"

#include <algorithm>
#include <numeric>

#include "engine/base/index.hpp"

namespace sc {

void Executor::begin(const Plan& plan, const Strategy& strategy, Ports& ports) {
  plan_ = &plan;
  strategy_ = &strategy;
  const auto& chunks = plan.chunks();
  left_ = static_cast<int>(chunks.size());
  order_.resize(chunks.size());
  std::iota(order_.begin(), order_.end(), 0);
  if (strategy.overlaps)
    std::stable_sort(order_.begin(), order_.end(),
                     [&](int a, int b) { return strategy.key(chunks[at(a)]) < strategy.key(chunks[at(b)]); });
  computed_.assign(chunks.size(), 0);
  under_way_.assign(chunks.size(), 0);
  there_.assign(plan.arrivals().size(), 0);
  started_.assign(plan.pieces().size(), 0);
  givers_.clear();
  for (const Piece& piece : plan.pieces()) givers_.push_back(piece.givers);
  in_step_.assign(chunks.empty() ? 0 : at(chunks.back().step) + 1, 0);
  for (const Chunk& chunk : chunks) ++in_step_[at(chunk.step)];
  for (std::size_t p = 0; p < givers_.size(); ++p)
    if (givers_[p] == 0) start(static_cast<int>(p), ports);
}

void Executor::carry_out(const Plan& plan, const Strategy& strategy, Ports& ports) {
  begin(plan, strategy, ports);
  drive(ports);
}

/// Runs until this thread has nothing left to compute.
void Executor::drive(Ports& ports) {
  while (!finished()) {
    if (advance(ports)) continue;
    if (awaited_ < 0) return;  // the rest depends on a chunk that other threads compute
    ports.wait(awaited());
    there_[at(awaited_)] = 1;
  }
}

bool Executor::advance(Ports& ports) {
  const int chunk = next(ports);
  if (chunk < 0) return false;
  compute(chunk, ports);
  return true;
}

int Executor::next(Ports& ports) {
  awaited_ = -1;
  for (const int c : order_) {
    if (computed_[at(c)] || under_way_[at(c)]) continue;
    if (can_run(c, ports)) return c;
    if (!strategy_->overlaps) return -1;
  }
  return -1;
}

bool Executor::arrived(int arrival, Ports& ports) {
  char& there = there_[at(arrival)];
  if (!there && ports.arrived(plan_->arrivals()[at(arrival)])) there = 1;
  if (!there && awaited_ < 0) awaited_ = arrival;
  return there;
}

bool Executor::can_run(int number, Ports& ports) {
  const Chunk& chunk = plan_->chunks()[at(number)];
  for (const int before : plan_->ids(chunk.after))
    if (!computed_[at(before)]) return false;
  // Without overlap, arrivals of earlier steps are awaited first, and alone, so that their time is measured
  // separately.
  for (std::size_t a = 0; !strategy_->overlaps && a < there_.size(); ++a)
    if (plan_->arrivals()[a].step < chunk.step && !arrived(static_cast<int>(a), ports)) return false;
  for (const int arrival : plan_->ids(chunk.needs))
    if (!arrived(arrival, ports)) return false;
  return true;
}

void Executor::compute(int number, Ports& ports) {
  const Chunk& chunk = plan_->chunks()[at(number)];
  if (strategy_->divides_threads && chunk.divisible) {
    under_way_[at(number)] = 1;
    ports.compute_beside(
        chunk, [&] { drive(ports); }, strategy_->joins);
  } else {
    ports.compute(chunk);
  }
  done(number, ports);
}

void Executor::done(int number, Ports& ports) {
  const Chunk& chunk = plan_->chunks()[at(number)];
  computed_[at(number)] = 1;
  --left_;
  --in_step_[at(chunk.step)];
  for (const int piece : plan_->ids(chunk.gives)) {
    --givers_[at(piece)];
    if (leaves_at_once(piece) && may_start(piece)) start(piece, ports);
  }
  if (in_step_[at(chunk.step)] > 0) return;
  for (int piece = 0; piece < static_cast<int>(givers_.size()); ++piece)
    if (may_start(piece)) start(piece, ports);
}

bool Executor::leaves_at_once(int piece) const {
  return strategy_->starts == Starts::with_chunk || plan_->pieces()[at(piece)].at_once;
}

bool Executor::may_start(int piece) const {
  if (started_[at(piece)] || givers_[at(piece)] > 0) return false;
  return leaves_at_once(piece) || in_step_[at(plan_->pieces()[at(piece)].step)] == 0;
}

void Executor::start(int piece, Ports& ports) {
  started_[at(piece)] = 1;
  ports.start(plan_->pieces()[at(piece)]);
}

}  // namespace sc
