// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4
// threads: 2
// timeout: 240
// label: sanitize checked
// LineStage: implicit diffusion by tridiagonal solves along x, y and z, held against dense elimination; every
// strategy x split x thread count x transport leaves the bits of one rank.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "engine/stage/line_stage.hpp"
#include "engine/subcurrent.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/kernels.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/mpi/whole_field.hpp"
#include "tests/oracle/dense_solve.hpp"
#include "tests/refusal.hpp"

namespace sc::test {
namespace {

constexpr Int3 cells{13, 18, 16};

/// (1 + 2 k) T[n] - k (T[n-1] + T[n+1]) = d[n] with k of each cell, T = 0 beyond both ends: Thomas'
/// algorithm.
struct Implicit {
  SC_FN void operator()(const Bundle& b, LineOut<double> T, LineIn<double> d, LineIn<double> k) const {
    const LineOut<double> upper = b.scratch(0);
    b.each([&](int l) {
      const double pivot = 1 / (1 + 2 * k(0, l));
      upper(0, l) = -k(0, l) * pivot;
      T(0, l) = d(0, l) * pivot;
    });
    for (int n = 1; n < b.count; ++n)
      b.each([&](int l) {
        const double pivot = 1 / (1 + 2 * k(n, l) + k(n, l) * upper(n - 1, l));
        upper(n, l) = -k(n, l) * pivot;
        T(n, l) = (d(n, l) + k(n, l) * T(n - 1, l)) * pivot;
      });
    for (int n = b.count - 2; n >= 0; --n) b.each([&](int l) { T(n, l) -= upper(n, l) * T(n + 1, l); });
  }
};

void poison_all(AnyField& field) {
  for (int level = 0; level < field.levels(); ++level) poison(field.storage(level));
}

double coefficient(int x, int y, int z) { return 0.3 + 0.2 * std::sin(0.9 * x + 1.7 * y - 0.4 * z); }
double start_value(int x, int y, int z) { return std::sin(0.7 * x + 0.2 * y * z) + 1.5; }

struct Setting {
  int axis;
  Bool3 periodic;
  Int3 split;
  RunnerOptions runner;
};

std::vector<double> diffuse(Context& context, const Setting& s) {
  const Grid grid(context, {.cells = cells, .periodic = s.periodic, .halo = 1, .split = s.split});
  Field<double> T(grid, "T"), d(grid, "d"), k(grid, "k");
  for (AnyField* field : {static_cast<AnyField*>(&T), static_cast<AnyField*>(&d), static_cast<AnyField*>(&k)})
    poison_all(*field);
  context.barrier();  // a neighbour of the same node must not read a cell between poison and value
  T.fill(start_value);
  k.fill(coefficient);
  for (const Face face : all_faces) boundary(T, face, Mirrored<double>{});
  Runner runner(context, s.runner);
  Sweep half("explicit half", Diffuse{0.05}, writes(d.now()), reads(T.now(), star(1)));
  LineStage solve("implicit half", s.axis, Implicit{}, LineOptions{.scratch = 1}, writes(T.now()),
                  reads(d.now()), reads(k.now()));
  for (int n = 0; n < 4; ++n) {
    runner.run(half);
    runner.run(solve);
  }
  std::vector<double> values = on_root(T);
  context.barrier();
  return values;
}

std::vector<double> alone(int axis, Bool3 periodic) {
  return on_one_rank([&](Context& one) {
    return diffuse(one, {axis, periodic, {1, 1, 1}, {.strategy = Strategy::blocking}});
  });
}

/// The same steps on dense arrays, cell by cell and matrix by matrix.
std::vector<double> naive(int axis, Bool3 periodic) {
  const auto at = [](Int3 c) {
    return (static_cast<std::size_t>(c.z) * cells.y + std::size_t(c.y)) * cells.x + std::size_t(c.x);
  };
  const Box all{{0, 0, 0}, cells};
  std::vector<double> T(static_cast<std::size_t>(all.cells())), d(T.size());
  each_cell(all, [&](Int3 c) { T[at(c)] = start_value(c.x, c.y, c.z); });
  for (int step = 0; step < 4; ++step) {
    each_cell(all, [&](Int3 c) {
      double sum = -6 * T[at(c)];
      for (int a = 0; a < 3; ++a)
        for (int side : {-1, 1}) {
          Int3 beside = c;
          beside[a] += side;
          if (beside[a] < 0 || beside[a] >= cells[a])
            beside[a] = periodic[a] ? (beside[a] + cells[a]) % cells[a] : c[a];
          sum += T[at(beside)];
        }
      d[at(c)] = T[at(c)] + 0.05 * sum;
    });
    Box starts = all;
    starts.hi[axis] = 1;
    each_cell(starts, [&](Int3 start) {
      const auto n = static_cast<std::size_t>(cells[axis]);
      Matrix A(n, std::vector<double>(n));
      std::vector<double> b(n);
      Int3 c = start;
      for (std::size_t i = 0; i < n; ++i) {
        c[axis] = static_cast<int>(i);
        const double k = coefficient(c.x, c.y, c.z);
        A[i][i] = 1 + 2 * k;
        if (i > 0) A[i][i - 1] = -k;
        if (i + 1 < n) A[i][i + 1] = -k;
        b[i] = d[at(c)];
      }
      b = dense_solve(std::move(A), std::move(b));
      for (std::size_t i = 0; i < n; ++i) {
        c[axis] = static_cast<int>(i);
        T[at(c)] = b[i];
      }
    });
  }
  return T;
}

class Lines : public testing::TestWithParam<int> {};

TEST_P(Lines, SolveWhatDenseEliminationSolves) {
  for (const Bool3 periodic : {Bool3{}, Bool3{true, true, true}}) {
    const std::vector<double> expected = naive(GetParam(), periodic), got = alone(GetParam(), periodic);
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], 1e-12) << i;
  }
}

TEST_P(Lines, LeaveTheSameBits) {
  const int axis = GetParam();
  for (const Bool3 periodic : {Bool3{}, Bool3{true, true, true}}) {
    const std::vector<double> expected = alone(axis, periodic);
    for (int threads : {1, 2})
      for (TransportPolicy transport :
           {TransportPolicy::automatic, TransportPolicy::mpi, TransportPolicy::delayed}) {
        if (transport == TransportPolicy::delayed && threads > 1) continue;
        TestContext context({.threads = threads, .transport = transport, .delay = 2e-4});
        for (const Int3 split : splits(context.size()))
          for (const Strategy& strategy : all_strategies(context)) {
            if (split[axis] > 1) continue;
            const auto got = diffuse(context, {axis,
                                               periodic,
                                               split,
                                               {.strategy = strategy,
                                                .poke_seconds = 1e-6,
                                                .halo = {.piece_bytes = 1000, .near_piece_bytes = 1000}}});
            if (context.rank() == 0) {
              EXPECT_EQ(got, expected) << strategy.name << " " << to_string(split) << threads;
            }
          }
      }
  }
}

/// Reads one cell beyond both ends of its line.
struct Along {
  SC_FN void operator()(const Bundle& b, LineOut<double> out, LineIn<double, 2> q) const {
    for (int n = 0; n < b.count; ++n)
      b.each([&](int l) {
        out(n, l) =
            q[0](n - 1, l) - 2 * q[1](n, l) + q[0](n + 1, l) + 0.25 * static_cast<double>(b.at(n, l).y);
      });
  }
};
struct MirroredPair {
  SC_FN void operator()(Border b, Out<double, 2> q) const {
    for (int n = 1; n <= b.layers; ++n)
      for (int k = 0; k < 2; ++k) q[k][b.ghost(n)] = q[k][b.inside(n)];
  }
};
struct Axis {
  int axis;
  SC_FN void operator()(At c, Index g, Out<double> out, In<double, 2> q) const {
    out[c] = q[0][c.along(axis, -1)] - 2 * q[1][c] + q[0][c.along(axis, 1)] + 0.25 * static_cast<double>(g.y);
  }
};

TEST_P(Lines, ReadTheHaloAtTheirEnds) {
  const int axis = GetParam();
  for (Strategy strategy :
       {Strategy::blocking, Strategy::boundary_first, Strategy::interior_first, Strategy::halo_thread}) {
    TestContext context({.threads = 2});
    for (const Int3 split : splits(context.size())) {
      if (split[axis] > 1) continue;
      const Grid grid(context, {.cells = cells, .periodic = {true, false, true}, .halo = 2, .split = split});
      Field<double, 2> q(grid, "q");
      Field<double> a(grid, "a"), b(grid, "b");
      poison_all(q);
      context.barrier();
      // Small integers: sums of two kernels are then equal however the compiler fuses them.
      q.fill([](int k, int x, int y, int z) { return (31 * x * (k + 1) + 7 * y + 5 * z) % 19; });
      for (const Face face : {y_low, y_high}) boundary(q, face, MirroredPair{});
      Runner runner(context, {.strategy = strategy, .poke_seconds = 1e-6});
      LineStage lines("lines", axis, Along{}, writes(a.now()), reads(q.now(), star(1)));
      Sweep sweep("sweep", Axis{axis}, writes(b.now()), reads(q.now(), star(1)));
      runner.run(lines);
      runner.run(sweep);
      each_cell(grid.own(), [&](Int3 c) { ASSERT_EQ(a.get(c), b.get(c)) << to_string(c); });
    }
  }
}

/// A running sum, on lines where they lie.
struct RunningSum {
  SC_FN void operator()(const Bundle& b, LineMemory<double> q) const {
    for (int l = 0; l < b.lines; ++l)
      for (int n = 1; n < b.count; ++n) {
        double* at = q.base + n * q.along + l * q.across;
        at[0] += at[-q.along];
      }
  }
};
struct RunningSumAcross {
  SC_FN void operator()(const Bundle& b, LineOut<double> q) const {
    for (int n = 1; n < b.count; ++n) b.each([&](int l) { q(n, l) += q(n - 1, l); });
  }
};

TEST_P(Lines, MayBeTakenWhereTheyLie) {
  TestContext context;
  Int3 split{1, 1, 1};
  split[(GetParam() + 1) % 3] = context.size();
  const Grid grid(context, {.cells = cells, .halo = 1, .split = split});
  Field<double> a(grid, "a"), b(grid, "b");
  a.fill(start_value);
  b.fill(start_value);
  Runner runner(context, {.strategy = Strategy::boundary_first});
  LineStage where("where they lie", GetParam(), RunningSum{}, updates(a.now()));
  LineStage beside("side by side", GetParam(), RunningSumAcross{}, updates(b.now()));
  runner.run(where);
  runner.run(beside);
  Int3 end = grid.own().hi - Int3{1, 1, 1};
  double sum = 0;
  for (end[GetParam()] = 0; end[GetParam()] < cells[GetParam()]; ++end[GetParam()]) {
    const Int3 g = grid.origin() + end;
    sum += start_value(g.x, g.y, g.z);
    EXPECT_EQ(a.get(end), sum);
  }
  each_cell(grid.own(), [&](Int3 c) { ASSERT_EQ(a.get(c), b.get(c)); });
}

TEST_P(Lines, AreRefusedWhereTheAxisIsDivided) {
  TestContext context;
  Int3 split{1, 1, 1};
  split[GetParam()] = context.size();
  const Grid grid(context, {.cells = cells, .halo = 1, .split = split});
  Field<double> a(grid, "a");
  const auto make = [&] { LineStage stage("solve", GetParam(), RunningSumAcross{}, updates(a.now())); };
  if (context.size() == 1) {
    EXPECT_NO_THROW(make());
    return;
  }
  const std::string expected = std::string("stage \"solve\" needs whole lines along ") + "xyz"[GetParam()] +
                               ", which the split " + to_string(split);
  EXPECT_EQ(refusal(make).substr(0, expected.size()), expected);
}

TEST(LineStage, RefusesAPartOfALine) {
  TestContext context;
  const Grid grid(context, {.cells = cells, .halo = 1, .split = {context.size(), 1, 1}});
  Field<double> a(grid, "a");
  LineStage stage("solve", 2, RunningSumAcross{}, updates(a.now()));
  Box half = grid.own();
  half.hi.z /= 2;
  EXPECT_THROW(stage.compute(half, 1, {}), Error);
}

INSTANTIATE_TEST_SUITE_P(XYZ, Lines, testing::Values(0, 1, 2));

}  // namespace
}  // namespace sc::test
