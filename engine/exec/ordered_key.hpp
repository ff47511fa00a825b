// SPDX-License-Identifier: Apache-2.0
// Doubles as integers in the same order, NaN above everything: what maxima and minima are reduced as.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace sc {

/// The order of doubles as integers: a < b exactly when max_key(a) < max_key(b), and NaN above everything.
inline std::int64_t max_key(double value) {
  // -0.0 and 0.0 must be one key, or a maximum would depend on who brings it first.
  const auto bits = std::bit_cast<std::int64_t>(value + 0.0);
  const std::int64_t key = bits >= 0 ? bits : std::numeric_limits<std::int64_t>::min() - bits;
  return value != value ? std::numeric_limits<std::int64_t>::max() : key;
}
inline double max_value(std::int64_t key) {
  if (key == std::numeric_limits<std::int64_t>::max()) return std::numeric_limits<double>::quiet_NaN();
  return std::bit_cast<double>(key >= 0 ? key : std::numeric_limits<std::int64_t>::min() - key);
}
/// Keys of a minimum, reduced like those of a maximum; NaN wins here too.
inline std::int64_t min_key(double value) { return max_key(-value); }
inline double min_value(std::int64_t key) { return -max_value(key); }

}  // namespace sc
