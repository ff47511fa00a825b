// SPDX-License-Identifier: Apache-2.0
#include "model/probe/copy_rate.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <vector>

#include "engine/exec/team.hpp"

namespace sc::model {

namespace {

// Through a volatile pointer, so that no copy is left out.
void* (*volatile const copy)(void*, const void*, std::size_t) = std::memcpy;

}  // namespace

double copy_rate(int threads, std::int64_t bytes) {
  constexpr int rounds = 5;
  constexpr std::int64_t timed = std::int64_t{64} << 20;  // bytes: long compared with starting the threads
  const auto half = static_cast<std::size_t>(std::max<std::int64_t>(bytes / 2, 1));
  const std::int64_t copies = std::max<std::int64_t>(timed / bytes, 1);
  std::vector<std::vector<std::byte>> from(static_cast<std::size_t>(threads)), to = from;
  const auto copied = [&] {
    const auto begin = std::chrono::steady_clock::now();
    team(threads, [&](int thread) {
      const auto t = static_cast<std::size_t>(thread);
      for (std::int64_t n = 0; n < copies; ++n) copy(to[t].data(), from[t].data(), half);
    });
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  team(threads, [&](int thread) {  // each thread's memory is near its core
    from[static_cast<std::size_t>(thread)].resize(half);
    to[static_cast<std::size_t>(thread)].resize(half);
  });
  double seconds = copied();
  for (int round = 1; round < rounds; ++round) seconds = std::min(seconds, copied());
  return 2 * static_cast<double>(half) * static_cast<double>(copies) * threads / std::max(seconds, 1e-9);
}

double in_place_rate(int threads, std::byte* array, std::size_t bytes) {
  constexpr std::size_t buffer = std::size_t{8} << 10;  // stays in the first-level cache
  const auto copied = [&] {
    const auto begin = std::chrono::steady_clock::now();
    team(threads, [&](int thread) {
      alignas(64) std::array<std::byte, buffer> near;
      const auto all = static_cast<std::size_t>(threads), t = static_cast<std::size_t>(thread);
      const std::size_t end = bytes * (t + 1) / all;
      for (std::size_t at = bytes * t / all; at < end; at += buffer) {
        const std::size_t count = std::min(buffer, end - at);
        copy(near.data(), array + at, count);
        copy(array + at, near.data(), count);
      }
    });
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const double first = copied();
  return 2 * static_cast<double>(bytes) / std::max(std::min(first, copied()), 1e-9);
}

void copy_for(int threads, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  team(threads, [&](int /*thread*/) {
    std::vector<std::byte> from(std::size_t{4} << 20), to(from.size());  // more than a core's own caches
    while (Clock::now() < end) std::memcpy(to.data(), from.data(), from.size());
  });
}

}  // namespace sc::model
