// SPDX-License-Identifier: Apache-2.0
// Trials: rounds of two turns, with and without eager halo exchange; in a turn every kind tries its
// strategies.
#include "engine/overlap/trials.hpp"

#include <algorithm>
#include <cmath>

namespace sc {

namespace {

constexpr std::size_t most_recent = 16;
constexpr std::size_t fewest_recent = 4;

/// An order statistic in nanoseconds; -1 without times.
std::int64_t ranked(std::vector<double> seconds, std::size_t place) {
  if (seconds.empty()) return -1;
  const auto there = seconds.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(seconds.begin(), there, seconds.end());
  return std::llround(*there * 1e9);
}

std::int64_t median(const std::vector<double>& seconds) {
  return ranked(seconds, seconds.empty() ? 0 : (seconds.size() - 1) / 2);
}

std::int64_t upper_quartile(const std::vector<double>& seconds) {
  return ranked(seconds, seconds.empty() ? 0 : seconds.size() - 1 - (seconds.size() - 1) / 4);
}

}  // namespace

int Trials::add(std::vector<const Strategy*> candidates, bool exchanges) {
  Kind kind{.exchanges = exchanges};
  for (const Strategy* strategy : candidates) kind.candidates.push_back({strategy});
  // The first strategy that overlaps is used until times are known.
  for (const bool eager : {false, true}) {
    int& best = kind.best[eager ? 1 : 0];
    for (int c = 0; c < static_cast<int>(candidates.size()); ++c) {
      if (!kind.in(c, eager)) continue;
      const bool overlaps = candidates[static_cast<std::size_t>(c)]->overlaps;
      if (best < 0 || (overlaps && !candidates[static_cast<std::size_t>(best)]->overlaps)) best = c;
    }
  }
  for (int& best : kind.best)
    if (best < 0) best = std::max(kind.best[0], kind.best[1]);
  kinds_.push_back(std::move(kind));
  return kinds() - 1;
}

/// The candidates that are still tried in such a turn.
std::vector<int> Trials::open(const Kind& kind, bool eager) const {
  std::vector<int> all;
  if (!kind.exchanges && !eager) return all;  // it is tried in the other turn
  for (int c = 0; c < static_cast<int>(kind.candidates.size()); ++c)
    if (kind.in(c, eager) && !kind.candidates[static_cast<std::size_t>(c)].left_out) all.push_back(c);
  return all;
}

/// Candidates alternate forwards and backwards, so that a drift of the times affects all of them equally.
int Trials::next_on_trial(const Kind& kind) const {
  const bool late = state_ == State::chosen && !kind.decided;
  if (kind.first || (state_ != State::trying && !late)) return -1;
  const std::vector<int> all = open(kind, late ? eager_ || !kind.exchanges : eager_);
  const int count = static_cast<int>(all.size());
  if (count == 0 || (count == 1 && !kind.exchanges) || kind.steps_in_turn >= count * schedule_.each[1])
    return -1;
  const int lap = kind.steps_in_turn / count, place = kind.steps_in_turn % count;
  return all[static_cast<std::size_t>(lap % 2 == 0 ? place : count - 1 - place)];
}

const Strategy& Trials::begin(int number) {
  Kind& kind = of(number);
  ++kind.runs;
  return kind.now < 0 ? chosen(number) : *kind.candidates[static_cast<std::size_t>(kind.now)].strategy;
}

void Trials::end(int number, double seconds, bool usual) {
  Kind& kind = of(number);
  if (!usual) return;
  kind.seconds += seconds;
  ++kind.counted;
}

void Trials::end_step() {
  for (Kind& kind : kinds_) {
    if (kind.counted == 0) continue;
    const double mean = kind.seconds / kind.counted;
    if (kind.now >= 0) {
      kind.candidates[static_cast<std::size_t>(kind.now)].seconds.push_back(mean);
      ++kind.steps_in_turn;
    } else if (state_ == State::chosen && !kind.first) {
      if (kind.recent.size() >= most_recent) kind.recent.erase(kind.recent.begin());
      kind.recent.push_back(mean);
    }
    kind.first = false;
    kind.seconds = 0;
    kind.counted = 0;
  }
}

std::vector<std::int64_t> Trials::step() {
  end_step();
  ++steps_;
  ++since_trial_;
  if (trying()) ++steps_tried_;
  std::vector<std::int64_t> mine = go_on();
  for (Kind& kind : kinds_) kind.now = next_on_trial(kind);
  return mine;
}

std::vector<std::int64_t> Trials::go_on() {
  switch (state_) {
    case State::warming_up:
      if (steps_ > schedule_.warm_up && !kinds_.empty()) begin_trial();
      break;
    case State::trying:
      if (steps_ < steps_of_turn_ || (eager_ && begin_turn(false))) break;
      state_ = State::agreeing;
      set_eager(true);
      return times();
    case State::agreeing:
      break;
    case State::chosen:
      if (checking_) break;
      if (since_trial_ >= schedule_.again) {
        begin_trial();
      } else if (steps_ % schedule_.watch == 0 && anything_to_try()) {
        checking_ = true;
        return times();
      }
  }
  return {};
}

bool Trials::anything_to_try() const {
  return std::ranges::any_of(
      kinds_, [&](const Kind& kind) { return open(kind, true).size() + open(kind, false).size() > 1; });
}

void Trials::begin_trial() {
  for (Kind& kind : kinds_) {
    kind.recent.clear();
    kind.previous_median = -1;
    for (Candidate& c : kind.candidates) {
      c.seconds.clear();
      c.left_out = false;
    }
  }
  since_trial_ = 0;
  round_ = 0;
  if (!begin_round()) return;
  ++trials_;
}

bool Trials::begin_round() {
  if (anything_to_try() && (begin_turn(true) || begin_turn(false))) return true;
  state_ = State::chosen;
  steps_ = 0;
  return false;
}

/// Returns false if there is nothing to try in such a turn.
bool Trials::begin_turn(bool eager) {
  std::size_t most = 0;
  bool exchanges = false;
  for (const Kind& kind : kinds_) {
    const std::size_t count = open(kind, eager).size();
    most = std::max(most, count);
    exchanges = exchanges || (kind.exchanges && count > 0);
  }
  if (most == 0) return false;
  const bool changes = exchanges && eager != eager_;
  set_eager(eager);
  for (Kind& kind : kinds_) kind.steps_in_turn = 0;
  state_ = State::trying;
  steps_ = 0;
  steps_of_turn_ =
      (changes ? 1 : 0) + schedule_.each[static_cast<std::size_t>(round_)] * static_cast<int>(most);
  return true;
}

/// In the first step after a change, halos still are where the other way left them; that step is not timed.
void Trials::set_eager(bool eager) {
  for (Kind& kind : kinds_) kind.first = kind.first || (kind.exchanges && eager != eager_);
  eager_ = eager;
}

/// The smallest of several medians may be small by chance. So in the last round, strategies other than
/// blocking count with their upper quartiles.
std::vector<std::int64_t> Trials::times() const {
  std::vector<std::int64_t> all;
  for (const Kind& kind : kinds_) {
    for (const Candidate& c : kind.candidates)
      all.push_back(round_ > 0 && c.strategy->parts ? upper_quartile(c.seconds) : median(c.seconds));
    all.push_back(kind.recent.size() < fewest_recent ? -1 : median(kind.recent));
  }
  return all;
}

void Trials::agreed(std::span<const std::int64_t> largest) {
  end_step();
  std::size_t n = 0;
  for (Kind& kind : kinds_) {
    if (n >= largest.size()) break;  // added after the reduction was started
    for (Candidate& c : kind.candidates) c.agreed = largest[n++];
    kind.recent_median = largest[n++];
  }
  if (state_ == State::agreeing) {
    end_round();
  } else {
    checking_ = false;
    check_times();
  }
  for (Kind& kind : kinds_) kind.now = next_on_trial(kind);
}

}  // namespace sc
