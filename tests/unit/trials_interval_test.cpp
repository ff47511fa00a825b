// SPDX-License-Identifier: Apache-2.0
// The third round of trials: intervals of progress calls under the chosen strategy, with artificial times.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "engine/overlap/trials.hpp"
#include "tests/unit/trial_program.hpp"

namespace sc::test {
namespace {

/// The fastest strategy takes 1 s, others 0.2 s more; other intervals than the fastest one take 0.05 s more.
Times best_at(const Program& program, const Strategy& fastest, double interval) {
  return [&, interval](int, int, const Strategy& s) {
    return (s == fastest ? 1.0 : 1.2) + (s.overlaps && program.poke != interval ? 0.05 : 0.0);
  };
}

TEST(TrialsOfIntervals, ChooseTheFastestAndCostLittle) {
  for (const Strategy* fastest : {&Strategy::boundary_first, &Strategy::interior_first})
    for (const double interval : {0.25, 1.0, 4.0}) {
      Program program(3);
      program.add(usual, true, 2, true);
      const double spent = program.run(200, best_at(program, *fastest, interval));
      EXPECT_EQ(program.chosen(), fastest->name) << interval;
      EXPECT_EQ(program.ranks[0].chosen_poke(0), interval);
      EXPECT_EQ(program.poke, interval) << "the last run has the chosen interval";
      EXPECT_EQ(program.ranks[0].trials(), 1);
      EXPECT_LE(program.ranks[0].steps_tried(), 41);
      EXPECT_LE(spent, 1.035 * 400);
    }
}

TEST(TrialsOfIntervals, AreMadeOnlyWhereTheChoiceMakesProgressCalls) {
  for (const auto& [fastest, pokes] : {std::pair{&Strategy::blocking, true},
                                       {&Strategy::halo_thread, true},
                                       {&Strategy::boundary_first, false}}) {
    Program program;
    program.add(usual, true, 1, pokes);
    program.run(200, best_at(program, *fastest, 4));
    EXPECT_EQ(program.chosen(), fastest->name);
    EXPECT_EQ(program.of_other_intervals[0], 0) << fastest->name;
    EXPECT_EQ(program.ranks[0].chosen_poke(0), 0);
  }
}

// Of several kinds some choose blocking; all have the way of exchanging halos that was chosen.
TEST(TrialsOfIntervals, AreMadeForEachKindInTheWayThatWasChosen) {
  for (const bool eager : {false, true}) {
    const Strategy& fastest = eager ? Strategy::pipelined : Strategy::interior_first;
    Program program(2);
    program.add(usual, true, 1, true);
    program.add({&Strategy::blocking, &Strategy::boundary_first, &Strategy::interior_first}, true, 1, true);
    program.add(usual, false, 1, true);
    std::optional<bool> before;
    int changes = 0;
    program.run(200, [&](int, int kind, const Strategy& s) {
      if (kind == 0) {
        changes += before && *before != s.eager ? 1 : 0;
        before = s.eager;
      }
      if (kind == 1) return s == Strategy::blocking ? 1.0 : eager ? 1.5 : 1.2;
      const double away = kind == 0 ? 4 : 0.25;
      return (s == fastest ? 2.0 : 2.6) + (s.overlaps && program.poke != away ? 0.2 : 0.0);
    });
    EXPECT_EQ(program.chosen(0), fastest.name);
    EXPECT_EQ(program.ranks[0].chosen_poke(0), 4);
    EXPECT_EQ(program.ranks[0].chosen_poke(2), 0.25) << "its halos are exchanged by itself";
    EXPECT_EQ(program.of_other_intervals[1] > 0, !eager) << program.chosen(1);
    EXPECT_LE(changes, 2 * 4) << "both ranks";
  }
}

// All intervals take the same time, and steps scatter by 8 %.
TEST(TrialsOfIntervals, KeepTheGivenOneWhereStepsScatter) {
  std::uint64_t state = 1;
  const auto random = [&] {  // 0 to 1
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 40) / (1 << 24);
  };
  int kept = 0;
  for (int n = 0; n < 100; ++n) {
    Program program;
    program.add(usual, true, 1, true);
    program.run(60, [&](int, int, const Strategy& s) {
      return (s == Strategy::boundary_first ? 0.7 : 1.0) * (1 + 0.08 * random());
    });
    EXPECT_EQ(program.chosen(), "boundary_first");
    kept += program.ranks[0].chosen_poke(0) == 1 ? 1 : 0;
  }
  EXPECT_GE(kept, 80);
}

// The slowest rank counts, as for strategies.
TEST(TrialsOfIntervals, AreAgreedOnByAllRanks) {
  Program program(3);
  program.add(usual, true, 1, true);
  program.run(100, [&](int rank, int, const Strategy& s) {
    const double slow = rank == 2 && program.poke == 0.25 ? 0.5 : 0.0;
    return (s == Strategy::boundary_first ? 1.0 : 1.3) + slow - (program.poke < 1 ? 0.2 : 0.0);
  });
  EXPECT_EQ(program.ranks[0].chosen_poke(0), 1);
}

// A later trial begins with the program's interval again.
TEST(TrialsOfIntervals, AreRepeatedWithTheTrial) {
  Program program(1, {.again = 300});
  program.add(usual, true, 1, true);
  double interval = 4;
  const Times times = [&](int rank, int kind, const Strategy& s) {
    return best_at(program, Strategy::boundary_first, interval)(rank, kind, s);
  };
  program.run(200, times);
  EXPECT_EQ(program.ranks[0].chosen_poke(0), 4);
  const int once = program.ranks[0].steps_tried();
  interval = 0.25;
  program.run(200, times);
  EXPECT_EQ(program.ranks[0].trials(), 2);
  EXPECT_EQ(program.ranks[0].chosen_poke(0), 0.25);
  EXPECT_EQ(program.chosen(), "boundary_first");
  EXPECT_EQ(program.ranks[0].steps_tried(), 2 * once);
}

// It runs once or twice during the trial of the others, whose intervals are compared.
TEST(TrialsOfIntervals, LeaveTheChoiceToWhatRunsRarely) {
  for (const int phase : {0, 7, 19}) {
    Program program;
    program.add(usual, true, 1, true);
    program.add(usual, true, 0, true);
    const Times times = [&](int, int kind, const Strategy& s) {
      if (kind == 1) return s == Strategy::pipelined ? 1.0 : 1.5;
      return best_at(program, Strategy::boundary_first, 4)(0, 0, s);
    };
    for (int n = 0; n < 500; ++n) {
      program.step(times);
      if (n % 20 == phase) program.one(1, times);
    }
    EXPECT_EQ(program.ranks[0].chosen_poke(0), 4);
    EXPECT_EQ(program.chosen(1), "pipelined") << phase;
  }
}

}  // namespace
}  // namespace sc::test
