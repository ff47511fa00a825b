// SPDX-License-Identifier: Apache-2.0
// Trials: finds the fastest strategy for each kind of stage, from counts and times alone. All ranks count the
// same runs and get the same times, so all try and choose alike.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/plan/strategy.hpp"

namespace sc {

/// The schedule of trials, in steps of the program.
struct Schedule {
  int warm_up = 2;                ///< until the runner knows the readers of all outputs
  std::array<int, 2> each{2, 3};  ///< steps for each candidate, in the first and in the second round
  int watch = 50;                 ///< between two checks of the times
  int again = 1000;               ///< between two trials
  double much_slower = 1.1;       ///< candidates this much slower are left out of the second round
  double drifted = 1.25;          ///< times that changed by this factor start a new trial
};

class Trials {
 public:
  explicit Trials(const Schedule& schedule = {}) : schedule_(schedule) {}

  /// Adds a kind of stage that may run under the `candidates`; returns its number. `exchanges`: whether its
  /// halos are exchanged in its own runs or in its readers', depending on whether the strategy is eager.
  /// Either all such kinds are eager or none.
  int add(std::vector<const Strategy*> candidates, bool exchanges);
  /// The strategy of the next run of the kind.
  const Strategy& begin(int kind);
  /// Its time on this rank. `usual`: a run like any other under that strategy.
  void end(int kind, double seconds, bool usual = true);
  /// A step begins. Returns values to be reduced by maximum over ranks; empty if there are none.
  std::vector<std::int64_t> step();
  /// The reduced values, also at the beginning of a step, instead of step().
  void agreed(std::span<const std::int64_t> largest);

  /// Whether a trial is in progress, and whether runs of the kind are part of it in this step.
  bool trying() const { return state_ == State::trying || state_ == State::agreeing; }
  bool tried(int kind) const { return of(kind).now >= 0; }
  /// Whether halos are exchanged in the runs of their writers.
  bool eager() const { return eager_; }
  /// The strategy of the kind outside of trials.
  const Strategy& chosen(int kind) const { return *of(kind).best_candidate(eager_).strategy; }
  /// The number of steps in trials, and of trials.
  int steps_tried() const { return steps_tried_; }
  int trials() const { return trials_; }
  /// The time of a run of the kind, in seconds on the slowest rank, under the choice and under blocking; 0:
  /// not known.
  struct Known {
    double chosen = 0, blocking = 0;
    std::int64_t runs = 0;
  };
  Known known(int kind) const;
  int kinds() const { return static_cast<int>(kinds_.size()); }

 private:
  enum class State { warming_up, trying, agreeing, chosen };
  struct Candidate {
    const Strategy* strategy;
    std::vector<double> seconds = {};  // of a run, one mean for each step of this trial
    std::int64_t agreed = -1;          // nanoseconds, the largest median; -1: not known
    bool left_out = false;
  };
  struct Kind {
    bool exchanges = true;  // halos with other kinds; see add()
    std::vector<Candidate> candidates = {};
    std::array<int, 2> best{-1, -1};  // by [eager]: the best candidate
    std::int64_t runs = 0;
    bool first = true;      // halos are still exchanged in the previous place
    int now = -1;           // the candidate on trial in this step
    int steps_in_turn = 0;  // steps in which it was on trial
    double seconds = 0;     // of runs in this step
    int counted = 0;        // runs
    bool decided = false;
    std::vector<double> recent = {};    // as above, of the last steps under the choice
    std::int64_t recent_median = -1;    // nanoseconds
    std::int64_t previous_median = -1;  // at the check before
    bool in(int candidate, bool eager) const {
      return !exchanges || candidates[static_cast<std::size_t>(candidate)].strategy->eager == eager;
    }
    const Candidate& best_candidate(bool eager) const {
      return candidates[static_cast<std::size_t>(best[eager ? 1 : 0])];
    }
  };
  Kind& of(int kind) { return kinds_[static_cast<std::size_t>(kind)]; }
  const Kind& of(int kind) const { return kinds_[static_cast<std::size_t>(kind)]; }
  int next_on_trial(const Kind& kind) const;
  void end_step();
  std::vector<std::int64_t> go_on();
  std::vector<int> open(const Kind& kind, bool eager) const;
  bool anything_to_try() const;
  void begin_trial();
  bool begin_round();
  bool begin_turn(bool eager);
  void set_eager(bool eager);
  std::vector<std::int64_t> times() const;
  void end_round();
  static void choose(Kind& kind);
  double cost(bool eager) const;
  void leave_out();
  void check_times();

  Schedule schedule_;
  std::vector<Kind> kinds_;
  State state_ = State::warming_up;
  bool eager_ = true;
  bool checking_ = false;  // the values being reduced are times of the choice
  int round_ = 0;
  int steps_ = 0;  // in this state or turn
  int steps_of_turn_ = 0;
  int since_trial_ = 0,
      retrial_interval_ = 0;  // steps; the interval after which drifting times start a trial
  int steps_tried_ = 0, trials_ = 0;
};

}  // namespace sc
