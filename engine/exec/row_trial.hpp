// SPDX-License-Identifier: Apache-2.0
// RowTrial: measures whether a sweep is faster in the order for arrays larger than the caches. The size of
// the cache does not decide: non-temporal stores are slower for the next reader, and a shared cache is used
// by other programs too. So the first runs alternate between the orders, and some later runs again. In doubt
// the plain order stays. All orders give the same bits.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include "engine/exec/row_order.hpp"

namespace sc {

class RowTrial {
 public:
  /// Measures the computation until it is destroyed.
  class Timing {
   public:
    Timing(RowTrial* trial, const RowOrder& order, std::int64_t cells, std::int64_t own)
        : trial_(trial), order_(order), cells_(cells), own_(own) {
      if (trial_) begin_ = Clock::now();
    }
    Timing(const Timing&) = delete;
    Timing& operator=(const Timing&) = delete;
    ~Timing() {
      if (trial_) trial_->took(cells_, own_, std::chrono::duration<double>(Clock::now() - begin_).count());
    }
    const RowOrder& order() const { return order_; }

   private:
    using Clock = std::chrono::steady_clock;
    RowTrial* trial_;  // nullptr: no measurement
    RowOrder order_;
    std::int64_t cells_, own_;
    Clock::time_point begin_ = {};
  };

  /// Whether the next cells are computed in that order.
  bool much() const { return trying() ? run_ / runs_each % 2 == 1 : faster_; }
  bool trying() const { return run_ < first_runs && lost_ <= may_be_lost; }
  /// Records that `cells` of the `own` cells of a run took this long.
  void took(std::int64_t cells, std::int64_t own, double seconds);

 private:
  // The first run of a turn starts with the cache contents of the previous turn.
  static constexpr int runs_each = 2, runs_a_pair = 2 * runs_each, pairs = 5;
  // The time of a run varies by 20 % on a shared machine, for some seconds by more. So adjacent turns are
  // compared; means of a few runs chose the slower order now and then.
  static constexpr int may_be_lost = 1;
  static constexpr int again = 1000;           // runs between trials
  static constexpr double worth_while = 0.97;  // smaller gains may be noise

 public:
  static constexpr int first_runs = runs_a_pair * pairs;  ///< runs of the first trial, at most

 private:
  int run_ = 0;
  int lost_ = 0;  // pairs without a gain
  bool faster_ = false;
  std::int64_t cells_ = 0;  // of this run
  std::array<double, 2> seconds_{};
};

}  // namespace sc
