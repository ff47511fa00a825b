// SPDX-License-Identifier: Apache-2.0
// ranks: 1 3
// timeout: 240
// optimise: no
// "Converged" is a statement about b - A x, which the test recomputes from the matrix: plain and pipelined
// iterations on matrices for which rounding errors separate b - A x from the recursive residual.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tests/mpi/cg_strategies.hpp"
#include "tests/mpi/cg_systems.hpp"

namespace sc::cg {
namespace {

using test::biharmonic;
using test::jumps;
using test::Matrix;
using test::penalised;
using test::Row;
using test::solve;
using test::Solved;

constexpr std::array both = {false, true};

TEST(CgSolver, IsConvergedWhereTheTrueResidualIsSmallEnough) {
  for (const bool pipelined : both) {
    for (const double tolerance : {1e-4, 1e-8, 1e-12}) {
      const Solved s =
          solve(biharmonic(200), {.pipelined = pipelined, .tolerance = tolerance, .iterations = 100000});
      // Rounding errors in A x change |b - A x| by about 1e-8 |b| here.
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
    SolverOptions options{.preconditioner = {Preconditioning::jacobi}, .tolerance = 1e-8};
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

// Rows with a large diagonal hold their unknowns near zero (penalties), so p^T A p is far below max |a_ij|
// p^T p.
TEST(CgSolver, TakesRowsOfAnyScale) {
  for (const double penalty : {1e10, 1e16, 1e30})
    for (const Preconditioning kind : {Preconditioning::jacobi, Preconditioning::ic})
      for (const bool pipelined : both) {
        const Solved s = solve(penalised(20, penalty),
                               {.preconditioner = {kind}, .pipelined = pipelined, .tolerance = 1e-10});
        EXPECT_TRUE(s.how.converged) << penalty << " " << int(kind) << pipelined << s.how.breakdown;
        EXPECT_LT(s.residual, 1.01e-10);
      }
}

TEST(CgSolver, FindsASingularMatrixOfAnyScale) {
  for (const double scale : {1.0, 1e-30, 1e30})
    for (const bool pipelined : both) {
      const Matrix laplacian{20, [scale](int i) {  // without boundary values; the sum of every row is zero
                               Row row;
                               if (i > 0) row.emplace_back(i - 1, -scale);
                               if (i < 19) row.emplace_back(i + 1, -scale);
                               row.emplace_back(i, scale * static_cast<double>(row.size()));
                               return row;
                             }};
      const Solved s = solve(laplacian, {.pipelined = pipelined, .tolerance = 1e-10});
      EXPECT_FALSE(s.how.converged);
      EXPECT_NE(s.how.breakdown.find("singular to working precision"), std::string::npos) << s.how.breakdown;
    }
}

// The first direction is the null vector, so p^T A p is a rounding error, of either sign.
TEST(CgSolver, FindsASingularMatrixByItsRoundingErrors) {
  for (int k = 3; k < 11; ++k)
    for (const Preconditioning kind : {Preconditioning::none, Preconditioning::jacobi}) {
      const auto coupling = [k](int i) { return i < 0 || i > 18 ? 0 : 1.0 / (i + k); };  // of i and i + 1
      const auto degree = [&](int i) { return coupling(i - 1) + coupling(i); };
      const auto scale = [&](int i) { return kind == Preconditioning::jacobi ? 1 / degree(i) : 1.0; };
      const Matrix chain{20, [&](int i) {
                           Row row;
                           if (i > 0) row.emplace_back(i - 1, -coupling(i - 1) * scale(i - 1) * scale(i));
                           if (i < 19) row.emplace_back(i + 1, -coupling(i) * scale(i) * scale(i + 1));
                           row.emplace_back(i, degree(i) * scale(i) * scale(i));
                           return row;
                         }};
      const Solved s = solve(chain, {.preconditioner = {kind}, .tolerance = 1e-10});
      EXPECT_FALSE(s.how.converged);
      EXPECT_NE(s.how.breakdown.find("singular to working precision"), std::string::npos)
          << k << " " << int(kind) << s.how.breakdown;
    }
}

TEST(CgSolver, TakesRightSidesOfAnySize) {
  const Solved one = solve(jumps(32), {.tolerance = 1e-8});
  for (const int exponent : {-1000, -600, 600, 1000}) {  // squares overflow or underflow
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
      SolverOptions options{.settings = {division, Strategy::blocking, 5}, .pipelined = pipelined};
      const Matrix matrix = biharmonic(200);  // includes restarts and recomputations
      const Solved blocking = solve(matrix, options);
      EXPECT_GT(blocking.how.restarts, 0);
      options.settings.strategy = strategies_of(division)[1];
      for (const int threads : {1, 2}) {
        const Solved hidden = solve(matrix, options, 1, threads);
        EXPECT_EQ(hidden.x, blocking.x) << division_name(division) << ", threads " << threads;
        EXPECT_EQ(hidden.how.residuals, blocking.how.residuals);
      }
    }
}

}  // namespace
}  // namespace sc::cg
