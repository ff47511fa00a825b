// SPDX-License-Identifier: Apache-2.0
// Common parts of the tests of scratch files: a folder on a disk, I/O modes, and counters of the kernel.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "engine/move/stream/file_memory.hpp"
#include "engine/move/stream/slab_stream.hpp"

namespace sc::test {

/// On the disk of the build tree, because /tmp is often in memory.
class ScratchFolder {
 public:
  ScratchFolder() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(info->test_suite_name()) + "." + info->name();
    for (char& c : name) c = c == '/' ? '-' : c;
    path_ = std::filesystem::current_path() / ("scratch-" + std::to_string(getpid()) + "-" + name);
    std::filesystem::remove_all(path_);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  std::string path() const { return path_.string(); }
  std::size_t entries() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::recursive_directory_iterator(path_)) ++count;
    return count;
  }

 private:
  std::filesystem::path path_;
};

struct Way3 {
  const char* name;
  IoMode io;
  bool one_by_one = false;
  int ahead(const FarMemory& memory, std::size_t slot_bytes) const {
    return one_by_one ? 0 : memory.batches_ahead(slot_bytes);
  }
};
inline constexpr Way3 ways[] = {{"async", IoMode::automatic},
                                {"sqpoll", IoMode::sqpoll},
                                {"threads", IoMode::threads},
                                {"blocking", IoMode::blocking},
                                {"sync", IoMode::blocking, true}};

/// A ring has three slots of this size.
inline constexpr std::size_t large_slot = std::size_t{4} << 20;

/// A number of /proc/self/io.
inline long long counted(const std::string& key) {
  std::ifstream in("/proc/self/io");
  for (std::string word; in >> word;)
    if (word == key + ":") {
      long long value = 0;
      in >> value;
      return value;
    }
  return -1;
}

struct DiskBytes {
  long long read, written;  // negative: this kernel does not count
};

/// What the kernel counted for this process in one call of `round`: the least of three calls, because pages
/// of the program and of the file system that are read for the first time are counted too, whenever that
/// happens.
template <class Round>
DiskBytes least_disk_bytes(const Round& round) {
  const auto now = [] { return DiskBytes{counted("read_bytes"), counted("write_bytes")}; };
  if (now().read < 0) return {-1, -1};
  DiskBytes least{std::numeric_limits<long long>::max(), std::numeric_limits<long long>::max()};
  for (int n = 0; n < 3; ++n) {
    const DiskBytes before = now();
    round();
    const DiskBytes after = now();
    least = {std::min(least.read, after.read - before.read),
             std::min(least.written, after.written - before.written)};
  }
  return least;
}

}  // namespace sc::test
