// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3
// optimise: no
// label: sanitize
// run_main: what a body throws on any ranks is one sentence of the job and the exit code of all ranks.
#include "engine/base/run_main.hpp"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

#include "engine/base/error.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

/// What a program with these words ends with on this rank, and what it prints there.
struct End {
  int code;
  std::string printed;
};
End run(std::vector<std::string> words, const std::function<void(Context&, Arguments)>& body,
        const ContextOptions& options = {}) {
  std::string program = "/somewhere/program";
  std::vector<char*> argv{program.data()};
  for (std::string& word : words) argv.push_back(word.data());
  testing::internal::CaptureStderr();
  const int code = run_main(static_cast<int>(argv.size()), argv.data(), body, options);
  return {code, testing::internal::GetCapturedStderr()};
}

void expect_one_sentence(const End& end, Exit code, const std::string& sentence) {
  EXPECT_EQ(end.code, static_cast<int>(code));
  const TestContext context;
  EXPECT_EQ(end.printed, context.rank() == 0 ? "program: " + sentence + "\n" : "");
}

TEST(RunMain, ABodyThatReturnsIsExitCodeZero) {
  bool alone = false;
  const End end = run({}, [&](Context& ctx, Arguments) { alone = !ctx.any(false); });
  EXPECT_TRUE(alone);
  EXPECT_EQ(end.code, 0);
  EXPECT_EQ(end.printed, "");
}

TEST(RunMain, WhatAllRanksThrowIsOneSentence) {
  expect_one_sentence(run({}, [](Context&, Arguments) { throw Error(Exit::storage, "no file"); }),
                      Exit::storage, "no file");
  expect_one_sentence(run({}, [](Context&, Arguments) { throw std::bad_alloc(); }), Exit::failure,
                      "there is not enough memory");
  expect_one_sentence(run({}, [](Context&, Arguments) {}, {.threads = 0}), Exit::bad_input,
                      "threads is 0; at least 1 is needed");
}

TEST(RunMain, WhatTheLastRanksThrowIsTheSentenceOfTheLowest) {
  const int ranks = TestContext().size();
  const int first = ranks > 1 ? 1 : 0;
  const End end = run({}, [&](Context& ctx, Arguments) {
    if (ctx.rank() >= first) throw std::runtime_error("rank " + std::to_string(ctx.rank()));
  });
  expect_one_sentence(end, Exit::failure, "rank " + std::to_string(first));
}

TEST(RunMain, ArgumentsAreTakenInTheirOrder) {
  int cells = 0, steps = 0;
  double dt = 0;
  std::string name, other;
  const auto body = [&](Context&, Arguments given) {
    cells = given.whole("the number of cells", 64);
    name = given.text("the name", "state");
    dt = given.number("dt", 0.5);
    steps = given.whole("the number of steps", 100);
    other = given.text("the folder", "scratch");
    given.end();
  };
  EXPECT_EQ(run({"12", "a", "1e-3"}, body).code, 0);
  EXPECT_EQ(cells, 12);
  EXPECT_EQ(name, "a");
  EXPECT_EQ(dt, 1e-3);
  EXPECT_EQ(steps, 100);
  EXPECT_EQ(other, "scratch");
  expect_one_sentence(
      run({"1", "a", "1", "2", "b", "c"}, body), Exit::bad_input,
      "the argument \"c\" is one too many; the arguments are the number of cells, the name, dt, "
      "the number of steps and the folder");
}

TEST(RunMain, WordsThatAreNoNumbersAreRefused) {
  const auto whole = [](Context&, Arguments given) { given.whole("the number of cells", 64, 4); };
  for (const char* word : {"abc", "", "12x", "1.5", "3", "-1", " 8", "99999999999"})
    expect_one_sentence(
        run({word}, whole), Exit::bad_input,
        std::string("the number of cells is \"") + word + "\"; it must be a whole number from 4 on");
  const auto open = [](Context&, Arguments given) { given.number("dt", 1); };
  const auto bounded = [](Context&, Arguments given) { given.number("the share", 0.5, 0, 1); };
  for (const char* word : {"abc", "nan", "inf", "-1", "1,5"}) {
    expect_one_sentence(run({word}, open), Exit::bad_input,
                        std::string("dt is \"") + word + "\"; it must be a number from 0 on");
    expect_one_sentence(run({word}, bounded), Exit::bad_input,
                        std::string("the share is \"") + word + "\"; it must be a number from 0 to 1");
  }
  expect_one_sentence(run({"a"}, [](Context&, Arguments given) { given.end(); }), Exit::bad_input,
                      "the argument \"a\" is one too many; there are none");
}

}  // namespace
}  // namespace sc::test
