// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3
// ranks when long: 4
// threads: 2
// timeout: 300
// label: sanitize checked
// Passes of several steps give the bits of single steps on one rank: for every length of a pass, strategy,
// split and number of threads, with walls and periodic axes, with all halos NaN before.
#include <gtest/gtest.h>

#include "tests/mpi/step_programs.hpp"
#include "tests/mpi/test_context.hpp"

namespace {

using namespace sc;
using namespace sc::test;

/// The lengths that fit, with two threads and shared memory within a node, under two strategies; with one
/// thread under all strategies, and with messages, including delayed and reordered ones, one of `rotated` in
/// turn.
void compare(Program program, Int3 cells, int reach, const std::vector<int>& lengths,
             const std::vector<int>& rotated) {
  constexpr int steps = 11;
  std::size_t turn = 0;
  for (const Bool3 periodic :
       {Bool3{}, Bool3{true, true, true}, Bool3{false, true, false}, Bool3{true, false, true}}) {
    const auto expected = one_by_one(program, cells, periodic, 2, steps);
    const auto check = [&](Context& context, Int3 split, const Strategy& strategy, int longest) {
      const int length = fitting(longest, cells, split, reach);
      const RunnerOptions options{.strategy = strategy,
                                  .poke_seconds = 1e-6,
                                  .steps_per_pass = length,
                                  .pass_tile = tile_for(length)};
      const int halo = std::max(2, reach * length);
      const Result got = program(context, {cells, periodic, split, options}, halo, steps);
      EXPECT_EQ(got.passes.passes, length == 1 ? 0 : (steps + length - 1) / length) << got.passes.describe();
      if (context.rank() != 0) return;
      EXPECT_TRUE(same_bits(got.values, expected))
          << length << " steps, " << strategy.name << ", split " << to_string(split) << ", periodic "
          << periodic.x << periodic.y << periodic.z << ", " << context.threads() << " threads";
    };
    {
      TestContext context({.threads = 2});
      for (const Int3 split : splits(context.size()))
        for (const Strategy& strategy : {Strategy::blocking, Strategy::boundary_first})
          for (const int length : lengths) check(context, split, strategy, length);
    }
    {
      TestContext context({.threads = 1});
      for (const Int3 split : splits(context.size()))
        for (const Strategy& strategy : all_strategies(context))
          check(context, split, strategy, rotated[turn++ % rotated.size()]);
    }
    for (const TransportPolicy transport : {TransportPolicy::mpi, TransportPolicy::delayed}) {
      TestContext context({.transport = transport, .delay = 1e-4});
      for (const Int3 split : splits(context.size()))
        for (const Strategy& strategy : {Strategy::blocking, Strategy::boundary_first})
          check(context, split, strategy, rotated[turn++ % rotated.size()]);
    }
  }
}

TEST(Steps, LeaveTheBitsOfSingleOnes) { compare(spread, {35, 33, 37}, 1, {1, 2, 3, 5, 8}, {3, 2, 5, 8, 1}); }

TEST(Steps, OfSeveralStagesLeaveTheBitsOfSingleOnes) {
  compare(predict_and_correct, {36, 37, 38}, reach_of_a_step, {2, 5}, {3, 2, 5, 8, 1});
}

TEST(Steps, InColoursLeaveTheBitsOfSingleOnes) {
  compare(relax_in_colours, {36, 38, 36}, reach_of_colours, {1, 2, 5}, {3, 8, 5, 2, 1});
}

}  // namespace
