// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2
// label: sanitize checked
// Beyond a face of the domain a stage reads what the field declares, and is refused without a declaration;
// and a kernel's return value must be used.
#include <gtest/gtest.h>

#include "engine/subcurrent.hpp"
#include "tests/mpi/kernels.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/refusal.hpp"

namespace sc::test {
namespace {

static_assert(views_are_checked || sizeof(In<double>) == sizeof(double*) + sizeof(std::ptrdiff_t));
static_assert(views_are_checked || sizeof(Out<float, 3>) == sizeof(float*) + sizeof(std::ptrdiff_t));

struct Below {
  SC_FN void operator()(At c, Out<double> out, In<double> u) const { out[c] = u[c] + u[c.z(-1)]; }
};
struct Beside {
  SC_FN void operator()(At c, InOut<double> u) const { u[c] = u[c.z(1)] + u[c.z(-1)]; }
};
struct Lines {
  void operator()(const Bundle& bundle, LineOut<double> out, LineIn<double> u) const {
    for (int n = 0; n < bundle.count; ++n)
      bundle.each([&](int l) __attribute__((always_inline)) { out(n, l) = u(n - 1, l) + u(n + 1, l); });
  }
};
struct Twice {
  SC_FN void operator()(At c, InOut<double> u) const { u[c] *= 2; }
};

void expect_said(const std::string& said, const std::string& words) {
  EXPECT_NE(said.find(words), std::string::npos) << said;
  EXPECT_EQ(said.find('\n'), std::string::npos) << said;
}

class Faces : public testing::Test {
 protected:
  TestContext context;
  Grid grid{context, {.cells = {6, 6, 12}, .periodic = {true, true, false}, .halo = 1}};
  Field<double> u{grid, "u"}, out{grid, "out"};
  Runner runner{context, {}};
  Sweep<Below, decltype(writes(out.now())), decltype(reads(u.now()))> below{
      "below", Below{}, writes(out.now()), reads(u.now(), star(1))};
  void SetUp() override {
    u.fill([](int x, int y, int z) { return x + 10.0 * y + 100.0 * z; });
  }
};

TEST_F(Faces, StagesThatReadBeyondAnUnsetFaceAreRefusedAtTheirFirstRun) {
  for (Strategy strategy : {Strategy::blocking, Strategy::interior_first, Strategy::pipelined}) {
    Runner with(context, {.strategy = strategy});
    const std::string said = refusal([&] { with.run(below); });
    expect_said(said, "stage \"below\" reads field \"u\" beyond its face z_low, for which nothing is set");
  }
  boundary(u, z_low, Fixed{0.0});
  expect_said(refusal([&] { runner.run(below); }), "beyond its face z_high");
  boundary(u, z_high, Fixed{0.0});
  EXPECT_EQ(refusal([&] { runner.run(below); }), "accepted");
}

TEST_F(Faces, StagesInColoursToo) {
  Sweep relax("relax", Beside{}, SweepOptions{.colours = 2}, updates(u.now(), star(1)));
  expect_said(refusal([&] { runner.run(relax); }), "stage \"relax\" reads field \"u\" beyond its face z_low");
  u.boundaries().leave_others(Beyond::given);
  EXPECT_EQ(refusal([&] { runner.run(relax); }), "accepted");
}

TEST_F(Faces, FieldsOfAnotherGridToo) {
  const Grid half = grid.coarsen({2, 2, 2}, 1);
  Field<double> coarse(half, "coarse");
  Sweep spread(
      "spread",
      [](At c, Index g, InOut<double> fine, Across<double> from) {
        fine[c] += from[from.at(g.x / 2, g.y / 2, g.z / 2)];
      },
      updates(u.now()), reads(coarse.now(), coarsen(2, box(1))));
  expect_said(refusal([&] { runner.run(spread); }), "reads field \"coarse\" beyond its face z_low");
  coarse.boundaries().leave_others(Beyond::unread);
  EXPECT_EQ(refusal([&] { runner.run(spread); }), "accepted");
}

TEST_F(Faces, LinesReadBeyondTheirEndsOnly) {
  LineStage along_y("along y", 1, Lines{}, writes(out.now()), reads(u.now(), star(1)));
  EXPECT_EQ(refusal([&] { runner.run(along_y); }), "accepted");
  if (context.size() > 1) return;  // several ranks divide z
  LineStage along_z("along z", 2, Lines{}, writes(out.now()), reads(u.now(), star(1)));
  expect_said(refusal([&] { runner.run(along_z); }),
              "stage \"along z\" reads field \"u\" beyond its face z_low");
}

TEST_F(Faces, WhatReadsItsOwnCellOnlyIsNotAsked) {
  Sweep twice("twice", Twice{}, updates(u.now()));
  EXPECT_EQ(refusal([&] { runner.run(twice); }), "accepted");
}

TEST_F(Faces, AGivenHaloStaysWhatTheProgramWrote) {
  u.boundaries().leave(z_low, Beyond::given);
  u.boundaries().leave(z_high, Beyond::unread);
  const Out<double> cells = u.modify();
  const Layout& layout = grid.layout();
  if (grid.physical(z_low))
    for (int y = 0; y < grid.own().hi.y; ++y)
      for (int x = 0; x < grid.own().hi.x; ++x) cells.base[layout.offset({x, y, -1})] = 7;
  for (int round = 0; round < 2; ++round) {
    runner.run(below);
    if (grid.physical(z_low)) {
      EXPECT_EQ(out.get({2, 3, 0}), 7 + u.get({2, 3, 0}));
    }
    EXPECT_EQ(out.get({2, 3, 1}), u.get({2, 3, 0}) + u.get({2, 3, 1}));
    u.fill([](int x, int y, int z) { return x + 10.0 * y + 100.0 * z; });
  }
}

TEST_F(Faces, AConditionTakesThePlaceOfWhatWasSaid) {
  u.boundaries().leave_others(Beyond::given);
  boundary(u, z_low, Fixed{3.0});
  EXPECT_EQ(u.boundaries().beyond(z_low), Beyond::condition);
  EXPECT_EQ(u.boundaries().beyond(z_high), Beyond::given);
  u.boundaries().leave_others(Beyond::unread);
  EXPECT_EQ(u.boundaries().beyond(z_high), Beyond::given);
  u.boundaries().leave(z_low, Beyond::unread);
  EXPECT_EQ(u.boundaries().get(z_low), nullptr);
}

TEST_F(Faces, WhatAKernelReturnsIsReduced) {
  const auto now = reads(u.now());
  using Read = decltype(now);
  // It does not compile without options.
  static_assert(!std::is_constructible_v<Sweep<Value, std::remove_const_t<Read>>, std::string, Value,
                                         std::remove_const_t<Read>>);
  expect_said(refusal([&] { Sweep("size", Value{}, SweepOptions{.flops = 1}, now); }),
              "stage \"size\" has a kernel that returns a value and no SweepOptions::reduce");
  expect_said(
      refusal([&] { Sweep("twice", Twice{}, SweepOptions{.reduce = Reduce::max}, updates(u.now())); }),
      "stage \"twice\" has a SweepOptions::reduce and a kernel that returns nothing");
  EXPECT_EQ(refusal([&] { Sweep("size", Value{}, SweepOptions{.reduce = Reduce::sum}, now); }), "accepted");
}

}  // namespace
}  // namespace sc::test
