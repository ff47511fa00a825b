// SPDX-License-Identifier: Apache-2.0
// Trials: which strategy of several is the fastest for each kind of stage. Counts and times only, no clock
// and no rank: all ranks count the same runs and are told the same times, so all of them try and choose
// alike.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/plan/strategy.hpp"

namespace sc {

/// When what is tried, in steps of the program.
struct Schedule {
  int settling = 2;               ///< until the runner knows who reads what
  std::array<int, 2> each{2, 3};  ///< for each candidate, in the first and in the second round
  int watch = 50;                 ///< from one look at the times to the next
  int again = 1000;               ///< from one trial to the next
  double much_slower = 1.3;       ///< what is left out of the second round
  double drifted = 1.25;          ///< times that much longer or shorter are tried anew
};

class Trials {
 public:
  explicit Trials(const Schedule& schedule = {}) : schedule_(schedule) {}

  /// A kind of stage that may run under the `candidates`; its number. `feeds`: whether its halos travel in
  /// its own runs or in its readers', as the strategy is eager or not. Such kinds are all eager or all not.
  int add(std::vector<const Strategy*> candidates, bool feeds);
  /// What the next run of the kind goes under.
  const Strategy& begin(int kind);
  /// How long it took here. `usual`: as any other run under that strategy.
  void end(int kind, double seconds, bool usual = true);
  /// A step begins. What all ranks have to agree on now, largest over ranks; empty where there is nothing.
  std::vector<std::int64_t> step();
  /// What they agreed on, at the beginning of a step too, in place of step().
  void agreed(std::span<const std::int64_t> largest);

  /// Whether a trial is under way, and whether runs of the kind are a part of it in this step.
  bool trying() const { return state_ == State::trying || state_ == State::agreeing; }
  bool tried(int kind) const { return of(kind).now >= 0; }
  /// Whether halos travel in the runs of those who write.
  bool eager() const { return eager_; }
  /// What the kind goes under when nothing is tried.
  const Strategy& chosen(int kind) const { return *of(kind).resting(eager_).strategy; }
  /// Steps in which something was tried, and how many trials.
  int steps_tried() const { return steps_tried_; }
  int trials() const { return trials_; }
  /// A run of the kind, in seconds on the slowest rank, under what is chosen and under blocking; 0: not
  /// known.
  struct Known {
    double chosen = 0, blocking = 0;
    std::int64_t runs = 0;
  };
  Known known(int kind) const;
  int kinds() const { return static_cast<int>(kinds_.size()); }

 private:
  enum class State { settling, trying, agreeing, settled };
  struct Candidate {
    const Strategy* strategy;
    std::vector<double> seconds = {};  // of a run, a mean for each step of this trial
    std::int64_t agreed = -1;          // nanoseconds, the largest median; -1: not known
    bool left_out = false;
  };
  struct Kind {
    bool feeds = true;
    std::vector<Candidate> candidates = {};
    std::array<int, 2> best{-1, -1};  // by [eager]: the candidate that counts as such
    std::int64_t runs = 0;
    bool first = true;      // halos are yet where they travelled before
    int now = -1;           // the candidate on trial in this step
    int steps_in_turn = 0;  // in which it was on trial
    double seconds = 0;     // of runs in this step
    int counted = 0;        // runs
    bool decided = false;
    std::vector<double> recent = {};        // as above, of the last steps under what is chosen
    std::int64_t lately = -1, before = -1;  // nanoseconds that those took, and at the look before
    bool in(int candidate, bool eager) const {
      return !feeds || candidates[static_cast<std::size_t>(candidate)].strategy->eager == eager;
    }
    const Candidate& resting(bool eager) const {
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
  void turn_to(bool eager);
  std::vector<std::int64_t> times() const;
  void end_round();
  static void choose(Kind& kind);
  double cost(bool eager) const;
  void leave_out();
  void look();

  Schedule schedule_;
  std::vector<Kind> kinds_;
  State state_ = State::settling;
  bool eager_ = true;
  bool looking_ = false;  // what is being agreed on are the times of what is chosen
  int round_ = 0;
  int steps_ = 0;  // in this state or turn
  int steps_of_turn_ = 0;
  int since_trial_ = 0, retrial_interval_ = 0;  // steps; how many until times that drift start another one
  int steps_tried_ = 0, trials_ = 0;
};

}  // namespace sc
