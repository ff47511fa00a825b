// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3
// threads: 2
// timeout: 300
// optimise: no
// The length of passes is chosen while the program runs, from single steps through all candidate lengths: the
// bits of single steps, under every strategy and in several loops.
#include <gtest/gtest.h>

#include "tests/mpi/kernels.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/mpi/two_sweeps.hpp"

namespace {

using namespace sc;
using namespace sc::test;

/// Reads an edge and its position; its values stay small.
struct Mix {
  SC_FN void operator()(At c, Index g, Out<double> next, In<double> q) const {
    const double star = q[c.x(1)] + q[c.x(-1)] + q[c.y(1)] + q[c.y(-1)] + q[c.z(1)] + q[c.z(-1)];
    next[c] = 0.3 * q[c] + 0.1 * star + 0.05 * q[c.x(1).z(-1)] +
              1e-3 * static_cast<double>((g.x + 2 * g.y + 3 * g.z) % 5);
  }
};

/// A field and its step.
struct Program {
  Program(Context& context, RunnerOptions options, Bool3 periodic = {true, true, true})
      : grid(context,
             {.cells = {13, 12, 36}, .periodic = periodic, .halo = 8, .split = {1, 1, context.size()}}),
        q(grid, "q", {.levels = 2}),
        mix("mix", Mix{}, writes(q.next()), reads(q.now(), box(1))),
        total("total", Value{}, SweepOptions{.reduce = Reduce::sum}, reads(q.now())),
        runner(context, options) {
    q.fill([](int x, int y, int z) { return std::sin(0.7 * x + 0.2 * y * z); });
    for (const Face face : all_faces) boundary(q, face, Mirrored<double>{});
  }
  void step() {
    runner.begin_step();
    runner.run(mix);
    q.advance();
  }
  std::vector<double> after(int steps) {
    runner.steps(steps, [&](int) { step(); });
    return on_root(q);
  }
  Grid grid;
  Field<double> q;
  Sweep<Mix, Writes, Reads> mix;
  Sweep<Value, Reads> total;
  Runner runner;
};

TEST(StepsFound, LeaveTheBitsOfSingleOnes) {
  for (const Bool3 periodic : {Bool3{}, Bool3{false, true, true}})
    for (const Strategy& strategy : {Strategy::automatic, Strategy::blocking, Strategy::pipelined}) {
      TestContext context({.threads = strategy == Strategy::blocking ? 1 : 2});
      Program one(context, {.strategy = Strategy::blocking}, periodic);
      Program found(context, {.strategy = strategy, .steps_per_pass = 8, .finds_length = true}, periodic);
      EXPECT_TRUE(same_bits(found.after(300), one.after(300))) << found.runner.passes().describe();
      EXPECT_NE(found.runner.passes().found.find(" were chosen"), std::string::npos);
      EXPECT_GT(found.runner.passes().passes, 0) << "none was tried";
    }
}

TEST(StepsFound, AreSingleOnesWhereAValueIsWantedEveryStep) {
  TestContext context;
  Program program(context, {.steps_per_pass = 8, .finds_length = true});
  program.runner.steps(200, [&](int) {
    program.step();
    program.runner.run(program.total);
  });
  EXPECT_EQ(program.runner.pass_length(), 1);
  EXPECT_EQ(program.runner.passes().found, "single steps were chosen: those of 2 end early");
}

TEST(StepsFound, GoOnFromLoopToLoop) {
  TestContext context;
  Program one(context, {}), found(context, {.steps_per_pass = 4, .finds_length = true});
  for (int loop = 0; loop < 100; ++loop) found.after(5);  // some passes of 4 end with the loop
  EXPECT_FALSE(found.runner.passes().found.empty());
  EXPECT_TRUE(same_bits(on_root(found.q), one.after(500)));
}

}  // namespace
