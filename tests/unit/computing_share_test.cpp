// SPDX-License-Identifier: Apache-2.0
// The share of a disk's speed that is left while cores compute.
#include "engine/move/stream/rate.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

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

}  // namespace
}  // namespace sc::test
