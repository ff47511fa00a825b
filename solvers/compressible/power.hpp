// SPDX-License-Identifier: Apache-2.0
// t^n as products and sums, so that a row of cells takes it as vectors; the library's pow goes cell by cell.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "engine/field/views.hpp"

namespace sc::compressible {

/// log t of a normal number: t = 2^e m, m from sqrt(1/2) on, log m = 2 artanh s, s = (m - 1) / (m + 1).
SC_FN double logarithm(double t) {
  constexpr std::uint64_t half = 0x3fe6a09e667f3bcd;                                     // sqrt(1/2)
  constexpr std::uint64_t bias = std::uint64_t{1023} << 52, magic = 0x4330000000000000;  // 2^52
  const auto bits = std::bit_cast<std::uint64_t>(t);
  const std::uint64_t power = (bits - half + bias) >> 52;  // e + 1023
  const double e = std::bit_cast<double>(power | magic) - (0x1p52 + 1023);
  const double m = std::bit_cast<double>(bits - (power << 52) + bias);
  const double s = (m - 1) / (m + 1), q = s * s;  // q < 0.0295
  double sum = 1.0 / 23;
  for (int k = 21; k >= 3; k -= 2) sum = sum * q + 1.0 / k;
  constexpr double ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45;  // e ln2_high is exact
  return e * ln2_high + (2 * s + (2 * s * q * sum + e * ln2_low));
}

/// exp y of |y| < 700: 2^k times the exponential series of the rest, |rest| < 0.35.
SC_FN double exponential(double y) {
  constexpr double ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45, shift = 0x1.8p52;
  const double shifted = y * 0x1.71547652b82fep0 + shift;  // rounded to whole numbers
  const double k = shifted - shift;
  const double rest = (y - k * ln2_high) - k * ln2_low;
  double sum = 1;
  for (int n = 14; n >= 1; --n) sum = 1 + sum * rest * (1.0 / n);
  return sum * std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) + 1023) << 52);
}

/// t^n to 1e-14 for |n log t| < 700; NaN for a t that is not positive.
SC_FN double power(double t, double n) {
  const double value = exponential(n * logarithm(t));
  return t > 0 ? value : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace sc::compressible
