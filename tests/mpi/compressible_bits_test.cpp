// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4
// threads: 2
// timeout: 600
// The bits of the compressible solver on one rank for every split and strategy; single precision beside
// double.
#include <gtest/gtest.h>

#include "tests/mpi/cells.hpp"
#include "tests/mpi/gas.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

/// Fields in single precision: the same flow to their rounding, and their own bits for any split.
TEST(CompressibleBits, RunsInSinglePrecision) {
  TestContext context({.threads = 2});
  CompressibleOptions o = box({16, 24, 32}, Initial::random, 0.4);
  o.flow.peak = 2;
  o.gas.viscosity = 0.01;
  o.filter = 0.45;
  o.dt = 0.01;
  Compressible two(context, o);
  o.single = true;
  Compressible one(context, o);
  for (int n = 0; n < 20; ++n) {
    two.step();
    one.step();
  }
  const Measures mine = one.measure(), theirs = two.measure();
  EXPECT_NEAR(mine.kinetic, theirs.kinetic, 1e-5 * theirs.kinetic);
  EXPECT_NEAR(mine.enstrophy, theirs.enstrophy, 1e-5 * theirs.enstrophy);
  EXPECT_NEAR(mine.dilatation, theirs.dilatation, 1e-3 * theirs.dilatation);
  EXPECT_NE(mine.kinetic, theirs.kinetic);
  Context self(MPI_COMM_SELF);
  CompressibleOptions whole = o;
  whole.split = {1, 1, 1};
  Compressible alone(self, whole);
  for (int n = 0; n < 20; ++n) alone.step();
  const Measures same = alone.measure();
  EXPECT_EQ(same.kinetic, mine.kinetic);
  EXPECT_EQ(same.largest_dilatation, mine.largest_dilatation);
  self.close();
}

TEST(CompressibleBits, LeavesTheSameBits) {
  const Int3 cells{16, 40, 33};
  const auto run = [&](Context& context, Int3 split, const Strategy& strategy) {
    CompressibleOptions o = box(cells, Initial::random, 0.5);
    o.flow.peak = 2;
    o.gas.viscosity = 0.01;
    o.filter = 0.49;
    o.forcing = {.power = 0.3, .dilatational = 0.3};
    o.split = split;
    o.engine = {.strategy = strategy, .poke_seconds = 1e-6};
    Compressible flow(context, o);
    for (int n = 0; n < 2; ++n) flow.step();
    return conserved(flow);
  };
  const std::vector<double> expected = on_one_rank([&](Context& one) {
    return run(one, {1, 1, 1}, Strategy::blocking);
  });
  TestContext context({.threads = 2});
  for (const Int3 split : splits(context.size())) {
    if (split.x > 2) continue;
    for (const Strategy* strategy : {&Strategy::boundary_first, &Strategy::interior_first}) {
      const auto got = run(context, split, *strategy);
      if (context.rank() == 0) {
        EXPECT_EQ(got, expected) << to_string(split) << strategy->name;
      }
    }
  }
}

}  // namespace
}  // namespace sc::test
