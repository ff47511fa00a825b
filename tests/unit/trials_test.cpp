// SPDX-License-Identifier: Apache-2.0
// optimise: no
// Trials on ranks in one program, with artificial times: what is tried, when, and what is chosen.
#include "engine/overlap/trials.hpp"

#include <gtest/gtest.h>

#include "tests/unit/trial_program.hpp"

namespace sc::test {
namespace {

TEST(Trials, ChooseTheFastestAndCostLittle) {
  for (const Strategy* fastest : usual) {
    Program program;
    program.add();
    const double spent =
        program.run(200, [&](int, int, const Strategy& s) { return s == *fastest ? 1.0 : 1.2; });
    EXPECT_EQ(program.chosen(), fastest->name);
    EXPECT_EQ(program.ranks[0].trials(), 1);
    EXPECT_LE(spent, 1.015 * 200) << fastest->name;
    for (const Strategy* s : usual)
      EXPECT_LE((program.under[{0, std::string(s->name)}]), s == fastest ? 200 : 8) << s->name;
  }
}

// Gains below 2 % cannot be seen in a few steps: blocking, the simplest, is chosen.
TEST(Trials, TakeBlockingWhereHardlyAnythingIsGained) {
  for (const Strategy* fastest :
       {&Strategy::boundary_first, &Strategy::pipelined, &Strategy::interior_first}) {
    for (const double seconds : {0.985, 0.975}) {
      Program program;
      program.add();
      program.add(usual, false);
      program.run(60, [&](int, int, const Strategy& s) { return s == *fastest ? seconds : 1.0; });
      const std::string_view expected = seconds < 0.98 ? fastest->name : Strategy::blocking.name;
      EXPECT_EQ(program.chosen(0), expected);
      EXPECT_EQ(program.chosen(1), expected);
    }
  }
}

// All take the same time, and steps scatter by 8 %: the smallest of four medians of five is below the others.
TEST(Trials, TakeBlockingWhereStepsScatter) {
  std::uint64_t state = 1;
  const auto random = [&] {  // 0 to 1
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 40) / (1 << 24);
  };
  int plain = 0;
  for (int n = 0; n < 100; ++n) {
    Program program;
    program.add();
    program.run(60, [&](int, int, const Strategy&) { return 1 + 0.08 * random(); });
    plain += program.chosen() == Strategy::blocking.name ? 1 : 0;
  }
  EXPECT_GE(plain, 85);
  int hiding = 0;
  for (int n = 0; n < 100; ++n) {
    Program program;
    program.add();
    const Times times = [&](int, int, const Strategy& s) {
      return (s == Strategy::boundary_first ? 0.9 : 1.0) * (1 + 0.08 * random());
    };
    program.run(60, times);
    hiding += program.chosen() == Strategy::boundary_first.name ? 1 : 0;
  }
  EXPECT_GE(hiding, 85);
}

// ordered overlaps nothing either, but must gain on blocking as the others do.
TEST(Trials, CompareOrderedWithBlocking) {
  Candidates both = usual;
  both.insert(both.begin() + 1, &Strategy::ordered);
  for (const double seconds : {0.9, 0.99, 1.01}) {
    Program program;
    program.add(both);
    program.add(both, false);
    program.run(80, [&](int, int, const Strategy& s) {
      return s == Strategy::blocking ? 1.0 : s == Strategy::ordered ? seconds : 1.2;
    });
    for (const int kind : {0, 1}) {
      EXPECT_EQ(program.chosen(kind), seconds < 0.95 ? "ordered" : "blocking") << seconds;
      EXPECT_NEAR(program.ranks[0].known(kind).blocking, 1.0, 1e-9) << seconds;
    }
  }
}

TEST(Trials, LeaveOutAfterOneRoundWhatIsMuchSlower) {
  Program program;
  program.add();
  const double spent = program.run(200, [](int, int, const Strategy& s) {
    return s == Strategy::pipelined ? 1.0 : s == Strategy::boundary_first ? 1.1 : 3.0;
  });
  EXPECT_EQ(program.chosen(), "pipelined");
  EXPECT_EQ((program.under[{0, "blocking"}]), 2);
  EXPECT_LE((program.under[{0, "interior_first"}]) + (program.under[{0, "halo_thread"}]), 5);
  EXPECT_LE(spent, 1.11 * 200);
}

// A sends eagerly what B reads, or B exchanges it: separately, A would look best without sending.
TEST(Trials, JudgeTogetherWhatFeedsEachOther) {
  for (const bool eager_pays : {true, false}) {
    Program program;
    program.add();
    program.add();
    const Times times = [&](int, int kind, const Strategy& s) {
      if (kind == 0) return s.eager ? 14.0 : 10.0;
      return s.eager ? 10.0 : eager_pays ? 17.0 : 12.0;
    };
    program.run(60, times);
    for (const int kind : {0, 1}) {
      const auto chosen = Strategy::of(program.chosen(kind));
      EXPECT_EQ(chosen.eager, eager_pays) << kind;
    }
  }
}

TEST(Trials, ChooseForEachKindAmongThoseThatAreEager) {
  Program program;
  program.add();
  program.add(usual, true, 4);
  program.run(60, [](int, int kind, const Strategy& s) {
    if (!s.eager) return kind == 0 ? 11.0 : 3.0;
    if (kind == 0) return s == Strategy::pipelined ? 8.0 : 10.0;
    return s == Strategy::blocking ? 1.0 : 2.0;
  });
  EXPECT_EQ(program.chosen(0), "pipelined");
  EXPECT_EQ(program.chosen(1), "blocking");
}

// Four ranks, for each of which another strategy is the fastest; the slowest rank counts.
TEST(Trials, AgreeOnAllRanks) {
  Program program(4);
  program.add();
  program.add({&Strategy::blocking, &Strategy::interior_first}, false);
  const Times times = [](int rank, int kind, const Strategy& s) {
    if (kind == 1) return s == Strategy::blocking ? 2.0 : rank == 3 ? 2.5 : 1.0;
    return s == *usual[static_cast<std::size_t>(rank)] ? 1.0 : s == Strategy::halo_thread ? 1.1 : 1.25;
  };
  program.run(80, times);
  EXPECT_EQ(program.chosen(0), "halo_thread");
  EXPECT_EQ(program.chosen(1), "blocking");
}

// The first run after a change of the way of exchanging both receives and sends.
TEST(Trials, CountNoRunThatFindsHalosAsTheOtherWayLeftThem) {
  Program program;
  program.add();
  bool before = true;
  program.run(60, [&](int, int, const Strategy& s) {
    const double seconds = s.eager != before ? 100.0 : s == Strategy::interior_first ? 1.0 : 1.05;
    before = s.eager;
    return seconds;
  });
  EXPECT_EQ(program.chosen(), "interior_first");
}

// Every other run of a kind takes longer, before and after another stage, under every strategy.
TEST(Trials, ShareOutRunsThatDiffer) {
  for (const Strategy* fastest : {&Strategy::interior_first, &Strategy::halo_thread}) {
    Program program;
    program.add({&Strategy::interior_first, &Strategy::halo_thread}, true, 2);
    int run = 0;
    program.run(60, [&](int, int, const Strategy& s) {
      return (run++ % 2 == 0 ? 1.0 : 2.0) + (s == *fastest ? 0.0 : 0.1);
    });
    EXPECT_EQ(program.chosen(), fastest->name);
  }
}

TEST(Trials, TryNothingWhereThereIsOneWay) {
  Program program;
  program.add({&Strategy::blocking});
  program.run(300, [](int, int, const Strategy&) { return 1.0; });
  EXPECT_EQ(program.ranks[0].trials(), 0);
  EXPECT_EQ(program.ranks[0].steps_tried(), 0);
  EXPECT_TRUE(program.largest.empty());
}

TEST(Trials, TryAgainWhenTimesDrift) {
  Program program(2);
  program.add();
  const Times calm = [](int, int, const Strategy& s) { return s == Strategy::blocking ? 1.0 : 1.05; };
  const Times slow = [](int rank, int, const Strategy& s) {
    return s == Strategy::blocking && rank == 1 ? 2.0 : 1.05;
  };
  program.run(400, calm);
  EXPECT_EQ(program.chosen(), "blocking");
  EXPECT_EQ(program.ranks[0].trials(), 1);
  program.run(200, slow);
  EXPECT_NE(program.chosen(), "blocking");
  EXPECT_EQ(program.ranks[0].trials(), 2);
  EXPECT_GT(program.ranks[1].known(0).blocking, 1.9);
}

TEST(Trials, TryAgainNowAndThen) {
  Program program(1, {.again = 300});
  program.add();
  program.run(1000, [](int, int, const Strategy&) { return 1.0; });
  EXPECT_EQ(program.ranks[0].trials(), 4);
}

TEST(Trials, DoNotGoOnTryingWhereTimesAreRestless) {
  Program program;
  program.add();
  int run = 0;
  program.run(1000, [&](int, int, const Strategy&) { return run++ / 40 % 2 == 0 ? 1.0 : 1.6; });
  EXPECT_LE(program.ranks[0].trials(), 5);
}

TEST(Trials, ChooseForWhatComesLater) {
  for (const bool often : {false, true}) {
    Program program;
    program.add();
    const Times times = [](int, int kind, const Strategy& s) {
      if (kind == 0) return s == Strategy::boundary_first ? 1.0 : 1.1;
      return s == Strategy::blocking ? 1.0 : s.eager ? 1.3 : 0.4;
    };
    program.run(100, times);
    program.add(usual, true, 0);
    for (int n = 0; n < 250; ++n) {
      program.step(times);
      if (often || n % 12 == 0) program.one(1, times);
    }
    // If it rarely runs, the others' way of exchanging halos is kept.
    EXPECT_EQ(Strategy::of(program.chosen(1)).eager, !often);
    EXPECT_EQ(program.chosen(1), often ? "interior_first" : "blocking");
  }
}

// Such a kind runs once or twice during the trial of the others.
TEST(Trials, ChooseForWhatRunsRarely) {
  for (const bool exchanges : {true, false})
    for (const bool others_eager : {true, false})
      for (const int phase : {0, 7, 19}) {
        Program program(2);
        program.add();
        program.add(usual, exchanges, 0);
        const Strategy& fastest = !exchanges || others_eager ? Strategy::pipelined : Strategy::interior_first;
        const Times times = [&](int rank, int kind, const Strategy& s) {
          if (kind == 0) return s.eager == others_eager ? 1.0 : 1.2;
          const double slower = rank == 1 ? 1.1 : 1.0;
          return slower * (s == fastest ? 1.0 : s == Strategy::blocking ? 2.0 : 1.5);
        };
        for (int n = 0; n < 500; ++n) {
          program.step(times);
          if (n % 20 == phase) program.one(1, times);
        }
        EXPECT_EQ(program.chosen(1), fastest.name)
            << "exchanges " << exchanges << ", others eager " << others_eager << ", phase " << phase;
        EXPECT_EQ(program.ranks[0].trials(), 1);
        EXPECT_LE((program.under[{1, "blocking"}]), 4);
      }
}

// A kind that runs at the start alone: it stays undecided, and starts no trials.
TEST(Trials, WaitForNothingThatHasStopped) {
  Program program;
  program.add();
  program.add(usual, true, 0);
  const Times times = [](int, int, const Strategy&) { return 1.0; };
  for (int n = 0; n < 60; ++n) program.one(1, times);
  program.run(900, times);
  EXPECT_EQ(program.chosen(0), "blocking");
  EXPECT_EQ(program.ranks[0].trials(), 1);
}

}  // namespace
}  // namespace sc::test
