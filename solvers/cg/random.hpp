// SPDX-License-Identifier: Apache-2.0
// The generator of the NAS benchmarks, x <- 5^13 x mod 2^46, in integer arithmetic: the same values as in the
// original's exact double arithmetic.
#pragma once

#include <cstdint>

namespace sc::cg {

class Random {
 public:
  /// The next value 2^-46 x, in (0, 1).
  double next() {
    x_ = (x_ * 1220703125U) & mask;  // of the 77-bit product, overflow at 64 bits preserves the low 46
    return static_cast<double>(x_) * 0x1p-46;
  }

 private:
  static constexpr std::uint64_t mask = (std::uint64_t{1} << 46) - 1;
  std::uint64_t x_ = 314159265;
};

}  // namespace sc::cg
