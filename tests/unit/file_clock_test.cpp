// SPDX-License-Identifier: Apache-2.0
// FileClock: reads and writes that share a disk, against times by hand.
#include "model/predict/file_clock.hpp"

#include <gtest/gtest.h>

namespace sc::test {
namespace {

using model::FileClock;

constexpr RehearsedCopy begins(bool in, std::int64_t batch, std::int64_t bytes) {
  return {.in = in, .begins = true, .batch = batch, .bytes = bytes};
}
constexpr RehearsedCopy ends(bool in, std::int64_t batch) {
  return {.in = in, .begins = false, .batch = batch};
}

// 2 s a byte to read, 3 s to write.
TEST(FileClock, DirectionsAreIndependentUnlessTheyShareTheDisk) {
  FileClock clock({.read = 2, .written = 3});
  EXPECT_EQ(clock.after(begins(true, 0, 10), 0), 0);
  EXPECT_EQ(clock.after(begins(false, 0, 10), 5), 5);
  EXPECT_EQ(clock.after(begins(true, 1, 1), 6), 6);
  EXPECT_DOUBLE_EQ(clock.after(ends(true, 1), 7), 22);
  EXPECT_DOUBLE_EQ(clock.after(ends(true, 0), 22), 22);
  EXPECT_DOUBLE_EQ(clock.after(ends(false, 0), 22), 35);
  EXPECT_DOUBLE_EQ(clock.after(ends(false, 7), 40), 40);  // began before this clock
  EXPECT_DOUBLE_EQ(clock.busy(), 30);
}

// Both at once: 1/2 + 1/3 of a byte a second become 5/12, so each takes twice its time.
TEST(FileClock, ACopyIsSlowerWhileTheOtherDirectionIsBusy) {
  FileClock clock({.read = 2, .written = 3, .both = 12.0 / 5});
  clock.after(begins(true, 0, 10), 0);   // 5 s alone
  clock.after(begins(false, 0, 10), 5);  // 15 s of reading are left: 30 s together
  EXPECT_DOUBLE_EQ(clock.after(ends(true, 0), 6), 35);
  EXPECT_DOUBLE_EQ(clock.after(ends(false, 0), 35), 50);  // 15 of its 30 s are left, alone
  EXPECT_DOUBLE_EQ(clock.busy(), 2 * 20 + 10);
}

// Half of the rate is left until an event, since the rank computes; a rank that waits has all of it.
TEST(FileClock, CopiesAreSlowerWhileTheRankComputes) {
  FileClock clock({.read = 2, .written = 3, .both = 12.0 / 5, .computing = 0.5});
  clock.after(begins(true, 0, 10), 0);
  EXPECT_DOUBLE_EQ(clock.after(ends(true, 0), 10), 25) << "15 of 20 s are left after 10";
  clock.after(begins(true, 1, 10), 30);
  EXPECT_DOUBLE_EQ(clock.after(ends(true, 1), 80), 80) << "it has ended at 70";
  clock.after(begins(true, 2, 10), 100);
  clock.after(begins(false, 2, 10),
              100);  // together each takes twice its time, and while computing four times
  EXPECT_DOUBLE_EQ(clock.after(ends(true, 2), 120), 100 + 20 + 2 * (20 - 5));
  EXPECT_DOUBLE_EQ(clock.after(ends(false, 2), 150), 150 + 30 - 20) << "5 s by then, 15 s while waiting";
  EXPECT_DOUBLE_EQ(clock.busy(), 60 + 30) << "it may wait all the time";
}

// Each takes three times its time while both are busy: one after the other is the fastest.
TEST(FileClock, ADiskIsBusyForTheFastestOrder) {
  FileClock clock({.read = 2, .written = 3, .both = 3 * 6.0 / 5});
  clock.after(begins(true, 0, 10), 0);
  EXPECT_DOUBLE_EQ(clock.after(ends(true, 0), 0), 20);
  clock.after(begins(false, 0, 10), 20);
  EXPECT_DOUBLE_EQ(clock.after(ends(false, 0), 20), 50);
  EXPECT_DOUBLE_EQ(clock.busy(), 50);
}

TEST(FileClock, WithoutADiskNothingIsAwaited) {
  FileClock clock({});
  clock.after(begins(true, 0, 10), 1);
  EXPECT_EQ(clock.after(ends(true, 0), 2), 2);
  EXPECT_EQ(clock.busy(), 0);
}

}  // namespace
}  // namespace sc::test
