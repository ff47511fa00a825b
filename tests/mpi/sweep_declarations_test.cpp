// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2
// optimise: no
// label: sanitize checked
// Invalid declarations are refused when the sweep is created: with one sentence that names stage and field.
#include <gtest/gtest.h>

#include "engine/subcurrent.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/refusal.hpp"

namespace sc::test {
namespace {

struct Any {  // accepts any declaration
  template <class... Views>
  SC_FN void operator()(At, Views...) const {}
};

template <class F>
std::string refusal(F&& make) {
  const std::string text = test::refusal(make);
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  return text;
}
#define EXPECT_REFUSED(words, ...)                                  \
  do {                                                              \
    const std::string text = refusal([&] { __VA_ARGS__; });         \
    EXPECT_NE(text.find(words), std::string::npos) << text;         \
    EXPECT_NE(text.find("\"odd one\""), std::string::npos) << text; \
  } while (false)

class Declarations : public testing::Test {
 protected:
  TestContext context;
  Grid grid{context, {.cells = {12, 10, 16}, .halo = 1}};
  Grid other{context, {.cells = {12, 10, 16}, .halo = 2}};
  Field<double> u{grid, "u", {.levels = 2}}, v{grid, "v"};
  Field<double> far{other, "far"};

  template <class... Declared>
  static void make(Declared... declared) {
    Sweep("odd one", Any{}, declared...);
  }
  template <class... Declared>
  static void coloured(int colours, Declared... declared) {
    Sweep("odd one", Any{}, SweepOptions{.colours = colours}, declared...);
  }
};

TEST_F(Declarations, OutputAlsoReadAroundItsCell) {
  EXPECT_REFUSED("declares again the same level of field \"u\"",
                 make(writes(u.now()), reads(u.now(), star(1))));
  EXPECT_REFUSED("declares again the same level of field \"u\"",
                 make(reads(u.now(), star(1)), writes(u.now())));
  EXPECT_REFUSED("declares again the same level of field \"u\"", make(writes(u.now()), reads(u.now())));
  EXPECT_REFUSED("in place", make(updates(u.now(), star(1))));
  EXPECT_EQ(refusal([&] { make(writes(u.next()), reads(u.now(), star(1))); }), "accepted");
}

TEST_F(Declarations, SameLevelTwice) {
  EXPECT_REFUSED("the same level of field \"u\"", make(writes(u.now()), writes(u.now())));
  EXPECT_REFUSED("the same level of field \"u\"", make(updates(u.now()), reads(u.now())));
  EXPECT_EQ(refusal([&] { make(writes(v.now()), reads(u.now(), star(1)), reads(u.now(), box(1))); }),
            "accepted");
}

TEST_F(Declarations, ReachWiderThanTheHalo) {
  EXPECT_REFUSED("reads field \"u\" 2 cells away, but its grid has a halo of 1",
                 make(writes(v.now()), reads(u.now(), star(2))));
  EXPECT_REFUSED("halo of 1", make(writes(v.now()), reads(u.now(), box(3))));
  EXPECT_REFUSED("reach", make(writes(v.now()), reads(u.now(), star(-1))));
}

TEST_F(Declarations, LevelThatDoesNotExist) {
  EXPECT_REFUSED("uses level 2 of field \"u\", which has 2", make(writes(u.level(2))));
  EXPECT_REFUSED("uses level 1 of field \"v\", which has 1", make(writes(u.now()), reads(v.next())));
  EXPECT_REFUSED("uses level -1 of field \"v\"", make(writes(u.now()), reads(v.level(-1))));
}

TEST_F(Declarations, AnotherGrid) {
  EXPECT_REFUSED("writes field \"far\", which is on another grid", make(writes(u.now()), writes(far.now())));
  EXPECT_REFUSED("reads field \"far\", which is on another grid", make(writes(u.now()), reads(far.now())));
  EXPECT_REFUSED("reads field \"far\", which is on another grid",
                 make(writes(u.now()), reads(far.now(), star(1))));
}

TEST_F(Declarations, AcrossGridsOfOtherBlocks) {
  const Grid half = grid.coarsen({2, 2, 2}, 1);
  Field<double> coarse(half, "coarse"), third(grid.coarsen({3, 3, 3}, 1), "third");
  EXPECT_EQ(refusal([&] { make(writes(coarse.now()), reads(u.now(), refine(2, box(1)))); }), "accepted");
  EXPECT_EQ(refusal([&] { make(writes(u.now()), reads(coarse.now(), coarsen(2, box(1)))); }), "accepted");
  EXPECT_REFUSED("2 times", make(writes(third.now()), reads(u.now(), refine(2, box(1)))));
  EXPECT_REFUSED("2 times", make(writes(u.now()), reads(coarse.now(), refine(2, box(1)))));
  if (context.size() == 1) return;
  const Grid two(context, {.cells = {2, 2, 2}, .halo = 1});
  Field<double> few(two, "few"), one(two.coarsen({2, 2, 2}, 1), "one");
  EXPECT_EQ(refusal([&] { make(writes(one.now()), reads(few.now(), refine(2, box(1)))); }), "accepted");
  EXPECT_REFUSED("leaves a block empty", make(writes(few.now()), reads(one.now(), coarsen(2, box(1)))));
  Field<double> gathered(half.on(1), "gathered");
  EXPECT_REFUSED("move", make(writes(gathered.now()), reads(u.now(), refine(2, box(1)))));
}

TEST_F(Declarations, InPlaceWithTooFewColours) {
  EXPECT_REFUSED("(2 colours)", coloured(1, updates(u.now(), star(1))));
  EXPECT_REFUSED("(8 colours)", coloured(2, updates(u.now(), box(1))));
  EXPECT_EQ(refusal([&] { coloured(2, updates(u.now(), star(1))); }), "accepted");
  EXPECT_EQ(refusal([&] { coloured(4, updates(u.now(), box(1))); }), "accepted");
  EXPECT_REFUSED("coloured sweep of reach 1", coloured(8, updates(far.now(), star(2))));
  for (int colours : {0, 3, 5, 16})
    EXPECT_REFUSED("allowed are 1, 2, 4 and 8", coloured(colours, updates(u.now(), star(1))));
}

TEST_F(Declarations, ColoursAroundAnOddPeriod) {
  for (int axis = 0; axis < 3; ++axis) {
    Bool3 periodic;
    (axis == 0 ? periodic.x : axis == 1 ? periodic.y : periodic.z) = true;
    const Grid odd(context, {.cells = {13, 15, 17}, .periodic = periodic, .halo = 1});
    Field<double> q(odd, "q");
    EXPECT_REFUSED("odd", coloured(2, updates(q.now(), star(1))));
    EXPECT_REFUSED("odd", coloured(8, updates(q.now(), box(1))));
    EXPECT_EQ(refusal([&] { coloured(1, updates(q.now())); }), "accepted");
  }
  const Grid open(context, {.cells = {13, 15, 17}, .halo = 1});
  Field<double> q(open, "q");
  EXPECT_EQ(refusal([&] { coloured(2, updates(q.now(), star(1))); }), "accepted");
}

TEST_F(Declarations, Nothing) { EXPECT_REFUSED("declares no field", Sweep("odd one", Any{})); }

TEST_F(Declarations, StrategiesThatCannotBeHad) {
  EXPECT_NE(refusal([&] {
              Runner(context, {.strategy = Strategy::halo_thread.not_joining()});
            }).find("engine.threads of at least 2"),
            std::string::npos);
  const std::string unknown = refusal([] { Strategy::of("blokking"); });
  EXPECT_NE(unknown.find("\"blokking\""), std::string::npos);
  EXPECT_NE(unknown.find("boundary_first"), std::string::npos);
}

}  // namespace
}  // namespace sc::test
