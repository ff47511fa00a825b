// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2
// timeout: 240
// optimise: no
// Preconditioners: the reduction of iterations, that x solves A x = b with each, the same bits for every
// strategy and number of threads, and matrices without an incomplete factor.
#include <gtest/gtest.h>

#include <array>

#include "tests/mpi/cg_strategies.hpp"
#include "tests/mpi/cg_systems.hpp"

namespace sc::cg {
namespace {

using test::biharmonic;
using test::jumps;
using test::Matrix;
using test::solve;
using test::Solved;
using enum Preconditioning;

/// -u_xx - u_yy / 100 on side x side points.
Matrix anisotropic(int side) {
  return {side * side, [side](int i) {
            test::Row row{{i, 2.02}};
            if (i % side > 0) row.emplace_back(i - 1, -1);
            if (i % side < side - 1) row.emplace_back(i + 1, -1);
            if (i >= side) row.emplace_back(i - side, -0.01);
            if (i + side < side * side) row.emplace_back(i + side, -0.01);
            return row;
          }};
}

int ranks() { return test::TestContext().size(); }

Solved solved_with(const Matrix& matrix, PreconditionerOptions preconditioner, double tolerance = 1e-8) {
  Solved s = solve(matrix, {.preconditioner = preconditioner, .tolerance = tolerance});
  EXPECT_TRUE(s.how.converged) << preconditioning_name(preconditioner.kind);
  EXPECT_LT(s.residual, 1.01 * tolerance);
  return s;
}

TEST(CgPreconditioner, FactorsAndPolynomialsLeaveFewerIterationsThanTheDiagonal) {
  for (const Matrix& matrix : {jumps(64), anisotropic(48)}) {
    const int diagonal = solved_with(matrix, {jacobi}).how.iterations();
    const int factor = solved_with(matrix, {ic}).how.iterations();
    const int polynomial = solved_with(matrix, {chebyshev}).how.iterations();
    EXPECT_LT(factor, 0.6 * diagonal);
    EXPECT_LT(polynomial, 0.35 * diagonal);
  }
}

// One step of Chebyshev's iteration is a multiple of the diagonal, which gives the same conjugate gradients.
TEST(CgPreconditioner, ChebyshevOfDegreeOneIsTheDiagonal) {
  const Solved one = solved_with(jumps(32), {.kind = chebyshev, .degree = 1});
  const Solved diagonal = solved_with(jumps(32), {jacobi});
  EXPECT_NEAR(one.how.iterations(), diagonal.how.iterations(), 1);
}

TEST(CgPreconditioner, ChebyshevGainsWithItsDegree) {
  int before = solved_with(anisotropic(48), {jacobi}).how.iterations();
  for (const int degree : {2, 4, 8}) {
    const int now = solved_with(anisotropic(48), {.kind = chebyshev, .degree = degree}).how.iterations();
    EXPECT_LT(now, 0.7 * before) << degree;
    before = now;
  }
}

// The Cholesky factor of a full band has no entries outside the band: on one rank the preconditioner is
// exact.
TEST(CgPreconditioner, TheFactorIsExactWhereThereIsNoFill) {
  const Solved s = solved_with(biharmonic(60), {ic});
  EXPECT_LE(s.how.iterations(), ranks() == 1 ? 2 : 30);
}

/// Kershaw, J. Comput. Phys. 26, 43 (1978): positive definite, but the fourth pivot is negative.
TEST(CgPreconditioner, AMatrixWithoutAFactorIsShiftedAndThatIsSaid) {
  const std::array<std::array<double, 4>, 4> block{
      {{3, -2, 0, 2}, {-2, 3, -2, 0}, {0, -2, 3, -2}, {2, 0, -2, 3}}};
  const Matrix kershaw{48, [&](int i) {
                         test::Row row;
                         for (int k = 0; k < 4; ++k)
                           if (const double v = block[std::size_t(i % 4)][std::size_t(k)]; v != 0)
                             row.emplace_back(i / 4 * 4 + k, v);
                         return row;
                       }};
  const Solved s = solved_with(kershaw, {ic}, 1e-10);
  EXPECT_NE(s.how.note.find("no incomplete Cholesky factor"), std::string::npos) << s.how.note;
  EXPECT_EQ(solved_with(jumps(16), {ic}).how.note, "");
}

TEST(CgPreconditioner, HasTheSameBitsForEveryStrategyAndNumberOfThreads) {
  const Matrix matrix = jumps(12);
  for (const Preconditioning kind : {jacobi, ic, chebyshev})
    for (const bool pipelined : {false, true})
      for (const Division division : {Division::row, Division::column}) {
        SolverOptions options{
            .settings = {division, Strategy::blocking, 5}, .preconditioner = {kind}, .pipelined = pipelined};
        const Solved blocking = solve(matrix, options);
        EXPECT_TRUE(blocking.how.converged);
        EXPECT_LT(blocking.residual, 1.01e-8);
        options.settings.strategy = strategies_of(division)[1];
        const Solved hidden = solve(matrix, options, 1, 2);
        EXPECT_EQ(hidden.x, blocking.x) << preconditioning_name(kind) << ", " << division_name(division);
        EXPECT_EQ(hidden.how.residuals, blocking.how.residuals);
      }
}

TEST(CgPreconditioner, DegreesOutOfRangeAreRefused) {
  for (const int degree : {0, 65})
    EXPECT_THROW(solve(jumps(8), {.preconditioner = {.kind = chebyshev, .degree = degree}}), Error) << degree;
}

}  // namespace
}  // namespace sc::cg
