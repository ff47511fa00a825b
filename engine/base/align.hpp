// SPDX-License-Identifier: Apache-2.0
// The sizes of a cache line and of a page; sizes and addresses rounded up to whole units.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace sc {

inline constexpr std::size_t cache_line = 64;     // bytes
inline constexpr std::size_t memory_page = 4096;  // bytes, of the host; files past the page cache use it too

/// The smallest multiple of `unit` that is not less than `count`.
template <std::integral T>
constexpr T round_up(T count, T unit) {
  return (count + unit - 1) / unit * unit;
}

/// The first address from `at` on that begins a cache line; `at` is aligned as its elements are.
template <class T>
T* on_cache_line(T* at) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  return at + (cache_line - address % cache_line) % cache_line / sizeof(T);
}

}  // namespace sc
