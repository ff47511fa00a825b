// SPDX-License-Identifier: Apache-2.0
// Common parts of the tests of scratch files: a folder on a disk, I/O modes, and counters of the kernel.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
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
  SlabStream::Mode mode;
};
inline constexpr Way3 ways[] = {{"async", IoMode::automatic, SlabStream::Mode::ring},
                                {"spare_core", IoMode::spare_core, SlabStream::Mode::ring},
                                {"threads", IoMode::threads, SlabStream::Mode::ring},
                                {"blocking", IoMode::blocking, SlabStream::Mode::ring},
                                {"sync", IoMode::blocking, SlabStream::Mode::one_by_one}};

/// A ring has three slots of this size.
inline constexpr std::size_t large_slot = std::size_t{4} << 20;

/// A number of /proc/self/io or /proc/self/status.
inline long long counted(const char* file, const std::string& key) {
  std::ifstream in(file);
  for (std::string word; in >> word;)
    if (word == key + ":") {
      long long value = 0;
      in >> value;
      return value;
    }
  return -1;
}

}  // namespace sc::test
