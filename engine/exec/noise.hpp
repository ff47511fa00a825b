// SPDX-License-Identifier: Apache-2.0
// Counter-based noise: a number for every (cell, step, seed), independent of the decomposition and the order
// of the cells.
#pragma once

#include <cstdint>

#include "engine/field/views.hpp"
#include "engine/grid/box.hpp"

namespace sc {

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014).
SC_FN constexpr std::uint64_t mixed64(std::uint64_t v) {
  v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9U;
  v = (v ^ (v >> 27)) * 0x94d049bb133111ebU;
  return v ^ (v >> 31);
}
/// "lowbias32" (Wellons 2018), two multiplications of 32 bits, with the second half of a key inserted between
/// them: rows of cells with a common first half still differ.
SC_FN constexpr std::uint32_t mixed32(std::uint32_t v, std::uint32_t key) {
  v = (v ^ (v >> 16)) * 0x7feb352dU;
  v ^= key;
  v = (v ^ (v >> 15)) * 0x846ca68bU;
  return v ^ (v >> 16);
}

/// The key of a step's noise.
SC_FN constexpr std::uint64_t noise_key(std::uint64_t seed, std::uint64_t step) {
  return mixed64(mixed64(seed + 0x9e3779b97f4a7c15U) + step * 0x9e3779b97f4a7c15U);
}

/// Uniform in [-1, 1]. The 64-bit half depends only on the row, so a loop along x computes it once.
template <class Real>
SC_FN Real noise(std::uint64_t key, Index g) {
  const std::uint64_t row =
      mixed64(key ^ mixed64(static_cast<std::uint64_t>(g.y) + (static_cast<std::uint64_t>(g.z) << 32U)));
  const auto low = static_cast<std::uint32_t>(row), high = static_cast<std::uint32_t>(row >> 32U);
  const std::uint32_t value = mixed32(static_cast<std::uint32_t>(g.x) + low, high);
  return Real(static_cast<std::int32_t>(value)) * Real(0x1p-31);
}

/// Uniform in (0, 1): draw number `draw` of the stream `key`.
SC_FN constexpr double uniform(std::uint64_t key, std::uint64_t draw) {
  const std::uint64_t bits = mixed64(key + (draw + 1) * 0x9e3779b97f4a7c15U);
  return (static_cast<double>(bits >> 11U) + 0.5) * 0x1p-53;
}

}  // namespace sc
