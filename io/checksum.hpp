// SPDX-License-Identifier: Apache-2.0
// A checksum of an array that is independent of the division among ranks: every element is hashed together
// with its index in the array, and the hashes are added modulo 2^64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace sc::io {

/// The finaliser of SplitMix64: every bit of the argument affects every bit of the result.
constexpr std::uint64_t mix(std::uint64_t v) {
  v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9u;
  v = (v ^ (v >> 27)) * 0x94d049bb133111ebu;
  return v ^ (v >> 31);
}

/// Sum over `count` elements of mix(bits ^ mix(index + 1)); the first element has the index `first`. An
/// element is one word of `bytes` (4 or 8), zero-extended; elements of 16 bytes count as two of 8.
inline std::uint64_t checksum(const std::byte* data, std::size_t count, std::size_t bytes,
                              std::uint64_t first) {
  if (bytes == 16) return checksum(data, 2 * count, 8, 2 * first);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t bits = 0;
    if (bytes == 4) {
      std::uint32_t word = 0;
      std::memcpy(&word, data + 4 * i, 4);
      bits = word;
    } else {
      std::memcpy(&bits, data + 8 * i, 8);
    }
    sum += mix(bits ^ mix(first + i + 1));
  }
  return sum;
}

inline std::uint64_t checksum(std::string_view text) {
  std::uint64_t sum = mix(text.size());
  for (const char c : text) sum = mix(sum ^ static_cast<unsigned char>(c));
  return sum;
}

}  // namespace sc::io
