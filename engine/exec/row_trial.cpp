// SPDX-License-Identifier: Apache-2.0
// RowTrial: turns of two runs, of which the second counts.
#include "engine/exec/row_trial.hpp"

namespace sc {

void RowTrial::took(std::int64_t cells, std::int64_t own, double seconds) {
  if (trying() && run_ % runs_each == runs_each - 1) seconds_[much() ? 1 : 0] += seconds;
  cells_ += cells;
  if (cells_ < own) return;
  cells_ = 0;
  ++run_;
  if (run_ == runs_each * turns) {
    faster_ = seconds_[1] < worth_while * seconds_[0];
    seconds_ = {};
  }
  if (run_ == again) run_ = 0;
}

}  // namespace sc
