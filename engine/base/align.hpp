// SPDX-License-Identifier: Apache-2.0
// The size of a cache line, and sizes rounded up to whole units.
#pragma once

#include <concepts>
#include <cstddef>

namespace sc {

inline constexpr std::size_t cache_line = 64;  // bytes

/// The smallest multiple of `unit` that is not less than `count`.
template <std::integral T>
constexpr T round_up(T count, T unit) {
  return (count + unit - 1) / unit * unit;
}

}  // namespace sc
