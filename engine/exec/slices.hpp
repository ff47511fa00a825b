// SPDX-License-Identifier: Apache-2.0
// How a double is cut for an order-free sum: into multiples of fixed powers of two, 2^(40 b - 1040), of which
// the three highest are kept (see BinnedSum). The same arithmetic on host and device.
#pragma once

#include <cstdint>
#include <limits>

#include "engine/exec/ordered_key.hpp"
#include "engine/field/views.hpp"

namespace sc {

constexpr int bin_bits = 40;
constexpr int bin_count = 50;
constexpr int lowest_exponent = -1040;  // the lowest unit is still a (subnormal) double
constexpr int split_bits = 20;          // 2^43 slices can be added before a word of a device overflows
constexpr std::int64_t lowest_key = std::numeric_limits<std::int64_t>::min();

/// 2^exponent, also if subnormal.
SC_FN double power_of_two(int exponent) {
  return exponent >= -1022 ? double_of(std::int64_t{exponent + 1023} << 52)
                           : double_of(std::int64_t{1} << (exponent + 1074));
}
SC_FN double bin_unit(std::int64_t bin) {
  return power_of_two(static_cast<int>(bin) * bin_bits + lowest_exponent);
}

/// For the largest magnitude, as bits: the bin whose unit is more than 2^-39 of it, so that every higher
/// slice is zero; bin_count if it cannot be cut, -1 for no value.
SC_FN std::int64_t top_bin(std::int64_t magnitude) {
  if (magnitude == 0) return -1;
  const int biased = static_cast<int>(magnitude >> 52);
  const int exponent = biased - 1022 > -1074 ? biased - 1022 : -1074;  // |value| < 2^exponent
  // ceil((exponent - lowest - 39) / 40)
  const std::int64_t top = (exponent > lowest_exponent ? exponent - lowest_exponent : 0) / bin_bits;
  return top >= bin_count || biased == 2047 ? bin_count : top;
}

/// The first of three bins that follow downwards, the highest of them `top` if there are so many.
SC_FN std::int64_t first_bin(std::int64_t top) { return top > 2 ? top : 2; }

struct Slices {
  std::int64_t top = -1;   ///< bin_count for a value that cannot be cut, -1 for zero
  std::int64_t part[3]{};  ///< in units of the bins from first_bin(top) downwards
};

SC_FN Slices slices_of(double value) {
  constexpr std::int64_t magnitude = std::numeric_limits<std::int64_t>::max();  // all bits but the sign
  Slices s;
  s.top = top_bin(bits_of(value) & magnitude);
  if (s.top < 0 || s.top >= bin_count) return s;
  double rest = value;
  for (int n = 0; n < 3; ++n) {
    // Adding 1.5 2^52 units rounds to a multiple of the unit, which is the last digit of both.
    const double cut = 1.5 * (bin_unit(first_bin(s.top) - n) * 0x1p52);
    const double rounded = rest + cut;
    rest -= rounded - cut;
    s.part[n] = bits_of(rounded) - bits_of(cut);
  }
  return s;
}

}  // namespace sc
