// SPDX-License-Identifier: Apache-2.0
#include "engine/move/stream/computing_share.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

namespace sc {

namespace {

template <class Work>
double timed(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::max(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 1e-9);
}

}  // namespace

double computing_share(const FileMemoryOptions& options, std::int64_t bytes,
                       const std::function<void(double)>& compute) {
  constexpr std::int64_t part = std::int64_t{4} << 20;
  // All parts are started at once: as many as a file memory takes, in each direction.
  const std::int64_t parts = std::clamp<std::int64_t>(bytes / part, 2, 32);
  FileMemory memory(options);
  const std::array arrays{memory.add("measurement", parts * part), memory.add("measurement", parts * part)};
  const FarMemory::Buffer in = memory.allocate(part), out = memory.allocate(part);
  std::memset(in.get(), 1, part);
  std::memset(out.get(), 1, part);
  const auto start = [&](Way way, int array, std::int64_t n) {
    std::byte* near = way == Way::in ? in.get() : out.get();
    memory.start(way, std::array{FarPart{array, n * part, near, static_cast<std::size_t>(part)}});
  };
  const auto start_all = [&] {
    for (std::int64_t n = 0; n < parts; ++n) {
      start(Way::out, arrays[1], n);
      start(Way::in, arrays[0], n);
    }
  };
  const auto wait = [&] {
    memory.wait(Way::out);
    memory.wait(Way::in);
  };
  // A read of blocks that were never written does not access the disk.
  for (std::int64_t n = 0; n < parts; ++n) start(Way::out, arrays[0], n);
  wait();
  start_all();
  wait();
  std::array<double, 3> shares{};
  for (double& share : shares) {
    const double alone = timed([&] {
      start_all();
      wait();
    });
    start_all();
    const double computed = timed([&] { compute(alone); });
    const double left = timed(wait);  // what was not copied meanwhile, at full speed
    share = (alone - left) / computed;
  }
  std::sort(shares.begin(), shares.end());
  return std::clamp(shares[1], 0.01, 1.0);
}

}  // namespace sc
