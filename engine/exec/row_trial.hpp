// SPDX-License-Identifier: Apache-2.0
// RowTrial: whether a sweep is faster in the order for arrays that no cache holds. No cache's size tells:
// what is written past them is far away for who reads it next, and a shared cache belongs to other programs
// too. So the first runs take turns, and so do some every so often. All orders leave the same bits.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include "engine/exec/row_order.hpp"

namespace sc {

class RowTrial {
 public:
  /// Measures what it computes until it ends.
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
    RowTrial* trial_;  // nullptr: nothing is measured
    RowOrder order_;
    std::int64_t cells_, own_;
    Clock::time_point begin_ = {};
  };

  /// Whether the next cells are computed in that order.
  bool much() const { return trying() ? run_ / runs_each % 2 == 1 : faster_; }
  bool trying() const { return run_ < runs_each * turns; }
  /// `cells` of the `own` cells of a run took so long.
  void took(std::int64_t cells, std::int64_t own, double seconds);

 public:
  static constexpr int first_runs = 8;  ///< in which it is found for the first time

 private:
  // Of the runs of a turn the first finds what the turn before it left in the caches.
  static constexpr int runs_each = 2, turns = first_runs / runs_each;
  static constexpr int again = 1000;           // runs from one trial to the next
  static constexpr double worth_while = 0.97;  // what is hardly faster may only seem so

  int run_ = 0;
  bool faster_ = false;
  std::int64_t cells_ = 0;  // of this run
  std::array<double, 2> seconds_{};
};

}  // namespace sc
