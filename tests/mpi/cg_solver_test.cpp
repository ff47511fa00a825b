// SPDX-License-Identifier: Apache-2.0
// ranks: 1 3
// timeout: 240
// "Converged" is a statement about b - A x, which is computed here again from the matrix: plain and pipelined
// iterations on matrices where rounding parts b - A x from the residual that the iteration carries on.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

#include "solvers/cg/solver.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::cg {
namespace {

using test::TestContext;
using Row = std::vector<std::pair<int, double>>;

struct Matrix {
  int n = 0;
  std::function<Row(int)> row;
};

/// u'''' on n points with u = u'' = 0 at the ends: the square of (-1, 2, -1); its condition grows as n^4.
Matrix biharmonic(int n) {
  return {n, [n](int i) {
            const double middle = i == 0 || i == n - 1 ? 5 : 6;
            Row row;
            for (const auto& [c, v] : Row{{i - 2, 1}, {i - 1, -4}, {i, middle}, {i + 1, -4}, {i + 2, 1}})
              if (c >= 0 && c < n) row.emplace_back(c, v);
            return row;
          }};
}

/// Poisson's equation on side x side points whose coefficient is 1 or 1e4 in the fields of a chess board.
Matrix jumps(int side) {
  return {side * side, [side](int i) {
            const auto coefficient = [side](int x, int y) {
              return (4 * x / side + 4 * y / side) % 2 == 0 ? 1.0 : 1e4;
            };
            const int x = i % side, y = i / side;
            const double mine = coefficient(x, y);
            double sum = 0;
            Row row;
            for (const auto& [dx, dy] : {std::pair{0, -1}, {-1, 0}, {1, 0}, {0, 1}}) {
              const int ox = x + dx, oy = y + dy;
              const bool inside = ox >= 0 && ox < side && oy >= 0 && oy < side;
              const double theirs = inside ? coefficient(ox, oy) : 0;
              const double face = inside ? 2 * mine * theirs / (mine + theirs) : 2 * mine;
              sum += face;
              if (inside) row.emplace_back(oy * side + ox, -face);
            }
            row.emplace_back(i, sum);
            return row;
          }};
}

struct Solved {
  Solution how;
  std::vector<double> x;
  double residual = 0;  // |b - A x| / |b| of x as it was given back
};

Solved solve(const Matrix& matrix, const SolverOptions& options, double scale = 1, int threads = 1) {
  TestContext context({.threads = threads});
  std::vector<std::int64_t> weight;
  for (int i = 0; i < matrix.n; ++i) weight.push_back(static_cast<std::int64_t>(matrix.row(i).size()));
  const Partition partition(options.settings.partition, weight, context.size());
  const auto [first, last] = partition.rows(context.rank());
  LocalRows rows;
  rows.first = first;
  for (int i = first; i < last; ++i) {
    for (const auto& [c, v] : matrix.row(i)) {
      rows.column.push_back(c);
      rows.value.push_back(v);
    }
    rows.begin.push_back(static_cast<std::int64_t>(rows.column.size()));
  }
  Solver solver(context, partition, keep_own(rows, partition, context.rank()), options);
  const auto rank = static_cast<std::size_t>(context.rank());
  const int own = partition.cuts()[rank + 1] - partition.cuts()[rank];
  Solved solved{.how = solver.solve(std::vector<double>(static_cast<std::size_t>(own), scale)),
                .x = solver.gathered()};
  double sum = 0;
  for (int i = 0; i < matrix.n; ++i) {
    double left = 1;
    for (const auto& [c, v] : matrix.row(i)) left -= v * (solved.x[static_cast<std::size_t>(c)] / scale);
    sum += left * left;
  }
  solved.residual = std::sqrt(sum / matrix.n);
  return solved;
}

constexpr std::array both = {false, true};

TEST(CgSolver, IsConvergedWhereTheTrueResidualIsSmallEnough) {
  for (const bool pipelined : both) {
    for (const double tolerance : {1e-4, 1e-8, 1e-12}) {
      const Solved s =
          solve(biharmonic(200), {.pipelined = pipelined, .tolerance = tolerance, .iterations = 100000});
      // Rounding makes of |b - A x| what it makes of A x: some 1e-8 |b| here.
      EXPECT_NEAR(s.how.residual, s.residual, 2e-8) << pipelined << " " << tolerance;
      EXPECT_EQ(s.how.converged, s.how.residual <= tolerance) << pipelined << " " << tolerance;
      EXPECT_GE(s.how.residuals.back(), s.how.residual);
      EXPECT_EQ(s.how.converged, tolerance > 1e-5) << pipelined << " " << tolerance;
      EXPECT_EQ(s.how.stagnated, !s.how.converged) << pipelined << " " << tolerance;
    }
  }
}

TEST(CgSolver, IsStartedAnewWhereThatHelps) {
  const Solved s = solve(jumps(64), {.tolerance = 1e-11});
  EXPECT_TRUE(s.how.stagnated);  // at about 3e-10
  EXPECT_GT(s.how.restarts, 0);
  EXPECT_LT(s.how.residual, 2e-9);
}

TEST(CgSolver, PipelinedReachesWhatPlainReaches) {
  for (const Matrix& matrix : {jumps(64), jumps(96)}) {
    SolverOptions options{.preconditioner = Preconditioning::jacobi, .tolerance = 1e-8};
    const Solved plain = solve(matrix, options);
    options.pipelined = true;
    const Solved pipelined = solve(matrix, options);
    for (const Solved* s : {&plain, &pipelined}) {
      EXPECT_TRUE(s->how.converged);
      EXPECT_LT(s->residual, 1.01e-8);
      EXPECT_EQ(s->how.note, "");
    }
    EXPECT_LT(pipelined.how.iterations(), 1.1 * plain.how.iterations());
  }
}

TEST(CgSolver, NeverEndsWorseThanItBegan) {
  for (const bool pipelined : both)
    for (const int n : {400, 1000}) {
      const Solved s =
          solve(biharmonic(n), {.pipelined = pipelined, .tolerance = 1e-10, .iterations = 3 * n});
      EXPECT_FALSE(s.how.converged);
      EXPECT_LE(s.how.residual, 1) << n;
      EXPECT_NEAR(s.how.residual, s.residual, 1e-3) << n;
    }
}

TEST(CgSolver, SaysWhereItFallsBackToThePlainIteration) {
  const Solved s = solve(biharmonic(100), {.pipelined = true, .tolerance = 1e-8});
  EXPECT_TRUE(s.how.converged);
  EXPECT_NE(s.how.note.find("plain conjugate gradients went on from there"), std::string::npos) << s.how.note;
}

TEST(CgSolver, TakesRightSidesOfAnySize) {
  const Solved one = solve(jumps(32), {.tolerance = 1e-8});
  for (const int exponent : {-1000, -600, 600, 1000}) {  // squares are beyond the range of numbers
    const Solved s = solve(jumps(32), {.tolerance = 1e-8}, std::ldexp(1, exponent));
    EXPECT_TRUE(s.how.converged) << exponent;
    ASSERT_EQ(s.x.size(), one.x.size());
    for (std::size_t i = 0; i < s.x.size(); ++i)
      ASSERT_EQ(s.x[i], std::ldexp(one.x[i], exponent)) << exponent;
  }
}

TEST(CgSolver, HasTheSameBitsForEveryStrategyAndNumberOfThreads) {
  for (const bool pipelined : both)
    for (const Division division : {Division::row, Division::column, Division::grid}) {
      SolverOptions options{.settings = {division, Hiding::blocking, 5}, .pipelined = pipelined};
      const Matrix matrix = biharmonic(200);  // restarts and renewals are part of it
      const Solved blocking = solve(matrix, options);
      EXPECT_GT(blocking.how.restarts, 0);
      options.settings.strategy = Hiding::direct;
      for (const int threads : {1, 2}) {
        const Solved direct = solve(matrix, options, 1, threads);
        EXPECT_EQ(direct.x, blocking.x) << division_name(division) << ", threads " << threads;
        EXPECT_EQ(direct.how.residuals, blocking.how.residuals);
      }
    }
}

}  // namespace
}  // namespace sc::cg
