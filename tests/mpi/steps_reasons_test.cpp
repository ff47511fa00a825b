// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3
// optimise: no
// label: sanitize checked
// Every reason for which a pass ends before its full length, and conditions that read deep into their
// columns.
#include <gtest/gtest.h>

#include <functional>

#include "engine/move/stream/file_memory.hpp"
#include "engine/move/stream/slab_place.hpp"
#include "tests/mpi/shared_folder.hpp"
#include "tests/mpi/steps_of_heat.hpp"
#include "tests/mpi/test_context.hpp"

namespace {

using namespace sc;
using namespace sc::test;

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

}  // namespace
