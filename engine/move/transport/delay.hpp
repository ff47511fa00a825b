// SPDX-License-Identifier: Apache-2.0
// Delay: for tests; pieces are held back by a timer and released in another order.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace sc {

class Delay {
 public:
  Delay(double seconds, std::size_t pieces) : seconds_(seconds) { held_.reserve(pieces); }
  void hold(int piece, std::uint64_t trip);
  /// A piece whose time has come, -1 for none: the latest first in even rounds, in a scrambled order in odd
  /// ones.
  int next();
  bool empty() const { return held_.empty(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Held {
    int piece;
    std::uint64_t trip;
    Clock::time_point due;
  };
  double seconds_;
  std::vector<Held> held_;
};

}  // namespace sc
