// SPDX-License-Identifier: Apache-2.0
// GlobalValue: a stage's reductions over all ranks in one non-blocking message. Call start() after the stage,
// and read value() a fixed number of sweeps later.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/context.hpp"
#include "engine/exec/accumulator.hpp"
#include "engine/move/reduction.hpp"

namespace sc {

class GlobalValue {
 public:
  explicit GlobalValue(Context& context) : context_(context), reduction_(context) {}

  /// Collective: all ranks pass equally many accumulators of the same kinds.
  void start(std::span<const Accumulator> mine);
  /// Value number k over all ranks; waits for it, and records the wait as a reduction.
  double value(int k = 0);
  /// start() and value() together.
  double reduce(std::span<const Accumulator> mine) {
    start(mine);
    return value();
  }

 private:
  void read();

  Context& context_;
  Reduction reduction_;
  std::vector<Accumulator> results_;
  std::vector<std::int64_t> keys_, words_;
  bool unread_ = false;
};

}  // namespace sc
