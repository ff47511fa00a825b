// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2
// label: sanitize checked
// Rows in blocks, with non-temporal stores: the bits of the plain order, for every length and alignment of
// rows, both precisions, and all numbers of fields and components.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "engine/exec/for_each.hpp"
#include "engine/grid/cells.hpp"
#include "engine/stage/global_value.hpp"
#include "engine/subcurrent.hpp"
#include "tests/mpi/test_context.hpp"

namespace {

using namespace sc;

/// Two precisions: a vector and a scalar from a scalar and a vector.
struct Mixed {
  SC_FN double operator()(At c, Out<float, 3> v, Out<double> s, In<double> u, In<float, 2> w) const {
    const double lap = u[c.x(1)] + u[c.x(-1)] + u[c.y(1)] + u[c.y(-1)] + u[c.z(1)] + u[c.z(-1)] - 6 * u[c];
    s[c] = u[c] + 0.1 * lap;
    for (int k = 0; k < 2; ++k) v[k][c] = w[k][c] + w[k][c.z(2)] - w[k][c.y(-2)];
    v[2][c] = static_cast<float>(s[c]) * v[0][c];
    return s[c];
  }
};

struct Fields {
  Fields(Context& context, Int3 cells)
      : grid(context, {.cells = cells, .periodic = {true, true, true}, .halo = 2}),
        u(grid, "u"),
        s(grid, "s"),
        w(grid, "w"),
        v(grid, "v") {
    const auto value = [](int x, int y, int z) { return ((x * 7 + y * 13 + z * 29) % 101) / 37.0; };
    u.fill(value);
    w.fill([&](int k, int x, int y, int z) { return static_cast<float>(value(x + 5 * k, y, z)); });
  }
  Grid grid;
  Field<double> u, s;
  Field<float, 2> w;
  Field<float, 3> v;
};

/// The cells of the fields after three runs, and their sums.
std::vector<double> after_runs(PastCaches order, Int3 cells, int threads, const Strategy& strategy) {
  test::TestContext context({.threads = threads, .past_caches = order});
  Fields f(context, cells);
  Sweep stage("mixed", Mixed{}, SweepOptions{.reduce = Reduce::sum}, writes(f.v.now()), writes(f.s.now()),
              reads(f.u.now(), star(1)), reads(f.w.now(), star(2)));
  Runner runner(context, {.strategy = strategy});
  std::vector<double> all;
  for (int n = 0; n < 3; ++n) {
    runner.run(stage);
    all.push_back(GlobalValue(context).reduce(stage.accumulators()));
  }
  each_cell(f.grid.own(), [&](Int3 c) {
    all.push_back(f.s.get(c));
    for (int k = 0; k < 3; ++k) all.push_back(f.v.get(c, k));
  });
  return all;
}

TEST(RowOrder, LeavesTheBitsOfThePlainOne) {
  for (const Strategy& strategy : {Strategy::blocking, Strategy::boundary_first})
    for (const int threads : {1, 3})
      for (const Int3 cells : {Int3{5, 6, 8}, {64, 9, 7}, {79, 5, 6}, {80, 4, 6}, {81, 37, 5}, {203, 6, 5}}) {
        const auto plain = after_runs(PastCaches::never, cells, threads, strategy);
        const auto past = after_runs(PastCaches::always, cells, threads, strategy);
        ASSERT_EQ(plain.size(), past.size());
        EXPECT_EQ(std::memcmp(plain.data(), past.data(), plain.size() * sizeof(double)), 0)
            << to_string(cells) << ", " << threads << " threads, " << strategy.name;
      }
}

struct Where {
  SC_FN void operator()(At c, Index g, Out<double> where) const {
    where[c] = static_cast<double>(g.x + 1000 * g.y + 1000000 * g.z);
  }
};

void expect_only_inside(const Field<double>& where, const Box& inside, const Box& all,
                        const std::string& what) {
  each_cell({{}, all.hi}, [&](Int3 c) {
    EXPECT_EQ(where.get(c), inside.contains(c) ? c.x + 10 + 1000 * (c.y + 20) + 1000000 * (c.z + 30) : -1)
        << what << " at " << to_string(c);
  });
}

TEST(RowOrder, EveryCellOfABoxIsSetAndNoneBesideIt) {
  test::TestContext context;
  Grid grid(context, {.cells = {150, 21, 4}, .halo = 1});
  const RowOrder orders[] = {{.block = 4, .planes_ahead = 1, .past_caches = 1},
                             {.block = 8, .planes_ahead = 2, .rows_ahead = 16, .past_caches = 1},
                             {}};
  const Int3 n = grid.own().extent();
  for (const RowOrder& order : orders)
    for (const Box& box : {grid.own(), Box{{1, 2, 1}, {n.x - 3, 20, n.z}}, Box{{17, 0, 0}, {18, 21, 2}}}) {
      Field<double> where(grid, "where");
      where.fill([](int, int, int) { return -1.0; });
      for_each(box, Lattice{}, Frame{grid.layout(), {10, 20, 30}, order}, 2, {}, Where{}, where.modify());
      expect_only_inside(where, box, grid.own(), "rows of " + to_string(box.extent()));
    }
}

struct CountHere {
  SC_FN void operator()(At c, Index g, InOut<double> where) const {
    where[c] += 1 + static_cast<double>(g.x + 1000 * g.y + 1000000 * g.z);
  }
};

// Rows of two planes are computed in one loop; the shares of threads begin and end anywhere in a plane.
TEST(RowOrder, EveryCellIsComputedOnceWithAnyNumberOfPlanesAndThreads) {
  test::TestContext context;
  Grid grid(context, {.cells = {19, 5, 9}, .halo = 0});
  const int most = grid.own().extent().z;
  for (int planes = 1; planes <= most; ++planes)
    for (const int threads : {1, 2, 3, 4, 7}) {
      const Box box{{0, 0, most - planes}, grid.own().hi};
      Field<double> where(grid, "where");
      where.fill([](int, int, int) { return -1.0; });
      for_each(box, Lattice{}, Frame{grid.layout(), {10, 20, 30}}, threads, {}, CountHere{}, where.modify());
      expect_only_inside(where, box, grid.own(),
                         std::to_string(planes) + " planes, " + std::to_string(threads) + " threads");
    }
}

struct HalfSet {
  SC_FN void operator()(At c, Out<double, 2> v) const { v[0][c] = 1; }
};

// The contract of writes(): with non-temporal stores, unset cells would receive values of the previous row.
TEST(RowOrder, CellsThatAKernelLeavesUnsetShowInACheckedBuild) {
  test::TestContext context;
  Grid grid(context, {.cells = {9, 8, 7}, .halo = 0});
  Field<double, 2> v(grid, "v");
  v.fill([](int, int, int, int) { return 3.0; });
  Runner runner(context, {.strategy = Strategy::blocking});
  Sweep stage("half", HalfSet{}, writes(v.now()));
  runner.run(stage);
  EXPECT_EQ(v.get({2, 1, 0}, 0), 1);
  if (views_are_checked) {
    EXPECT_TRUE(std::isnan(v.get({2, 1, 0}, 1)));
  }
}

}  // namespace
