// SPDX-License-Identifier: Apache-2.0
// optimise: no
// The memory that a measurement of the disk's rate copies to and from.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "engine/move/stream/rate.hpp"

namespace sc::test {
namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

/// Addresses of the requests of a measurement of 16 MiB, in one direction.
std::size_t places(std::int64_t near, bool write) {
  const std::string folder = testing::TempDir() + "disk_rate_test";
  std::filesystem::create_directories(folder);
  std::set<const std::byte*> found;
  FileMemoryOptions options{.folder = folder, .mode = IoMode::blocking};
  options.outcome = [&](const FileRequest& request, std::int64_t result) {
    if (request.write == write) found.insert(request.data);
    return result;
  };
  measured_rate(options, 16 * mebibyte, near);
  std::filesystem::remove_all(folder);
  return found.size();
}

// Copies to memory that stays in the caches would be faster than those of a run.
TEST(DiskRate, IsMeasuredWithMemoryInTurn) {
  for (const bool write : {false, true}) {
    EXPECT_EQ(places(most_near, write), 4U) << "parts of 4 MiB";
    EXPECT_EQ(places(8 * mebibyte, write), 2U);
    EXPECT_EQ(places(mebibyte, write), 1U) << "less than a part";
  }
}

}  // namespace
}  // namespace sc::test
