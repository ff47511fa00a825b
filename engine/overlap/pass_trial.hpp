// SPDX-License-Identifier: Apache-2.0
// PassTrial: which number of steps a pass is the fastest, found while a program runs. Counts and times only,
// no clock and no rank: all ranks count the same steps and are told the same times, so all choose alike.
#pragma once

#include <string>
#include <vector>

namespace sc {

class PassTrial {
 public:
  /// The most steps a pass that are tried, where a program asks for the fastest number alone.
  static constexpr int most_tried = 16;

  /// Of 1, 2, 4, … up to `most` steps a pass.
  explicit PassTrial(int most);

  /// Steps of the next pass; 1: none, each step by itself.
  int length() const { return trying() ? candidates_[now_].length : chosen_; }
  bool trying() const { return state_ == State::trying; }

  /// A pass, or a step by itself, took so long here. `busy`: something else was tried in it. Whether a turn
  /// is over, the same on all ranks: then end_turn() wants seconds_a_step() of the slowest one.
  bool took(int steps, double seconds, bool busy = false);
  double seconds_a_step() const { return seconds_ / steps_; }
  void end_turn(double slowest_seconds_a_step);

  /// What was found, and why; empty before that.
  std::string describe() const;

 private:
  enum class State { warming_up, trying, found };
  struct Candidate {
    int length;
    std::vector<double> seconds = {};  // a step, of each turn
    bool out = false;                  // too slow, or its passes end early
  };
  void begin_trial();
  void begin_turn(std::size_t candidate);
  void next_turn();
  void give_up();
  void choose();
  bool gains(const Candidate& candidate) const;

  std::vector<Candidate> candidates_;
  State state_ = State::warming_up;
  int chosen_ = 1;
  int waited_ = 0;  // steps since something was found
  int round_ = 0;
  std::size_t now_ = 0;  // the candidate whose turn it is
  int passes_ = 0;       // of this turn
  int steps_ = 0;        // that count
  double seconds_ = 0;
  int ended_early_ = 0;  // passes in a row
  int unreachable_ = 0;  // the least length whose passes end early
  std::string found_ = {};
};

}  // namespace sc
