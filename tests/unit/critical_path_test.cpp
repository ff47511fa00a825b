// SPDX-License-Identifier: Apache-2.0
// Critical paths of small graphs, against sums by hand.
#include "model/predict/critical_path.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <vector>

namespace sc::test {
namespace {

using model::Activity;
using model::critical_path;

Activity computing(double seconds, std::vector<int> after = {}) {
  return {.on = Activity::On::processor, .seconds = seconds, .after = std::move(after)};
}
Activity sending(double seconds, std::vector<int> after = {}) {
  return {.on = Activity::On::link, .seconds = seconds, .after = std::move(after)};
}

TEST(CriticalPath, NothingTakesNoTime) { EXPECT_EQ(critical_path(std::vector<Activity>{}), 0); }

TEST(CriticalPath, AChainIsASum) {
  EXPECT_DOUBLE_EQ(critical_path({computing(2), sending(3, {0}), computing(1, {1})}), 6);
}

TEST(CriticalPath, AShellIsFollowedByTheLongerOfCoreAndMessages) {
  EXPECT_DOUBLE_EQ(critical_path({computing(1), sending(3, {0}), computing(4), computing(0, {1, 2})}), 5);
  EXPECT_DOUBLE_EQ(critical_path({computing(1), sending(3, {0}), computing(2), computing(0, {1, 2})}), 4);
}

TEST(CriticalPath, OneLinkSendsOnePieceAtATime) {
  // Each piece after its own chunk; then both after both chunks.
  EXPECT_DOUBLE_EQ(critical_path({computing(1), computing(1), sending(3, {0}), sending(3, {1})}), 7);
  EXPECT_DOUBLE_EQ(critical_path({computing(1), computing(1), sending(3, {0, 1}), sending(3, {0, 1})}), 8);
}

TEST(CriticalPath, WhatFollowsTheLastPieceCounts) {
  EXPECT_DOUBLE_EQ(critical_path({sending(3), sending(3), computing(2, {0}), computing(2, {1})}), 8);
  // One chunk follows both pieces.
  EXPECT_DOUBLE_EQ(critical_path({sending(3), sending(3), computing(4, {0, 1})}), 10);
}

TEST(CriticalPath, OneProcessorComputesWhatComesBeforeAPiece) {
  EXPECT_DOUBLE_EQ(critical_path({computing(1), computing(1), sending(3, {0, 1})}), 5);
}

TEST(CriticalPath, OneProcessorComputesWhatComesAfterAPiece) {
  EXPECT_DOUBLE_EQ(critical_path({sending(3), computing(1, {0}), computing(1, {0})}), 5);
}

// The pieces need 3 + 3, the chunks 1 + 1 + 5; but the long chunk needs the second chunk's piece, which then
// comes first.
TEST(CriticalPath, AChainMayBindMoreThanAResource) {
  EXPECT_DOUBLE_EQ(
      critical_path({computing(1), computing(1), sending(3, {0}), sending(3, {1}), computing(5, {3})}), 9);
}

// What is before the last two comes by several paths, and counts once: 1 + 2 + 3 are computed before the end.
TEST(CriticalPath, WhatComesByTwoPathsCountsOnce) {
  EXPECT_DOUBLE_EQ(critical_path({computing(1), computing(2, {0}), computing(3, {0}), computing(0, {1, 2})}),
                   6);
  EXPECT_DOUBLE_EQ(critical_path({computing(1), sending(1, {0}), computing(2, {0}), computing(3, {0, 1}),
                                  sending(5, {2, 3})}),
                   11);
}

long peak_kib() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss;
}

// A chain in which some also wait for the one before the last: a bit for each pair would be 2400 MiB.
TEST(CriticalPath, MemoryGrowsWithTheEdgesAlone) {
  constexpr int count = 200'000;
  std::vector<Activity> all{computing(1)};
  for (int n = 1; n < count; ++n) {
    all.push_back(n % 2 == 0 ? computing(1, {n - 1}) : sending(0.5, {n - 1}));
    if (n % 50'000 == 0) all.back().after.push_back(n - 2);
  }
  const long before = peak_kib();
  EXPECT_DOUBLE_EQ(critical_path(all), 0.75 * count);
  EXPECT_LT(peak_kib() - before, 400 * 1024);
}

}  // namespace
}  // namespace sc::test
