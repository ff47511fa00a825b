// SPDX-License-Identifier: Apache-2.0
// The account of a movement: which runs are samples, M computed from them, and nested spans.
#include "engine/base/account.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "engine/base/timeline.hpp"

namespace sc::test {
namespace {

using Kind = Sampled::Kind;

TEST(Account, SamplesComeFirstAndThenNowAndThen) {
  Sampled sampled;
  Account account;
  std::vector<int> samples;
  for (int run = 0; run < 22; ++run) {
    const bool sample = sampled.due({.first = 2, .every = 10});
    if (sample) samples.push_back(run);
    sampled.ran(sample ? Kind::sample : Kind::overlapped, {1, 0}, account);
  }
  EXPECT_EQ(samples, (std::vector{2, 3, 10, 20}));
  Sampled none;
  for (int run = 0; run < 100; ++run) {
    EXPECT_FALSE(none.due({.first = 0, .every = 0}));
    none.ran(Kind::overlapped, {1, 0}, account);
  }
}

TEST(Account, MIsTheMeanOfTheSamplesTimesAllRuns) {
  Sampled sampled;
  Account account;
  sampled.ran(Kind::overlapped, {0.25, 2}, account);
  sampled.ran(Kind::overlapped, {0.5, 2}, account);
  EXPECT_EQ(account.measured, 0);
  EXPECT_DOUBLE_EQ(account.apart, 0.75);  // their own times are used until a sample is known
  sampled.ran(Kind::sample, {3, 1}, account);
  EXPECT_EQ(account.measured, 1);
  EXPECT_DOUBLE_EQ(account.apart, 9);
  EXPECT_DOUBLE_EQ(account.hideable, 6);  // the sample does not overlap, on purpose
  EXPECT_DOUBLE_EQ(account.core_apart, 3);
  sampled.ran(Kind::overlapped, {0, 0}, account);
  EXPECT_DOUBLE_EQ(account.apart, 12);
  EXPECT_DOUBLE_EQ(account.hideable, 9);
  // A ledger opened now still knows M of later runs.
  const Account opened = account;
  sampled.ran(Kind::overlapped, {0, 0}, account);
  EXPECT_EQ((account - opened).measured, 1);
  EXPECT_DOUBLE_EQ((account - opened).apart, 3);
}

TEST(Account, OfRunsThatOverlapNothingEveryOneCounts) {
  Sampled sampled;
  Account account;
  for (const double seconds : {1.0, 2.0, 4.0}) sampled.ran(Kind::plain, {seconds, 1}, account);
  EXPECT_DOUBLE_EQ(account.apart, 7);
  EXPECT_DOUBLE_EQ(account.hideable, 7);
}

TEST(Account, WhatASpanEnclosesCountsOnce) {
  Timeline timeline;
  const std::uint16_t outer = timeline.name("outer"), inner = timeline.name("files in", Resource::files);
  const double begin = timeline.now();
  {
    const Scope scope(timeline, outer, Phase::all);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const Scope within(timeline, inner, Phase::wait);
    std::this_thread::sleep_for(std::chrono::milliseconds(4));
  }
  const double passed = timeline.now() - begin;
  const double computed = timeline.total(outer, Phase::all).seconds;
  const double waited = timeline.total(Resource::files, Phase::wait).seconds;
  EXPECT_GE(waited, 4e-3);
  EXPECT_GE(computed, 1.9e-3);
  EXPECT_LE(computed + waited, passed);
  EXPECT_EQ(timeline.total(Resource::messages, Phase::wait).seconds, 0);
  EXPECT_NEAR(timeline.total_seconds(), computed + waited, 1e-12);
}

}  // namespace
}  // namespace sc::test
