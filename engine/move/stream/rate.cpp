// SPDX-License-Identifier: Apache-2.0
#include "engine/move/stream/rate.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <fstream>

namespace sc {

namespace {

using Clock = std::chrono::steady_clock;

/// Two scratch files, and memory for some of their parts in each direction.
class MeasuredDisk {
 public:
  static constexpr std::int64_t part = std::int64_t{4} << 20;

  MeasuredDisk(const FileMemoryOptions& options, std::int64_t parts, std::int64_t near)
      : parts_(parts),
        near_(std::clamp<std::int64_t>(near / part, 1, parts)),
        memory_(options),
        arrays_{memory_.add("measurement", parts * part), memory_.add("measurement", parts * part)},
        in_(memory_.allocate(bytes_near())),
        out_(memory_.allocate(bytes_near())) {
    std::memset(in_.get(), 1, bytes_near());
    std::memset(out_.get(), 1, bytes_near());
    // A read of blocks that were never written does not access the disk, and their first write is slower.
    for (const std::size_t array : {0, 1})
      for (std::int64_t n = 0; n < parts_; ++n) {
        start(Way::out, array, n);
        wait();
      }
  }
  std::int64_t parts() const { return parts_; }
  void start(Way way, std::size_t array, std::int64_t n) {
    std::byte* near = (way == Way::in ? in_ : out_).get() + n % near_ * part;
    memory_.start(way, std::array{FarPart{arrays_[array], n * part, near, static_cast<std::size_t>(part)}});
  }
  /// Reads of the first array, and writes of the second one.
  void start_both() {
    for (std::int64_t n = 0; n < parts_; ++n) {
      start(Way::out, 1, n);
      start(Way::in, 0, n);
    }
  }
  void wait() {
    memory_.wait(Way::out);
    memory_.wait(Way::in);
  }

 private:
  std::size_t bytes_near() const { return static_cast<std::size_t>(near_ * part); }

  std::int64_t parts_, near_;  ///< in a file, in memory
  FileMemory memory_;
  std::array<int, 2> arrays_;
  FarMemory::Buffer in_, out_;
};

template <class Work>
double timed(const Work& work) {
  const auto begin = Clock::now();
  work();
  return std::max(std::chrono::duration<double>(Clock::now() - begin).count(), 1e-9);
}

}  // namespace

TransferRate measured_rate(const FileMemoryOptions& options, std::int64_t bytes, std::int64_t near) {
  MeasuredDisk disk(options, std::max<std::int64_t>(2, bytes / MeasuredDisk::part), near);
  const auto rate_of = [&](int ways, const auto& one) {
    const double seconds = timed([&] {
      for (std::int64_t n = 0; n < disk.parts(); ++n) {
        one(n);
        disk.wait();
      }
    });
    return ways * static_cast<double>(disk.parts() * MeasuredDisk::part) / seconds;
  };
  TransferRate rate;
  rate.write = rate_of(1, [&](std::int64_t n) { disk.start(Way::out, 0, n); });
  rate.read = rate_of(1, [&](std::int64_t n) { disk.start(Way::in, 0, n); });
  rate.both = rate_of(2, [&](std::int64_t n) {
    disk.start(Way::out, 1, n);
    disk.start(Way::in, 0, n);
  });
  return rate;
}

TransferRate link_rate(Device& device, std::int64_t bytes) {
  const auto count = static_cast<std::size_t>(bytes);
  const Device::Memory there = device.allocate(2 * count), here = device.pinned(2 * count);
  const auto to_device = [&] { device.copy(Stream::in, there.get(), here.get(), count); };
  const auto back = [&] { device.copy(Stream::out, here.get() + count, there.get() + count, count); };
  const auto rate_of = [&](int ways, const auto& start) {
    const double seconds = timed([&] {
      start();
      device.finish();
    });
    return ways * static_cast<double>(bytes) / seconds;
  };
  const auto both_ways = [&] {
    to_device();
    back();
  };
  rate_of(2, both_ways);  // the first copies also map the memory
  return {.read = rate_of(1, to_device), .write = rate_of(1, back), .both = rate_of(2, both_ways)};
}

double computing_share(const FileMemoryOptions& options, std::int64_t bytes,
                       const std::function<void(double)>& compute) {
  // All parts are started at once: as many as a file memory takes, in each direction.
  const std::int64_t parts = std::clamp<std::int64_t>(bytes / MeasuredDisk::part, 2, 32);
  MeasuredDisk disk(options, parts, std::min(bytes, most_near));
  disk.start_both();
  disk.wait();
  std::array<double, 3> shares{};
  for (double& share : shares) {
    const double alone = timed([&] {
      disk.start_both();
      disk.wait();
    });
    disk.start_both();
    const double computed = timed([&] { compute(alone); });
    const double left = timed([&] { disk.wait(); });  // what was not copied meanwhile, at full speed
    share = (alone - left) / computed;
  }
  std::ranges::sort(shares);
  return std::clamp(shares[1], 0.01, 1.0);
}

std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t size = 0, resident = 0;
  return file >> size >> resident ? resident * sysconf(_SC_PAGESIZE) : 0;
}

}  // namespace sc
