// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3
// label: sanitize checked
// Passes that end before their full length, what is reported about that, and what is refused.
#include <gtest/gtest.h>

#include <functional>

#include "engine/move/stream/file_memory.hpp"
#include "engine/move/stream/slab_place.hpp"
#include "tests/mpi/shared_folder.hpp"
#include "tests/mpi/step_programs.hpp"
#include "tests/mpi/test_context.hpp"

namespace {

using namespace sc;
using namespace sc::test;

struct Diffuse {
  SC_FN void operator()(At c, Out<double> next, In<double> q) const {
    next[c] =
        q[c] + 0.1 * (q[c.x(1)] + q[c.x(-1)] + q[c.y(1)] + q[c.y(-1)] + q[c.z(1)] + q[c.z(-1)] - 6 * q[c]);
  }
};
struct Total {
  SC_FN double operator()(At c, In<double> q) const { return q[c]; }
};

/// A field in a box of 12 x 12 x 36, periodic along x, and its step.
struct Heat {
  Heat(Context& context, int length, int halo, const std::shared_ptr<FarPlace>& place = {}, Int3 tile = {})
      : grid(context, {.cells = {12, 12, 36},
                       .periodic = {true, false, false},
                       .halo = halo,
                       .split = {1, 1, context.size()}}),
        q(grid, "q", {.levels = 2, .place = place}),
        diffuse("diffuse", Diffuse{}, writes(q.next()), reads(q.now(), star(1))),
        total("total", Total{}, SweepOptions{.reduce = Reduce::sum}, reads(q.now())),
        runner(context, {.steps_per_pass = length, .pass_tile = tile}) {
    q.fill([](int x, int y, int z) { return std::sin(0.7 * x + 0.2 * y * z); });
    for (int axis = 0; axis < 3; ++axis)
      for (int side = 0; side < 2; ++side) boundary(q, {axis, side}, Mirrored<double>{});
  }
  void step() {
    runner.run(diffuse);
    q.advance();
  }
  std::int64_t ended(const std::string& why) const {
    const auto& all = runner.passes().ended;
    return all.contains(why) ? all.at(why) : 0;
  }

  Grid grid;
  Field<double> q;
  Sweep<Diffuse, Writes, Reads> diffuse;
  Sweep<Total, Reads> total;
  Runner runner;
};

std::vector<double> after(Context& context, int steps) {
  Heat heat(context, 1, 1);
  for (int n = 0; n < steps; ++n) heat.step();
  return on_root(heat.q);
}

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

struct Leaning {  // reads tangential neighbours
  SC_FN void operator()(Border b, Out<double> q) const {
    for (int n = 1; n <= b.layers; ++n) q[b.ghost(n)] = q[b.inside(n).x(1)];
  }
};

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

/// Reads further into its column than any that does not say so; with tiles thinner than that.
struct Deep {
  static constexpr int inward = 6;
  SC_FN void operator()(Border b, Out<double> q) const {
    for (int n = 1; n <= b.layers; ++n) q[b.ghost(n)] = 0.5 * q[b.inside(1)] + 0.25 * q[b.inside(inward)];
  }
};

TEST(Steps, HaveConditionsThatReadDeepIntoTheirColumns) {
  TestContext context;
  const SharedFolder folder(context, "scratch-steps-deep-");
  const auto run = [&](int length, const std::shared_ptr<FarPlace>& place) {
    Heat heat(context, length, length, place, {0, 2, 2});
    for (const Face face : {y_low, y_high, z_low, z_high}) boundary(heat.q, face, Deep{});
    heat.runner.steps(7, [&](int) { heat.step(); });
    if (length > 1) {
      EXPECT_EQ(heat.runner.passes().passes, (7 + length - 1) / length) << heat.runner.passes().describe();
    }
    std::vector<double> values = on_root_from(heat.q);
    context.barrier();
    return values;
  };
  const std::vector<double> expected = run(1, {});
  for (const int length : {2, 4}) EXPECT_TRUE(same_bits(run(length, {}), expected)) << length;
  FileMemory files(folder.options());
  const int pieces = context.size() == 1 ? 3 : 1;  // of 12 planes
  EXPECT_TRUE(same_bits(run(3, in_files(files, pieces)), expected));
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

struct LinesAsTheyAre {
  void operator()(const Bundle& bundle, LineOut<double> out, LineIn<double> q) const {
    for (int n = 0; n < bundle.count; ++n)
      bundle.each([&](int l) __attribute__((always_inline)) { out(n, l) = q(n, l); });
  }
};
struct Copied {  // a kernel, and the condition of one field from another
  SC_FN void operator()(At c, Out<double> to, In<double> from) const { to[c] = from[c]; }
  SC_FN void operator()(Border b, Out<double> to, In<double> from) const {
    for (int n = 1; n <= b.layers; ++n) to[b.ghost(n)] = from[b.inside(n)];
  }
};
struct Children {
  SC_FN void operator()(At c, Index g, Out<double> to, Across<double> fine) const {
    to[c] = fine[fine.at(2 * g.x, 2 * g.y, 2 * g.z)];
  }
};

/// Each ends the pass of a step before it.
TEST(Steps, EndWhereOneCannotFollow) {
  TestContext context;
  const SharedFolder folder(context, "scratch-steps-reasons-");
  FileMemory files(folder.options()), others(folder.options());
  const auto place = in_files(files, 1), other_place = in_files(others, 1);
  struct Case {
    std::string reason;
    std::function<void(Heat&)> stage;
    std::shared_ptr<FarPlace> place = {};
  };
  const auto copied_to = [](Heat& heat, const auto& condition) {
    Field<double> to(heat.grid, "to");
    condition(to);
    Sweep copy("copy", Copied{}, writes(to.now()), reads(heat.q.now()));
    heat.runner.run(copy);
    heat.runner.close_pass();
  };
  const std::vector<Case> cases{
      {"the condition of field \"to\" at z_low reads beside its column",
       [&](Heat& heat) { copied_to(heat, [](Field<double>& to) { boundary(to, z_low, Leaning{}, 1); }); }},
      {"the condition of field \"to\" at y_high reads another field",
       [&](Heat& heat) {
         copied_to(heat, [&](Field<double>& to) { boundary(to, y_high, Copied{}, 0, reads(heat.q.now())); });
       }},
      {"stage \"children\" reads another grid",
       [](Heat& heat) {
         Field<double> to(heat.grid.coarsen({2, 2, 2}, 1), "to");
         Sweep children("children", Children{}, writes(to.now()), reads(heat.q.now(), refine(2, sc::box(1))));
         heat.runner.run(children);
       }},
      {"stage \"lines\" does not compute cell by cell",
       [](Heat& heat) {
         Field<double> to(heat.grid, "to");
         LineStage lines("lines", 0, LinesAsTheyAre{}, writes(to.now()), reads(heat.q.now()));
         heat.runner.run(lines);
       }},
      {"another grid begins",
       [](Heat& heat) {
         const Grid half = heat.grid.coarsen({2, 2, 2}, 1);
         Field<double> from(half, "from"), to(half, "to");
         from.fill([](int x, int, int) { return x; });
         Sweep copy("copy", Copied{}, writes(to.now()), reads(from.now()));
         heat.runner.run(copy);
         heat.runner.close_pass();
       }},
      {"fields in two places follow each other",
       [&](Heat& heat) {
         Field<double> from(heat.grid, "from", {.place = other_place}),
             to(heat.grid, "to", {.place = other_place});
         from.fill([](int x, int, int) { return x; });
         Sweep copy("copy", Copied{}, writes(to.now()), reads(from.now()));
         heat.runner.run(copy);
         heat.runner.close_pass();
       },
       place},
      {"halos are refreshed outside a stage", [](Heat& heat) { heat.runner.refresh(heat.q.now(), star(1)); }},
      {"a field moves to another decomposition", [&](Heat& heat) {
         const Grid other(context, {.cells = heat.grid.cells(),
                                    .periodic = heat.grid.periodic(),
                                    .halo = 1,
                                    .split = {1, context.size(), 1}});
         Field<double> to(other, "to");
         heat.runner.move(heat.q.now(), to.now());
         context.barrier();
       }}};
  for (const auto& [reason, stage, where] : cases) {
    Heat heat(context, 4, 4, where);
    heat.runner.steps(2, [&, &then = stage](int step) {
      heat.step();
      if (step == 0) then(heat);
    });
    EXPECT_EQ(heat.ended(reason), 1) << reason << ": " << heat.runner.passes().describe();
    EXPECT_NE(heat.runner.passes().describe().find(reason + " (1)"), std::string::npos);
    context.barrier();
  }
}

/// A pass of 3 steps needs pieces of 7 planes beside a wall, whose conditions read up to 4 cells.
TEST(Steps, AreAsManyAsThePiecesHold) {
  TestContext context;
  const std::vector<double> expected = after(context, 9);
  const SharedFolder folder(context, "scratch-steps-thin-");
  FileMemory files(folder.options());
  const int pieces = context.size() == 3 ? 2 : 6 / context.size();  // of 6 planes
  Heat heat(context, 4, 4, in_files(files, pieces));
  heat.runner.steps(9, [&](int) { heat.step(); });
  EXPECT_EQ(heat.ended("pieces of 6 planes hold no more steps"), 4) << heat.runner.passes().describe();
  EXPECT_TRUE(same_bits(on_root_from(heat.q), expected));
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
