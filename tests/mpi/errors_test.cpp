// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4
// threads: 2
// optimise: no
// label: sanitize
// An error on one rank is thrown on all: with the sentence and the exit code of the lowest failing rank, and
// without a hang.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "engine/base/mpi_check.hpp"
#include "engine/exec/team.hpp"
#include "engine/subcurrent.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

struct Outcome {
  Exit code = Exit::ok;
  std::string sentence;
};
template <class F>
Outcome outcome(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return {e.code(), e.what()};
  }
  return {};
}

class Errors : public testing::Test {
 protected:
  TestContext context;
  bool failing(int mask) const { return (mask >> context.rank() & 1) != 0; }
  int lowest(int mask) const {
    for (int rank = 0; rank < context.size(); ++rank)
      if (mask >> rank & 1) return rank;
    return -1;
  }
};

constexpr Exit codes[] = {Exit::storage, Exit::diverged, Exit::bad_input, Exit::failure};

// Every subset of ranks fails, each rank with its own sentence and code.
TEST_F(Errors, AllRanksGetTheLowestFailingRanksSentence) {
  for (int mask = 0; mask < 1 << context.size(); ++mask) {
    const std::string mine = failing(mask) ? "rank " + std::to_string(context.rank()) + " has lost it" : "";
    const Outcome got = outcome([&] { context.agree(codes[context.rank()], mine); });
    const int first = lowest(mask);
    EXPECT_EQ(got.code, first < 0 ? Exit::ok : codes[first]);
    EXPECT_EQ(got.sentence, first < 0 ? "" : "rank " + std::to_string(first) + " has lost it");
  }
}

TEST_F(Errors, TogetherTurnsAnyExceptionIntoEverybodys) {
  for (int mask = 0; mask < 1 << context.size(); ++mask) {
    int done = 0;
    const Outcome got = outcome([&] {
      context.together([&] {
        if (failing(mask) && context.rank() % 2 == 0) throw Error(Exit::storage, "the disk is full");
        if (failing(mask)) throw std::out_of_range("no such thing");
        ++done;
      });
    });
    EXPECT_EQ(done, failing(mask) ? 0 : 1) << "all ranks act";
    const int first = lowest(mask);
    EXPECT_EQ(got.code, first < 0 ? Exit::ok : first % 2 == 0 ? Exit::storage : Exit::failure);
    EXPECT_EQ(got.sentence, first < 0 ? "" : first % 2 == 0 ? "the disk is full" : "no such thing");
  }
}

TEST_F(Errors, LongSentencesArriveWhole) {
  const std::string path = "/runs/" + std::string(5000, 'x') + "/ü";
  const Outcome got =
      outcome([&] { context.agree(Exit::storage, context.rank() == context.size() - 1 ? path : ""); });
  EXPECT_EQ(got.sentence, path);
}

// Afterwards the context works as before: no messages of the failed agreement remain in its communicators.
TEST_F(Errors, TheContextGoesOn) {
  outcome([&] { context.agree(Exit::failure, context.rank() == 0 ? "once" : ""); });
  const Grid grid(context, {.cells = {8, 8, 16}, .periodic = {true, true, true}, .halo = 1});
  Field<double> u(grid, "u");
  u.fill([](int, int, int z) { return double(z); });
  Runner runner(context, {.strategy = Strategy::boundary_first});
  runner.refresh(u.now(), star(1));
  EXPECT_EQ(u.get({0, 0, -1}), (grid.origin().z + 15) % 16);
}

TEST_F(Errors, AnyIsTrueWhereOneRankSaysSo) {
  for (int rank = 0; rank < context.size(); ++rank) EXPECT_TRUE(context.any(rank == context.rank()));
  EXPECT_FALSE(context.any(false));
}

TEST_F(Errors, MpiFailuresSayWhere) {
  const Outcome got = outcome([&] {
    int value = 0;
    mpi::check(MPI_Send(&value, 1, MPI_INT, context.size() + 5, 0, context.comm()));
  });
  EXPECT_EQ(got.code, Exit::failure);
  EXPECT_EQ(got.sentence.rfind("MPI: ", 0), 0U) << got.sentence;
  EXPECT_NE(got.sentence.find("errors_test.cpp:"), std::string::npos) << got.sentence;
}

// An exception in a thread of a team reaches the caller after all threads have ended.
TEST(Teams, ThrowToTheCaller) {
  for (int thrower : {0, 1}) {
    std::atomic<int> ended{0};
    const Outcome got = outcome([&] {
      team(2, [&](int thread) {
        if (thread == thrower) throw Error(Exit::storage, "thread " + std::to_string(thread));
        ++ended;
      });
    });
    EXPECT_EQ(got.sentence, "thread " + std::to_string(thrower));
    EXPECT_EQ(ended, 1);
  }
}

}  // namespace
}  // namespace sc::test
