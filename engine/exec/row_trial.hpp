// SPDX-License-Identifier: Apache-2.0
// RowTrial: measures whether a sweep is faster in the order for arrays larger than the caches. The size of
// the cache does not decide: non-temporal stores are slower for the next reader, and a shared cache is used
// by other programs too. So the first runs alternate between the orders, and some later runs again. All
// orders give the same bits.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include "engine/exec/row_order.hpp"

namespace sc {

class RowTrial {
 public:
  /// Measures the computation until it is destroyed.
  class Turn {
   public:
    Turn(RowTrial* trial, const RowOrder& order, std::int64_t cells, std::int64_t own)
        : trial_(trial), order_(order), cells_(cells), own_(own) {
      if (trial_) begin_ = Clock::now();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
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
  bool trying() const { return run_ < runs_each * turns; }
  /// Records that `cells` of the `own` cells of a run took this long.
  void took(std::int64_t cells, std::int64_t own, double seconds);

 public:
  static constexpr int first_runs = 8;  ///< runs of the first trial

 private:
  // The first run of a turn starts with the cache contents of the previous turn.
  static constexpr int runs_each = 2, turns = first_runs / runs_each;
  static constexpr int again = 1000;           // runs between trials
  static constexpr double worth_while = 0.97;  // smaller gains may be noise

  int run_ = 0;
  bool faster_ = false;
  std::int64_t cells_ = 0;  // of this run
  std::array<double, 2> seconds_{};
};

}  // namespace sc
