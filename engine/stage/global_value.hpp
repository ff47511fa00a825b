// SPDX-License-Identifier: Apache-2.0
// GlobalValue: a sweep's reduction over all ranks, without blocking: start() it after the sweep, read value()
// a fixed number of sweeps later.
#pragma once

#include <vector>

#include "engine/base/context.hpp"
#include "engine/exec/accumulator.hpp"
#include "engine/move/reduction.hpp"

namespace sc {

class GlobalValue {
 public:
  explicit GlobalValue(Context& context) : context_(context), reduction_(context) {}

  void start(const Accumulator& mine);
  /// Makes progress; true once value() would not wait.
  bool test() { return !under_way_ || reduction_.test(); }
  bool under_way() const { return under_way_; }
  /// The value over all ranks; waits for it, and books the wait as a reduction.
  double value();
  /// Both at once.
  double reduce(const Accumulator& mine) {
    start(mine);
    return value();
  }

 private:
  Context& context_;
  Reduction reduction_;
  Accumulator result_;
  std::vector<std::int64_t> words_;
  bool under_way_ = false;
};

}  // namespace sc
