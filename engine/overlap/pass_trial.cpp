// SPDX-License-Identifier: Apache-2.0
// PassTrial: three rounds; in each, all lengths have their turn, from single steps to long passes.
#include "engine/overlap/pass_trial.hpp"

#include <algorithm>
#include <cstdio>

namespace sc {

namespace {

// Steps before the first trial, in which row orders and readers of halos are found.
constexpr int warm_up = 24;
constexpr int steps_each = 8;  // steps timed in a turn, in one pass or several; the first pass is not timed
constexpr int rounds = 3;
constexpr int early = 2;     // passes in a row that end early; then this length and longer ones are left out
constexpr int again = 2000;  // steps between trials
constexpr double worth_while = 0.97;  // of the time of single steps, in each round, because times scatter
constexpr double much_slower = 1.15;  // than the best; two such in sequence are left out, and all longer ones

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace

PassTrial::PassTrial(int most) {
  for (int length = 1; length <= most; length *= 2) candidates_.push_back({length});
}

bool PassTrial::took(int steps, double seconds, bool busy) {
  if (!trying()) {
    waited_ += steps;
    if (waited_ >= (state_ == State::found ? again : warm_up) && !busy) begin_trial();
    return false;
  }
  if (steps < length()) {
    if (++ended_early_ == early) give_up();
    return false;
  }
  ended_early_ = 0;
  if (busy) return false;
  if (passes_++ == 0) return false;
  steps_ += steps;
  seconds_ += seconds;
  return steps_ >= steps_each;
}

void PassTrial::begin_trial() {
  for (Candidate& c : candidates_) c = {c.length};
  state_ = State::trying;
  round_ = unreachable_ = 0;
  begin_turn(0);
}

void PassTrial::begin_turn(std::size_t candidate) {
  now_ = candidate;
  passes_ = steps_ = ended_early_ = 0;
  seconds_ = 0;
}

/// Leaves out passes of this length and longer ones: they always end early.
void PassTrial::give_up() {
  unreachable_ = length();
  for (std::size_t n = now_; n < candidates_.size(); ++n) candidates_[n].out = true;
  next_turn();
}

void PassTrial::end_turn(double slowest_seconds_a_step) {
  candidates_[now_].seconds.push_back(slowest_seconds_a_step);
  if (round_ == 0 && now_ >= 2) {
    double best = candidates_[now_].seconds.front();
    for (std::size_t n = 0; n < now_; ++n) best = std::min(best, candidates_[n].seconds.front());
    const auto slow = [&](std::size_t n) { return candidates_[n].seconds.front() > much_slower * best; };
    if (slow(now_ - 1) && slow(now_))  // a single slow turn may be a disturbance
      for (std::size_t n = now_ - 1; n < candidates_.size(); ++n) candidates_[n].out = true;
  }
  next_turn();
}

void PassTrial::next_turn() {
  std::size_t next = now_ + 1;
  while (next < candidates_.size() && candidates_[next].out) ++next;
  if (next < candidates_.size()) return begin_turn(next);
  const bool alone =
      std::all_of(candidates_.begin() + 1, candidates_.end(), [](const Candidate& c) { return c.out; });
  if (++round_ < rounds && !alone) return begin_turn(0);
  choose();
}

bool PassTrial::gains(const Candidate& c) const {
  if (c.length == 1 || c.out) return false;
  for (std::size_t round = 0; round < c.seconds.size(); ++round)
    if (c.seconds[round] >= worth_while * candidates_.front().seconds[round]) return false;
  return true;
}

void PassTrial::choose() {
  const Candidate& single = candidates_.front();
  const Candidate* best = &single;
  std::string why;
  for (const Candidate& c : candidates_) {
    if (gains(c) && median(c.seconds) < median(best->seconds)) best = &c;
    if (c.length == 1 || c.seconds.empty()) continue;
    char ratio[32];
    std::snprintf(ratio, sizeof ratio, "%s%d took %.2f", why.empty() ? "" : ", ", c.length,
                  median(c.seconds) / median(single.seconds));
    why += ratio;
  }
  if (!why.empty()) why += " of the time of single steps";
  if (unreachable_ > 0)
    why += (why.empty() ? "" : ", ") + std::string("those of ") + std::to_string(unreachable_) + " end early";
  chosen_ = best->length;
  found_ = chosen_ == 1 ? "single steps" : "passes of " + std::to_string(chosen_) + " steps";
  found_ += " were chosen";
  if (!why.empty()) found_ += ": " + std::string(why.starts_with("those") ? "" : "passes of ") + why;
  state_ = State::found;
  waited_ = 0;
}

std::string PassTrial::describe() const { return found_; }

}  // namespace sc
