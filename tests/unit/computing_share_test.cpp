// SPDX-License-Identifier: Apache-2.0
// What is measured of a disk: its speed, and the share of it that is left while cores compute.
#include "engine/move/stream/rate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <utility>

namespace sc::test {
namespace {

// A disk that needs a known time, and no processor, has all of its speed.
TEST(ComputingShare, IsAllOfADiskThatGoesOn) {
  const std::string folder = testing::TempDir() + "computing_share";
  std::filesystem::create_directories(folder);
  FileMemoryOptions options{.folder = folder};
  options.most_bytes_per_second = 100e6;
  double asked = 0;
  const double share = computing_share(options, std::int64_t{8} << 20, [&](double seconds) {
    asked = seconds;
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  });
  EXPECT_GE(asked, double{8 << 20} / 100e6) << "for as long as the copies take";
  EXPECT_GT(share, 0.7);
  std::filesystem::remove_all(folder);
}

// The first write of a block is slower than those of a run, and a block that was never written is not read.
TEST(DiskRate, IsThatOfBlocksThatWereWritten) {
  const std::string folder = testing::TempDir() + "measured_rate";
  std::filesystem::create_directories(folder);
  std::map<std::pair<int, std::int64_t>, int> writes;
  bool unwritten = false;
  const TransferRate rate = measured_rate({.folder = folder,
                                           .outcome =
                                               [&](const FileRequest& r, std::int64_t result) {
                                                 int& count = writes[{r.file, r.offset}];
                                                 if (r.write)
                                                   ++count;
                                                 else
                                                   unwritten = unwritten || count == 0;
                                                 return result;
                                               }},
                                          std::int64_t{16} << 20);
  EXPECT_GT(std::min({rate.read, rate.write, rate.both}), 0);
  EXPECT_FALSE(unwritten);
  EXPECT_EQ(writes.size(), 8U) << "of two files";
  for (const auto& [block, count] : writes) EXPECT_EQ(count, 2);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace sc::test
