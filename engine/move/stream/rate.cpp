// SPDX-License-Identifier: Apache-2.0
#include "engine/move/stream/rate.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <fstream>

namespace sc {

DiskRate measured_rate(const FileMemoryOptions& options, std::int64_t bytes) {
  constexpr std::int64_t part = std::int64_t{4} << 20;
  const std::int64_t parts = std::max<std::int64_t>(2, bytes / part);
  FileMemory memory(options);
  const std::array arrays{memory.add("measurement", parts * part), memory.add("measurement", parts * part)};
  const FarMemory::Buffer in = memory.allocate(part), out = memory.allocate(part);
  std::memset(in.get(), 1, part);
  std::memset(out.get(), 1, part);
  const auto copy = [&](Way way, int array, std::int64_t n) {
    std::byte* near = way == Way::in ? in.get() : out.get();
    memory.start(way, std::array{FarPart{arrays[static_cast<std::size_t>(array)], n * part, near,
                                         static_cast<std::size_t>(part)}});
  };
  using Clock = std::chrono::steady_clock;
  const auto timed = [&](int ways, const auto& one) {
    const auto begin = Clock::now();
    for (std::int64_t n = 0; n < parts; ++n) {
      one(n);
      memory.wait(Way::out);
      memory.wait(Way::in);
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    return ways * static_cast<double>(parts * part) / std::max(seconds, 1e-9);
  };
  DiskRate rate;
  // A read of blocks that were never written does not access the disk.
  timed(1, [&](std::int64_t n) { copy(Way::out, 1, n); });
  rate.write = timed(1, [&](std::int64_t n) { copy(Way::out, 0, n); });
  rate.read = timed(1, [&](std::int64_t n) { copy(Way::in, 0, n); });
  rate.both = timed(2, [&](std::int64_t n) {
    copy(Way::out, 1, n);
    copy(Way::in, 0, n);
  });
  return rate;
}

std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t size = 0, resident = 0;
  return file >> size >> resident ? resident * sysconf(_SC_PAGESIZE) : 0;
}

}  // namespace sc
