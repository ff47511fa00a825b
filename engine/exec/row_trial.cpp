// SPDX-License-Identifier: Apache-2.0
// RowTrial: the two orders alternate in pairs; only the last run of each turn is timed.
#include "engine/exec/row_trial.hpp"

namespace sc {

void RowTrial::took(std::int64_t cells, std::int64_t own, double seconds) {
  if (trying() && run_ % runs_each == runs_each - 1) seconds_[much() ? 1 : 0] += seconds;
  cells_ += cells;
  if (cells_ < own) return;
  cells_ = 0;
  const bool tried = trying();
  ++run_;
  if (tried && run_ % runs_a_pair == 0) {
    if (seconds_[1] >= worth_while * seconds_[0]) ++lost_;
    seconds_ = {};
    faster_ = run_ == first_runs && lost_ <= may_be_lost;
  }
  if (run_ == again) {
    run_ = lost_ = 0;
    faster_ = false;
  }
}

}  // namespace sc
