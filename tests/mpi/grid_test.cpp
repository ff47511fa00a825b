// SPDX-License-Identifier: Apache-2.0
// ranks: 1
// Splits, layouts and halo ownership, on one rank and for every rank of a larger run.
#include "engine/grid/grid.hpp"
#include "engine/grid/cells.hpp"

#include <gtest/gtest.h>

#include "engine/stage/cut.hpp"
#include "engine/stage/refresh.hpp"
#include "engine/subcurrent.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/refusal.hpp"

namespace {

using namespace sc;

struct Far {
  SC_FN void operator()(At c, Out<double> next, In<double> q) const { next[c] = q[c.x(2)]; }
};

class Grids : public testing::Test {
 protected:
  Context& context() { return context_; }

 private:
  test::TestContext context_;
};

TEST(Box, SubtractCoversTheRestOnce) {
  const Box a{{0, 0, 0}, {7, 6, 5}};
  for (const Box& b : {Box{{1, 1, 1}, {6, 5, 4}}, Box{{0, 2, 0}, {7, 6, 5}}, Box{{3, 3, 3}, {3, 3, 3}},
                       Box{{-2, -2, -2}, {9, 9, 9}}, Box{{5, 4, 3}, {9, 9, 9}}}) {
    const auto parts = subtract(a, b);
    each_cell(a, [&](Int3 c) {
      int count = b.contains(c) ? 1 : 0;
      for (const Box& p : parts) count += p.contains(c);
      EXPECT_EQ(count, 1) << to_string(c);
    });
  }
}

TEST_F(Grids, OwnRowsBeginOnCacheLines) {
  for (int nx : {1, 7, 8, 33, 64}) {
    Grid grid(context(), {.cells = {nx, 4, 4}, .halo = 2});
    const Layout& l = grid.layout();
    EXPECT_EQ(l.sy % 8, 0);
    EXPECT_EQ(l.sz % 8, 0);
    EXPECT_EQ(l.origin % 8, 0);
    EXPECT_GE(l.sy, nx + 4);
    // The outermost halo cells at both ends are inside the allocation.
    EXPECT_GE(l.origin + l.offset({-2, -2, -2}), 0);
    EXPECT_LT(l.origin + l.offset({nx + 1, 5, 5}), l.elements);
  }
}

TEST_F(Grids, ChoosesSplitsAcrossTheSlowAxes) {
  EXPECT_EQ(choose_split({64, 64, 64}, 2, 1), (Int3{1, 1, 2}));
  EXPECT_EQ(choose_split({64, 64, 64}, 4, 1), (Int3{1, 1, 4}));
  EXPECT_EQ(choose_split({64, 64, 64}, 3, 1), (Int3{1, 1, 3}));
  EXPECT_EQ(choose_split({256, 3, 3}, 4, 2), (Int3{4, 1, 1}));
}

TEST_F(Grids, RefusesWhatCannotWork) {
  const auto sentence = [this](const GridOptions& options) {
    return test::refusal([&] { Grid grid(context(), options); });
  };
  EXPECT_NE(sentence({.cells = {0, 4, 4}}).find("cells is [0, 4, 4]"), std::string::npos);
  EXPECT_NE(sentence({.cells = {4, 4, 4}, .split = {2, 1, 1}}).find("does not multiply"), std::string::npos);
  EXPECT_NE(sentence({.cells = {4, 4, 1}, .periodic = {true, true, true}, .halo = 2}).find("halo of 2"),
            std::string::npos);
  EXPECT_NE(sentence({.cells = {4, 4, 4}, .halo = 99}).find("halo is 99"), std::string::npos);
  EXPECT_NE(sentence({.cells = {4, 4, 4}, .halo = 1, .wall_halo = 2}).find("wall_halo is 2"),
            std::string::npos);
}

TEST_F(Grids, WideHalosLieBesideNeighboursOnly) {
  Grid grid(context(), {.cells = {6, 7, 8}, .periodic = {false, true, false}, .halo = 5, .wall_halo = 1});
  EXPECT_EQ(grid.halo(), 5);
  EXPECT_EQ(grid.halos(), (Int3{1, 5, 1}));
  EXPECT_EQ(grid.least_halo(), 1);
  EXPECT_EQ(grid.layout().sy, 8);
  EXPECT_EQ(grid.layout().sz, 8 * 17);
  EXPECT_EQ(grid.layout().origin, 8 + 5 * 8 + 8 * 17);
  EXPECT_EQ(grid.layout().elements, 8 + 10 * 8 * 17);
  EXPECT_EQ(face_columns(grid, z_low, 5, 0), (Box{{-1, -5, -1}, {7, 12, 0}}));
  EXPECT_EQ(grid.coarsen({2, 2, 2}, 3).halos(), (Int3{3, 3, 3}));
  EXPECT_EQ(grid.coarsen({2, 2, 2}, 3, 1).halos(), (Int3{1, 3, 1}));
}

TEST_F(Grids, NoStageReadsFurtherThanBeyondWalls) {
  Grid grid(context(), {.cells = {6, 7, 8}, .halo = 5, .wall_halo = 1});
  Field<double> q(grid, "q", {.levels = 2});
  const auto said = test::refusal([&] {
    Runner runner(context(), {});
    Sweep far("far", Far{}, writes(q.next()), reads(q.now(), star(2)));
    runner.run(far);
  });
  EXPECT_NE(said.find("halo of 1"), std::string::npos) << said;
}

TEST_F(Grids, SegmentsOfAPeriodicAxisWrapAround) {
  Grid grid(context(), {.cells = {5, 5, 5}, .periodic = {true, false, true}, .halo = 2});
  const auto x = grid.segments(0, 0, 2);
  ASSERT_EQ(x.size(), 3u);
  EXPECT_EQ(x[0].side, -1);
  EXPECT_EQ(x[0].lo, -2);
  EXPECT_EQ(x[0].lo + x[0].shift, 3);
  EXPECT_EQ(x[2].lo, 5);
  EXPECT_EQ(x[2].lo + x[2].shift, 0);
  const auto y = grid.segments(0, 1, 2);
  ASSERT_EQ(y.size(), 3u);
  EXPECT_TRUE(y[0].physical);
  EXPECT_TRUE(y[2].physical);
}

TEST_F(Grids, CoarseCellsLieWithTheirFirstFineCell) {
  Grid fine(context(), {.cells = {9, 8, 7}, .halo = 2});
  const Grid coarse = fine.coarsen({2, 2, 2}, 1);
  EXPECT_EQ(coarse.cells(), (Int3{5, 4, 4}));
  EXPECT_EQ(coarse.halo(), 1);
  EXPECT_EQ(coarse.own().hi, (Int3{5, 4, 4}));
}

TEST_F(Grids, EdgesBelongToTheLaterAxis) {
  Grid grid(context(), {.cells = {4, 5, 6}, .halo = 2});
  EXPECT_EQ(face_columns(grid, x_low, 2, 0), (Box{{-1, 0, 0}, {0, 5, 6}}));
  EXPECT_EQ(face_columns(grid, y_high, 2, 0), (Box{{-2, 5, 0}, {6, 6, 6}}));
  EXPECT_EQ(face_columns(grid, z_low, 2, 0), (Box{{-2, -2, -1}, {6, 7, 0}}));
}

// On a device the cell beyond the halo, which belongs to another row, may be written at the same time.
TEST_F(Grids, ColumnsReadNothingBesideTheHalo) {
  Grid grid(context(), {.cells = {4, 5, 6}, .halo = 2});
  EXPECT_EQ(face_columns(grid, x_low, 2, 1), (Box{{-1, 0, 0}, {0, 5, 6}}));
  EXPECT_EQ(face_columns(grid, y_high, 2, 1), (Box{{-1, 5, 0}, {5, 6, 6}}));
  EXPECT_EQ(face_columns(grid, z_low, 2, 1), (Box{{-1, -1, -1}, {5, 6, 0}}));
  EXPECT_EQ(face_columns(grid, z_low, 2, 3), (Box{{0, 0, -1}, {4, 5, 0}}));
}

}  // namespace
