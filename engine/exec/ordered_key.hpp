// SPDX-License-Identifier: Apache-2.0
// Doubles as integers in the same order, NaN above all: the keys with which maxima and minima are reduced.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "engine/field/views.hpp"

namespace sc {

SC_FN std::int64_t bits_of(double value) {
#ifdef __CUDA_ARCH__
  return __double_as_longlong(value);
#else
  return std::bit_cast<std::int64_t>(value);
#endif
}
SC_FN double double_of(std::int64_t bits) {
#ifdef __CUDA_ARCH__
  return __longlong_as_double(bits);
#else
  return std::bit_cast<double>(bits);
#endif
}

/// a < b exactly if max_key(a) < max_key(b), and NaN is above all.
SC_FN std::int64_t max_key(double value) {
  // -0.0 and 0.0 must have the same key, otherwise a maximum depends on the order.
  const std::int64_t bits = bits_of(value + 0.0);
  const std::int64_t key = bits >= 0 ? bits : std::numeric_limits<std::int64_t>::min() - bits;
  return value != value ? std::numeric_limits<std::int64_t>::max() : key;
}
inline double max_value(std::int64_t key) {
  if (key == std::numeric_limits<std::int64_t>::max()) return std::numeric_limits<double>::quiet_NaN();
  return double_of(key >= 0 ? key : std::numeric_limits<std::int64_t>::min() - key);
}
/// Keys of a minimum, reduced by maximum; NaN is the result here too.
SC_FN std::int64_t min_key(double value) { return max_key(-value); }
inline double min_value(std::int64_t key) { return -max_value(key); }

}  // namespace sc
