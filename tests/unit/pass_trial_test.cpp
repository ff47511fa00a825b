// SPDX-License-Identifier: Apache-2.0
// PassTrial: its choices for given times, and lengths that it does not try.
#include "engine/overlap/pass_trial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace {

using namespace sc;

/// Seconds of a step in passes of this length.
using Cost = std::function<double(int length)>;

/// Drives the trial for about so many steps, in whole passes; returns the longest one.
int drive(PassTrial& trial, int steps, const Cost& cost) {
  int longest = 0;
  while (steps > 0) {
    const int length = trial.length();
    if (trial.took(length, length * cost(length))) trial.end_turn(trial.seconds_a_step());
    longest = std::max(longest, length);
    steps -= length;
  }
  return longest;
}

TEST(PassTrial, ChoosesTheFastestLength) {
  for (const int best : {1, 2, 4, 8, 16}) {
    PassTrial trial(16);
    EXPECT_EQ(trial.length(), 1) << "single steps before anything is known";
    drive(trial, 500, [&](int length) { return length == best ? 0.5 : 0.8 + 0.01 * length; });
    EXPECT_FALSE(trial.trying());
    EXPECT_EQ(trial.length(), best) << trial.describe();
  }
}

TEST(PassTrial, StaysWithSingleStepsWherePassesGainNothing) {
  PassTrial trial(16);
  drive(trial, 500, [](int length) { return length == 1 ? 1.0 : 0.98; });
  EXPECT_EQ(trial.length(), 1);
  EXPECT_EQ(
      trial.describe(),
      "single steps were chosen: passes of 2 took 0.98, 4 took 0.98, 8 took 0.98, 16 took 0.98 of the time "
      "of single steps");
}

TEST(PassTrial, LuckInOneRoundIsNotEnough) {
  PassTrial trial(2);
  int turns = 0;
  while (turns < 6) {
    const int length = trial.length();
    // Slower by 4 %; but in one round another program doubles the time of single steps.
    const double seconds = length == 1 ? (turns == 2 ? 2.0 : 1.0) : 1.04;
    if (!trial.took(length, length * seconds)) continue;
    trial.end_turn(trial.seconds_a_step());
    ++turns;
  }
  EXPECT_FALSE(trial.trying());
  EXPECT_EQ(trial.length(), 1);
}

TEST(PassTrial, DoesNotTryLongerPassesThanTwoThatAreMuchSlower) {
  PassTrial trial(16);
  EXPECT_EQ(drive(trial, 500, [](int length) { return length > 2 ? 2.0 : 1.0 / length; }), 8);
  EXPECT_EQ(trial.length(), 2);
}

TEST(PassTrial, ADisturbedTurnDoesNotHideLongerPasses) {
  PassTrial trial(16);
  EXPECT_EQ(drive(trial, 500, [](int length) { return length == 2 ? 2.0 : 1.0 / length; }), 16);
  EXPECT_EQ(trial.length(), 16);
}

TEST(PassTrial, LeavesOutLengthsWhosePassesEndEarly) {
  PassTrial trial(16);
  for (int n = 0; n < 500; ++n) {
    const int length = std::min(trial.length(), 3);  // every third step needs a value
    if (trial.took(length, 1.0)) trial.end_turn(trial.seconds_a_step());
  }
  EXPECT_EQ(trial.length(), 2);
  EXPECT_EQ(trial.describe(),
            "passes of 2 steps were chosen: passes of 2 took 0.50 of the time of single steps, those of 4 "
            "end early");
}

TEST(PassTrial, WaitsForWhatElseIsTried) {
  PassTrial trial(4);
  for (int n = 0; n < 200; ++n) EXPECT_FALSE(trial.took(1, 1.0, true));
  EXPECT_FALSE(trial.trying());
  trial.took(1, 1.0);
  EXPECT_TRUE(trial.trying());
  for (int n = 0; n < 20; ++n) EXPECT_FALSE(trial.took(1, 1.0, true)) << "counts for nothing";
}

TEST(PassTrial, TriesAnewAfterTwoThousandSteps) {
  PassTrial trial(8);
  drive(trial, 400, [](int length) { return 1.0 / length; });
  EXPECT_EQ(trial.length(), 8);
  drive(trial, 2500, [](int length) { return 1.0 * length; });
  EXPECT_EQ(trial.length(), 1) << trial.describe();
}

}  // namespace
