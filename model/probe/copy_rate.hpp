// SPDX-License-Identifier: Apache-2.0
// The memory bandwidth of this machine by the size of the arrays: of memory, or of the caches that hold them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sc::model {

/// Bytes that `threads` threads together read and write per second, each copying one half of `bytes` bytes of
/// its own to the other, again and again. The fastest of several rounds.
double copy_rate(int threads, std::int64_t bytes);

/// The same of an array in memory, whose values stay: each thread copies its part of it to a small buffer and
/// back. The faster of two rounds.
double in_place_rate(int threads, std::byte* array, std::size_t bytes);

/// Copies with so many threads for a time, as stages read and write memory.
void copy_for(int threads, double seconds);

}  // namespace sc::model
