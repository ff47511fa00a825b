// SPDX-License-Identifier: Apache-2.0
// Trials: what is chosen from times that all ranks agree on, and when the times are tried again.
#include "engine/overlap/trials.hpp"

#include <algorithm>

namespace sc {

namespace {

/// The gain that a strategy needs over blocking, and one way of exchanging halos over the other. Times of a
/// few steps scatter by more; of strategies with equal times, the simplest is the fastest in the long run.
constexpr double margin = 0.02;

bool gains(double seconds, double on) { return seconds < (1 - margin) * on; }

/// Whether the ranks have agreed on the times of all candidates among which there is a choice.
template <class Candidates>
bool all_known(const Candidates& candidates, const std::vector<int>& open) {
  return open.size() < 2 || std::ranges::all_of(open, [&](int c) {
           return candidates[static_cast<std::size_t>(c)].agreed >= 0;
         });
}

}  // namespace

/// Chooses from times that all ranks agree on: the fastest eager strategy, and the fastest other one.
/// Blocking remains if their gain over it is too small. Without the times of all, the choice is as before.
void Trials::choose(Kind& kind) {
  const auto of = [&](int c) -> const Candidate& { return kind.candidates[static_cast<std::size_t>(c)]; };
  for (const bool eager : {false, true}) {
    int& best = kind.best[eager ? 1 : 0];
    int plain = -1, fastest = -1;
    bool all = true;
    for (int c = 0; c < static_cast<int>(kind.candidates.size()); ++c) {
      if (!kind.in(c, eager)) continue;
      all = all && of(c).agreed >= 0;
      if (fastest < 0 || of(c).agreed < of(fastest).agreed) fastest = c;
      if (!of(c).strategy->parts) plain = c;  // blocking; ordered overlaps nothing, either
    }
    if (!all || fastest < 0) continue;
    best = fastest;
    if (plain >= 0 && !gains(static_cast<double>(of(best).agreed), static_cast<double>(of(plain).agreed)))
      best = plain;
  }
}

/// The total time of all kinds that exchange halos with each other, under this way of exchanging: the time of
/// a run with the best candidate, multiplied by the number of runs.
double Trials::cost(bool eager) const {
  double sum = 0;
  for (const Kind& kind : kinds_)
    if (kind.exchanges && kind.best_candidate(true).agreed >= 0 && kind.best_candidate(false).agreed >= 0)
      sum += static_cast<double>(kind.runs) * static_cast<double>(kind.best_candidate(eager).agreed);
  return sum;
}

void Trials::end_round() {
  for (Kind& kind : kinds_) choose(kind);
  if (round_ == 0) {
    leave_out();
    round_ = 1;
    if (begin_round()) return;
  }
  set_eager(!gains(cost(false), cost(true)));
  for (Kind& kind : kinds_) {  // the others are tried further whenever they run
    kind.decided = kind.decided || all_known(kind.candidates, open(kind, eager_ || !kind.exchanges));
    kind.steps_in_turn = 0;
  }
  state_ = State::chosen;
  steps_ = 0;
}

/// Leaves out candidates that are much slower than the best of their kind, as far as both times are known,
/// and a way of exchanging halos that is much slower in total.
void Trials::leave_out() {
  for (Kind& kind : kinds_)
    for (int c = 0; c < static_cast<int>(kind.candidates.size()); ++c) {
      Candidate& candidate = kind.candidates[static_cast<std::size_t>(c)];
      const bool eager = candidate.strategy->eager;
      const bool with_all = kind.exchanges && cost(eager) > schedule_.much_slower * cost(!eager);
      const std::int64_t best = kind.best_candidate(eager).agreed;
      const bool slow =
          best >= 0 && candidate.agreed >= 0 &&
          static_cast<double>(candidate.agreed) > schedule_.much_slower * static_cast<double>(best);
      candidate.left_out = with_all || slow;
    }
}

/// Starts a new trial if the times of the chosen strategies have drifted. Also chooses for kinds that were
/// added since the last trial, or ran too rarely in it.
void Trials::check_times() {
  if (state_ != State::chosen) return;
  double before = 0, now = 0;
  bool first = true, new_often = false;
  for (Kind& kind : kinds_) {
    if (!kind.decided) {
      choose(kind);
      kind.decided = all_known(kind.candidates, open(kind, eager_ || !kind.exchanges));
      new_often = new_often || (kind.decided && kind.exchanges && kind.runs >= schedule_.watch / 2);
    }
    if (kind.recent_median < 0) continue;
    const std::int64_t then =
        kind.previous_median < 0 ? kind.best_candidate(eager_).agreed : kind.previous_median;
    first = first && kind.previous_median < 0;
    kind.previous_median = kind.recent_median;
    if (then < 0) continue;
    before += static_cast<double>(kind.runs) * static_cast<double>(then);
    now += static_cast<double>(kind.runs) * static_cast<double>(kind.recent_median);
  }
  // During trials a run may take longer than afterwards, so at the first check only an increase counts.
  const bool drifted = now > schedule_.drifted * before || (!first && before > schedule_.drifted * now);
  if (!new_often && (!drifted || since_trial_ < retrial_interval_)) return;
  if (drifted)
    retrial_interval_ = std::min(schedule_.again, std::max(2 * schedule_.watch, 2 * retrial_interval_));
  begin_trial();
}

Trials::Known Trials::known(int number) const {
  const Kind& kind = of(number);
  Known known{.runs = kind.runs};
  const auto seconds = [](std::int64_t agreed) {
    return agreed < 0 ? 0.0 : 1e-9 * static_cast<double>(agreed);
  };
  known.chosen = seconds(kind.best_candidate(eager_).agreed);
  for (const Candidate& c : kind.candidates)
    if (!c.strategy->parts) known.blocking = seconds(c.agreed);
  return known;
}

}  // namespace sc
