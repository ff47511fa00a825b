// SPDX-License-Identifier: Apache-2.0
// RowTrial: its choices for given times.
#include "engine/exec/row_trial.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sc;

constexpr std::int64_t own = 1000;

/// One run of a stage in two parts, as shell and core.
void run(RowTrial& trial, double plainly, double much) {
  const double seconds = trial.much() ? much : plainly;
  trial.took(own / 4, own, 0.25 * seconds);
  trial.took(own - own / 4, own, 0.75 * seconds);
}

void runs(RowTrial& trial, int count, double plainly, double much) {
  for (int n = 0; n < count; ++n) run(trial, plainly, much);
}

TEST(RowTrial, TakesWhatItsTurnsFoundTheFaster) {
  for (const bool faster : {false, true}) {
    RowTrial trial;
    EXPECT_FALSE(trial.much()) << "the first turn is the plain one";
    runs(trial, RowTrial::first_runs, 1.0, faster ? 0.8 : 1.2);
    EXPECT_FALSE(trial.trying());
    EXPECT_EQ(trial.much(), faster);
  }
}

TEST(RowTrial, StaysWithThePlainOrderWhereTheOtherIsHardlyFaster) {
  RowTrial trial;
  runs(trial, RowTrial::first_runs, 1.0, 0.99);
  EXPECT_FALSE(trial.much());
}

TEST(RowTrial, FirstRunsOfATurnDoNotCount) {
  RowTrial trial;
  // Cache contents of the other turn make the first run of each turn ten times slower.
  while (trial.trying()) {
    run(trial, 10.0, 1.0);
    run(trial, 1.0, 2.0);
  }
  EXPECT_FALSE(trial.much());
}

/// One pair of turns.
void pair(RowTrial& trial, double plainly, double much) { runs(trial, 4, plainly, much); }

TEST(RowTrial, LuckInOneRunDoesNotMakeTheSlowerOrderTheFaster) {
  RowTrial trial;
  // As measured: slower by 5 %, but another program doubled the time of plain runs in one pair.
  pair(trial, 1.0, 1.05);
  pair(trial, 2.0, 1.05);
  while (trial.trying()) pair(trial, 1.0, 1.05);
  EXPECT_FALSE(trial.much());
}

TEST(RowTrial, OneDisturbedRunDoesNotHideTheFasterOrder) {
  RowTrial trial;
  pair(trial, 1.0, 0.8);
  pair(trial, 1.0, 3.0);
  while (trial.trying()) pair(trial, 1.0, 0.8);
  EXPECT_TRUE(trial.much());
}

TEST(RowTrial, EndsAsSoonAsTheOtherOrderHasLostTwice) {
  RowTrial trial;
  pair(trial, 1.0, 1.1);
  EXPECT_TRUE(trial.trying());
  pair(trial, 1.0, 1.1);
  EXPECT_FALSE(trial.trying());
  EXPECT_FALSE(trial.much());
}

TEST(RowTrial, TriesAnewAfterAThousandRuns) {
  RowTrial trial;
  runs(trial, RowTrial::first_runs, 1.0, 0.5);
  EXPECT_TRUE(trial.much());
  int runs_until = RowTrial::first_runs;
  for (; !trial.trying(); ++runs_until) run(trial, 1.0, 0.5);
  EXPECT_EQ(runs_until, 1000);
  runs(trial, RowTrial::first_runs, 1.0, 2.0);
  EXPECT_FALSE(trial.much());
}

}  // namespace
