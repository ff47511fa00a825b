// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4
// threads: 2
// timeout: 240
// LineSolve: compact derivatives and filters along x, y and z whose lines ranks divide between them, held
// against dense elimination and analytic derivatives; every split, strategy, thread count and transport
// leaves the bits of one rank.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "engine/subcurrent.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/derivatives.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/refusal.hpp"

namespace sc::test {
namespace {

class SolvedLine : public testing::TestWithParam<int> {};

/// 37 = 4 blocks, the last of 13 cells; the other axes give every remainder of a bundle.
Int3 cells_for(int axis) {
  Int3 cells{18, 33, 32};
  cells[axis] = 37;
  return cells;
}
TEST_P(SolvedLine, LeavesTheSameBits) {
  const int axis = GetParam();
  const Int3 cells = cells_for(axis);
  const std::vector<double> expected = alone(cells, axis);
  int divided = 0;
  const auto compare = [&](ContextOptions options, const std::vector<const Strategy*>& strategies) {
    TestContext context(options);
    for (const Int3 split : splits(context.size()))
      for (const Strategy* strategy : strategies) {
        if (!possible(cells, split)) continue;
        divided += split[axis] > 1 ? 1 : 0;
        const auto got = derive(context, {cells, axis, split, {.strategy = *strategy, .poke_seconds = 1e-6}});
        if (context.rank() == 0) {
          EXPECT_EQ(got, expected) << strategy->name << " " << to_string(split) << options.threads;
        }
      }
  };
  const auto all = Strategy::all();
  compare({.threads = 2}, {all.begin(), all.end()});
  compare({.threads = 1, .transport = TransportPolicy::mpi}, {&Strategy::blocking, &Strategy::pipelined});
  compare({.threads = 1, .transport = TransportPolicy::delayed, .delay = 2e-4},
          {&Strategy::boundary_first, &Strategy::interior_first});
  if (world_size() > 1) {
    EXPECT_GT(divided, 0);
  }
}

/// sin over n cells of a period; the largest error on all ranks.
double error_of(Context& context, int axis, int n) {
  Int3 cells{8, 8, 8}, split{1, 1, 1};
  cells[axis] = n;
  split[axis] = context.size();
  const Grid grid = grid_of(context, {cells, axis, split, {}});
  Field<double, 2> f(grid, "f"), df(grid, "df");
  const double h = 2 * std::numbers::pi / n;
  f.fill([&](int k, int x, int y, int z) { return std::sin(h * (axis == 0 ? x : axis == 1 ? y : z) + k); });
  const auto system = std::make_shared<const LineSystem>(tridiagonal(n, beside, 1, true));
  LineSolve derive("derive", axis, system, Derivatives{1 / h}, writes(df.now()), reads(f.now(), star(3)));
  Runner runner(context, {.strategy = Strategy::boundary_first});
  runner.run(derive);
  double error = 0;
  each_cell(grid.own(), [&](Int3 c) {
    for (int k = 0; k < 2; ++k)
      error = std::max(error, std::abs(df.get(c, k) - std::cos(h * (grid.origin() + c)[axis] + k)));
  });
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, context.comm());
  return error;
}

TEST_P(SolvedLine, IsOfEighthOrder) {
  TestContext context;
  const double coarse = error_of(context, GetParam(), 32), fine = error_of(context, GetParam(), 48);
  EXPECT_LT(fine, 1e-9);
  EXPECT_GT(std::log(coarse / fine) / std::log(1.5), 7.8) << coarse << " " << fine;
}

/// Of a constant exactly nothing: no right side holds rounding errors.
TEST_P(SolvedLine, LeavesNothingOfAConstant) {
  TestContext context;
  Int3 cells = cells_for(GetParam()), split{1, 1, 1};
  split[GetParam()] = context.size();
  const Grid grid = grid_of(context, {cells, GetParam(), split, {}});
  Field<double, 2> f(grid, "f"), df(grid, "df");
  f.fill([](int k, int, int, int) { return 0.1 + k; });
  const auto system = std::make_shared<const LineSystem>(tridiagonal(cells[GetParam()], beside, 1, true));
  LineSolve derive("derive", GetParam(), system, Derivatives{3}, writes(df.now()), reads(f.now(), star(3)));
  Runner runner(context, {});
  runner.run(derive);
  each_cell(grid.own(), [&](Int3 c) { ASSERT_EQ(df.get(c), 0); });
}

/// Rows of their own at every cell of an axis with ends, several right sides at once: (2 + n/N) in the
/// middle.
struct Weighted {
  static constexpr int systems = 1;
  SC_FN void right(const Bundle& b, LineIn<double> f, LineOut<double> r) const {
    for (int n = 0; n < b.count; ++n) b.each([&](int l) { r(n, l) = f(n, l); });
  }
  SC_FN void finish(const Bundle& b, LineOut<double> q, LineIn<double> /*f*/, LineIn<double> x) const {
    for (int n = 0; n < b.count; ++n) b.each([&](int l) { q(n, l) += x(n, l); });
  }
};

TEST_P(SolvedLine, HasEndsWhereItIsNotCyclic) {
  const int axis = GetParam();
  TestContext context;
  Int3 cells = cells_for(axis), split{1, 1, 1};
  split[axis] = context.size();
  const auto n = std::size_t(cells[axis]);
  Tridiagonal m = tridiagonal(cells[axis], 0, 0, false);
  for (std::size_t i = 0; i < n; ++i) {
    m.lower[i] = 0.4 + 0.01 * double(i);
    m.upper[i] = -0.9;
    m.diagonal[i] = 2 + double(i) / double(n);
  }
  const auto system = std::make_shared<const LineSystem>(m);
  GridOptions options{.cells = cells, .halo = 1, .split = split};
  options.cuts[std::size_t(axis)] = system->cuts(split[axis]);
  const Grid grid(context, options);
  Field<double> f(grid, "f"), q(grid, "q");
  const auto value = [](int x, int y, int z) { return start_value(0, x, y, z); };
  f.fill(value);
  q.fill([](int, int, int) { return 1.0; });
  LineSolve solve("solve", axis, system, Weighted{}, updates(q.now()), reads(f.now()));
  Runner runner(context, {.strategy = Strategy::pipelined});
  runner.run(solve);
  // Put back into the matrix, the solution gives the right sides.
  const std::vector<double> all = on_root(q);
  if (context.rank() != 0) return;
  each_cell({{0, 0, 0}, cells}, [&](Int3 c) {
    const auto x = [&](int step) {
      Int3 g = c;
      g[axis] += step;
      if (g[axis] < 0 || g[axis] >= cells[axis]) return 0.0;
      return all[(std::size_t(g.z) * std::size_t(cells.y) + std::size_t(g.y)) * std::size_t(cells.x) +
                 std::size_t(g.x)] -
             1;
    };
    const auto i = std::size_t(c[axis]);
    ASSERT_NEAR(m.lower[i] * x(-1) + m.diagonal[i] * x(0) + m.upper[i] * x(1), value(c.x, c.y, c.z), 1e-13)
        << to_string(c);
  });
}

/// What travels is counted; where ranks divide no line, nothing does.
TEST_P(SolvedLine, CountsItsMessages) {
  const int axis = GetParam();
  TestContext context({.transport = TransportPolicy::mpi});
  for (const bool divides : {false, true}) {
    Int3 cells = cells_for(axis), split{1, 1, 1};
    split[divides ? axis : axis == 1 ? 2 : 1] = context.size();
    const Grid grid = grid_of(context, {cells, axis, split, {}});
    Field<double> f(grid, "f"), q(grid, "q");
    f.fill([](int, int, int) { return 1.0; });
    q.fill([](int, int, int) { return 1.0; });
    const auto system = std::make_shared<const LineSystem>(tridiagonal(cells[axis], beside, 1, true));
    LineSolve solve("solve", axis, system, Weighted{}, updates(q.now()), reads(f.now()));
    EXPECT_EQ(solve.divided(), divides && context.size() > 1);
    Runner runner(context, {});
    runner.run(solve);
    if (!solve.divided()) {
      EXPECT_EQ(runner.traffic(Transport::mpi).bytes, 0);
      continue;
    }
    // Two doubles a line and block, of every block that another rank's window holds.
    std::int64_t blocks = 0;
    for (int r = 0; r < context.size(); ++r) {
      const BlockWindow w = block_window(*system, grid.cuts(axis), r);
      for (int n = 0; n < w.count && r != context.rank(); ++n) {
        const int block = (w.first + n + system->blocks()) % system->blocks();
        const int first = system->block_at(grid.cuts(axis)[std::size_t(context.rank())]);
        const int end = system->block_at(grid.cuts(axis)[std::size_t(context.rank()) + 1]);
        blocks += block >= first && block < end && (n < w.own || n >= w.own + w.own_count) ? 1 : 0;
      }
    }
    const std::int64_t lines = grid.own().cells() / grid.own().hi[axis];
    EXPECT_EQ(runner.traffic(Transport::mpi).bytes, 16 * blocks * lines);
  }
}

TEST_P(SolvedLine, RefusesACutInsideABlock) {
  TestContext context;
  if (context.size() == 1) GTEST_SKIP() << "nothing is cut";
  Int3 cells = cells_for(GetParam()), split{1, 1, 1};
  split[GetParam()] = context.size();
  const Grid grid(context, {.cells = cells, .periodic = {true, true, true}, .halo = 3, .split = split});
  Field<double> f(grid, "f"), q(grid, "q");
  const auto system = std::make_shared<const LineSystem>(tridiagonal(cells[GetParam()], beside, 1, true));
  const std::string said = refusal(
      [&] { LineSolve solve("solve", GetParam(), system, Weighted{}, updates(q.now()), reads(f.now())); });
  EXPECT_EQ(said.substr(0, 55), "stage \"solve\" solves lines in blocks of 8 cells, and it");
}

INSTANTIATE_TEST_SUITE_P(XYZ, SolvedLine, testing::Values(0, 1, 2));

}  // namespace
}  // namespace sc::test
