// SPDX-License-Identifier: Apache-2.0
// optimise: no
// What a measurement of the rate of a disk, or of the link to a device, copies.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "engine/exec/emulated_device.hpp"
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

// A link of given speed is never found to be faster, however busy this machine is.
TEST(LinkRate, IsThatOfTheLinkInEachDirection) {
  constexpr double speed = 100e6;
  const auto device = std::make_shared<EmulatedDevice>(EmulatedOptions{.link_bytes_per_second = speed});
  const TransferRate rate = link_rate(*device, mebibyte);
  for (const double one : {rate.read, rate.write, rate.both / 2}) {
    EXPECT_LE(one, 1.01 * speed);
    EXPECT_GT(one, 0);
  }
  EXPECT_GT(rate.seconds(mebibyte, 0), 0.99 * mebibyte / speed);
  EXPECT_GT(rate.seconds(mebibyte, mebibyte), 0.99 * mebibyte / speed);
}

}  // namespace
}  // namespace sc::test
