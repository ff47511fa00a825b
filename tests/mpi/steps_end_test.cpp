// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3
// optimise: no
// label: sanitize checked
// Passes that end before their full length, what is reported about that, and what is refused.
#include <gtest/gtest.h>

#include "tests/mpi/steps_of_heat.hpp"
#include "tests/mpi/test_context.hpp"

namespace {

using namespace sc;
using namespace sc::test;

TEST(Steps, EndWhereAStageReduces) {
  TestContext context;
  const auto expected = after(context, 7);
  Heat heat(context, 4, 4);
  std::vector<double> sums;
  heat.runner.steps(7, [&](int step) {
    heat.step();
    if (step % 3 != 2) return;
    heat.runner.run(heat.total);
    GlobalValue value(context);
    sums.push_back(value.reduce(heat.total.accumulators()));
  });
  EXPECT_EQ(sums.size(), 2U);
  EXPECT_EQ(heat.runner.passes().passes, 3);
  EXPECT_EQ(heat.runner.passes().steps, 7);
  EXPECT_EQ(heat.ended("stage \"total\" reduces to a value"), 2);
  EXPECT_EQ(heat.ended("the loop has no more steps"), 1);
  EXPECT_NE(heat.runner.passes().describe().find("7 steps in 3 passes, 2.33 a pass; ended early: "),
            std::string::npos)
      << heat.runner.passes().describe();
  EXPECT_TRUE(same_bits(on_root(heat.q), expected));
}

/// Neither reads a neighbour, and so neither waits for a halo.
TEST(Steps, EndWhereAnotherRunnerReadsOrMovesAField) {
  TestContext context;
  Heat once(context, 1, 1), heat(context, 4, 4);
  const Grid whole(
      context,
      {.cells = {12, 12, 36}, .periodic = {true, false, false}, .halo = 1, .split = {1, context.size(), 1}});
  Field<double> moved(whole, "moved");
  Runner other(context, {});
  const auto total = [&](Heat& h) {
    other.run(h.total);
    return GlobalValue(context).reduce(h.total.accumulators());
  };
  std::vector<double> expected;
  std::vector<std::vector<double>> levels;
  for (int n = 0; n < 7; ++n) {
    once.step();
    expected.push_back(total(once));
    levels.push_back(on_root(once.q));
  }
  heat.runner.steps(7, [&](int step) {
    heat.step();
    if (step % 3 == 1) {
      EXPECT_EQ(total(heat), expected[static_cast<std::size_t>(step)]) << "after step " << step;
    } else if (step % 3 == 2) {
      other.move(heat.q.now(), moved.now());
      EXPECT_TRUE(same_bits(on_root(moved), levels[static_cast<std::size_t>(step)])) << "after step " << step;
    }
  });
  EXPECT_EQ(heat.ended("the host asks for a field"), 4) << heat.runner.passes().describe();
  EXPECT_TRUE(same_bits(on_root(heat.q), levels.back()));
  context.barrier();
}

TEST(Steps, AreAsManyAsTheHaloHolds) {
  TestContext context;
  const auto expected = after(context, 9);
  Heat heat(context, 8, 3);
  heat.runner.steps(9, [&](int) { heat.step(); });
  EXPECT_EQ(heat.runner.passes().passes, 3) << heat.runner.passes().describe();
  EXPECT_EQ(heat.ended("the halo of 3 layers holds no more steps"), 2);
  EXPECT_TRUE(same_bits(on_root(heat.q), expected));
}

TEST(Steps, EndWhereTheHostWritesAndRefuseToBeReadBefore) {
  TestContext context;
  Heat once(context, 1, 1), heat(context, 4, 4);
  const auto brighten = [](Heat& h) {
    const Out<double> q = h.q.modify();
    q.base[h.grid.layout().offset({1, 2, 3})] += 1;
  };
  for (int n = 0; n < 6; ++n) {
    if (n == 3) brighten(once);
    once.step();
  }
  heat.runner.steps(6, [&](int step) {
    if (step == 3) brighten(heat);
    heat.step();
    if (step != 4) return;
    EXPECT_THROW(heat.q.get({0, 0, 0}), Error);
    EXPECT_THROW(heat.q.read(), Error);
    heat.runner.close_pass();
    EXPECT_NO_THROW(heat.q.get({0, 0, 0}));
  });
  EXPECT_EQ(heat.ended("the host asks for a field"), 1);
  EXPECT_EQ(heat.ended("the program asked for it"), 1);
  EXPECT_TRUE(same_bits(on_root(heat.q), on_root(once.q)));
  context.barrier();
}

TEST(Steps, AreSingleWhereAConditionReadsBesideItsColumn) {
  TestContext context;
  const auto lean = [](Heat& heat) { boundary(heat.q, z_low, Leaning{}, 1); };
  Heat once(context, 1, 2), heat(context, 4, 4);
  lean(once);
  lean(heat);
  for (int n = 0; n < 4; ++n) once.step();
  heat.runner.steps(4, [&](int) { heat.step(); });
  EXPECT_EQ(heat.runner.passes().passes, 0);
  EXPECT_TRUE(same_bits(on_root(heat.q), on_root(once.q)));
  context.barrier();
}

TEST(Steps, OfAnErrorAreAbandoned) {
  TestContext context;
  Heat heat(context, 4, 4);
  const auto expected = on_root(heat.q);
  EXPECT_THROW(heat.runner.steps(4,
                                 [&](int step) {
                                   heat.step();
                                   if (step == 1) throw Error(Exit::failure, "enough");
                                 }),
               Error);
  EXPECT_EQ(heat.runner.passes().passes, 0);
  EXPECT_TRUE(same_bits(on_root(heat.q), expected));  // after the two levels have been swapped twice
  heat.runner.steps(2, [&](int) { heat.step(); });
  EXPECT_EQ(heat.runner.passes().passes, 1);
  context.barrier();
}

/// Whoever leaves a loop by itself, as a break in Python does, has to finish it while its runner exists.
TEST(Steps, ThatNobodyFinishedAreNotRead) {
  TestContext context;
  Heat once(context, 1, 1), heat(context, 4, 4);
  for (int n = 0; n < 2; ++n) once.step();
  for (const bool finished : {true, false}) {
    auto other = std::make_unique<Runner>(context, RunnerOptions{.steps_per_pass = 4});
    other->begin_steps();
    for (int n = 0; n < 2; ++n) {
      other->run(heat.diffuse);
      heat.q.advance();
      other->end_step();
    }
    if (finished) {
      other->end_steps();
      EXPECT_TRUE(same_bits(on_root(heat.q), on_root(once.q)));
    }
    other.reset();
    if (finished) continue;
    EXPECT_THROW(heat.q.storage(0).host_base(), Error);
    EXPECT_THROW(heat.q.storage(0).settle(), Error);
  }
  context.barrier();
}

struct Held {
  double value;
  SC_FN void operator()(Border b, Out<double> q) const {
    for (int n = 1; n <= b.layers; ++n) q[b.ghost(n)] = value;
  }
};

/// A pass has the conditions of its steps, whatever they are when it is executed.
TEST(Steps, HaveTheConditionsOfTheirTime) {
  TestContext context;
  Heat once(context, 1, 1), heat(context, 4, 4);
  const auto hold = [](Heat& h, Face face, double value) {
    boundary(h.q, face, Held{value});
    for (int level = 0; level < 2; ++level) {  // what halos have is of the condition before this one
      Storage& storage = h.q.storage(level);
      if (Pending* one = storage.in_flight(); one && !one->computes()) one->finish();
      storage.set_fresh(point);
    }
  };
  const auto step = [&](Heat& h, int n) {
    if (n == 0 || n == 3) hold(h, {2, 0}, n);
    h.step();
    if (n == 5) hold(h, {2, 1}, -1);  // of the next step
  };
  for (int n = 0; n < 8; ++n) step(once, n);
  heat.runner.steps(8, [&](int n) { step(heat, n); });
  EXPECT_EQ(heat.runner.passes().passes, 3);
  EXPECT_EQ(heat.ended("boundary conditions of \"q\" change"), 2);
  EXPECT_TRUE(same_bits(on_root(heat.q), on_root(once.q)));
  context.barrier();
}

TEST(Steps, SendOneHaloAPass) {
  TestContext context;
  const auto sent = [&](int length) {
    Heat heat(context, length, length);
    heat.runner.steps(4, [&](int) { heat.step(); });  // until all exchanges have been created
    const auto sum = [&] {
      Traffic all;
      for (int t = 0; t < transport_count; ++t) {
        if (static_cast<Transport>(t) == Transport::self) continue;
        const Traffic part = heat.runner.traffic(static_cast<Transport>(t));
        all.messages += part.messages;
        all.bytes += part.bytes;
      }
      return all;
    };
    const Traffic before = sum();
    heat.runner.steps(8, [&](int) { heat.step(); });
    heat.runner.refresh(heat.q.now(), star(1));
    const Traffic after = sum();
    context.barrier();
    return std::pair{after.messages - before.messages, after.bytes - before.bytes};
  };
  const auto [messages, bytes] = sent(4);
  const int neighbours = (context.rank() > 0) + (context.rank() + 1 < context.size());
  EXPECT_EQ(messages, 2 * neighbours + neighbours);                // two passes, and the refresh
  const std::int64_t plane = 12 * 12 * 8, edges = 2 * 4 * 12 * 8;  // x is periodic: its halo is sent too
  EXPECT_EQ(bytes, neighbours * (2 * 4 * (plane + edges) + plane));
}

}  // namespace
