// SPDX-License-Identifier: Apache-2.0
// ranks: 2
// Shell and core of stages on whole lines: what such a line needs of the rank beside, and bundles of lines
// that lie side by side.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/stage/line_stage.hpp"
#include "engine/subcurrent.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

/// Both neighbours along the line.
struct Sum {
  SC_FN void operator()(const Bundle& b, LineOut<double> to, LineIn<double> from) const {
    for (int n = 0; n < b.count; ++n) b.each([&](int l) { to(n, l) = from(n - 1, l) + from(n + 1, l); });
  }
};
struct Change {
  SC_FN void operator()(At c, InOut<double> f) const { f[c] = 1.5 * f[c]; }
};
struct Slip {  // a condition that reads a tangential neighbour
  SC_FN void operator()(Border b, Out<double> f) const {
    for (int n = 1; n <= b.layers; ++n) f[b.ghost(n)] = f[b.inside(1)] - 0.25 * f[b.inside(1).x(1)];
  }
};

auto sum_stage(Field<double>& to, Field<double>& from) {
  return LineStage("sum", 1, Sum{}, writes(to.now()), reads(from.now(), star(3)));
}

/// Lines along y of a grid that is divided along x, `wide` cells a rank.
struct Lines {
  Lines(Context& context, int wide, bool slips = false)
      : grid(context,
             {.cells = {2 * wide, 8, 8}, .periodic = {true, !slips, true}, .halo = 3, .split = {2, 1, 1}}),
        from(grid, "from"),
        to(grid, "to"),
        stage(sum_stage(to, from)) {
    for (int side = 0; slips && side < 2; ++side) boundary(from, {1, side}, Slip{}, 1);
  }
  Box core() const { return cut_of(stage, true).core; }
  /// Of local x from `first` to the one before `last`.
  Box columns(int first, int last) const {
    Box all = grid.own();
    all.lo.x = first;
    all.hi.x = last;
    return all;
  }

  Grid grid;
  Field<double> from, to;
  decltype(sum_stage(std::declval<Field<double>&>(), std::declval<Field<double>&>())) stage;
};

TEST(LineCut, ALineNeedsNothingOfTheRankBeside) {
  TestContext context;
  const Lines lines(context, 48);
  EXPECT_EQ(lines.core(), lines.grid.own());
  const Lines slipping(context, 50, true);  // but for what a condition reads of it
  EXPECT_EQ(slipping.core(), slipping.columns(16, 48));
}

TEST(LineCut, TheShellIsWholeBundlesWhereAThirdOfTheCoreIsLeft) {
  TestContext context;
  const auto core = [&](int wide) {
    const Lines lines(context, wide);
    (*lines.stage.demand())[0] = star(3);  // of later stages
    EXPECT_EQ(lines.core(), lines.columns(lines.core().lo.x, lines.core().hi.x));
    return std::array{lines.core().lo.x, lines.core().hi.x};
  };
  EXPECT_EQ(core(48), (std::array{16, 32}));
  EXPECT_EQ(core(128), (std::array{16, 112}));
  EXPECT_EQ(core(58), (std::array{16, 48}));
  EXPECT_EQ(core(40), (std::array{16, 32}));
  EXPECT_EQ(core(20), (std::array{8, 16}));  // lines of cache
  EXPECT_EQ(core(12), (std::array{3, 9}));
}

/// The condition at the ends of a line is filled with the neighbour's cells before the line is computed.
TEST(LineCut, ConditionsOfALineSeeTheRankBeside) {
  TestContext context({.transport = TransportPolicy::delayed});
  constexpr int runs = 12;  // the first ones are measured in order
  for (const Strategy* strategy : Strategy::all()) {
    if (strategy->divides_threads) continue;
    Lines lines(context, 50, true);
    Sweep change("change", Change{}, updates(lines.from.now()));
    Runner runner(context, {.strategy = *strategy});
    lines.from.fill([](int x, int y, int z) { return x + 3 * y + 7 * z; });
    for (int n = 0; n < runs; ++n) {
      runner.run(change);
      runner.run(lines.stage);
    }
    const Grid& grid = lines.grid;
    const auto value = [](int x, int y, int z) { return std::pow(1.5, runs) * (x % 100 + 3 * y + 7 * z); };
    for (int z = 0; z < 8; ++z)
      for (int x = 0; x < 50; ++x) {
        const int g = grid.origin().x + x;
        for (const int y : {0, 7}) {
          const double ghost = value(g, y, z) - 0.25 * value(g + 1, y, z);
          ASSERT_DOUBLE_EQ(lines.to.get({x, y, z}), ghost + value(g, y == 0 ? 1 : 6, z))
              << strategy->name << x;
        }
      }
  }
}

}  // namespace
}  // namespace sc::test
