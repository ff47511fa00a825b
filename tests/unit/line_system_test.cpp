// SPDX-License-Identifier: Apache-2.0
// LineSystem: lines solved block by block are those that dense elimination solves, cyclic or not, whatever
// the blocks.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "engine/base/error.hpp"
#include "engine/exec/line_elimination.hpp"
#include "tests/oracle/dense_solve.hpp"

namespace sc::test {
namespace {

Matrix dense(const Tridiagonal& m) {
  const std::size_t n = m.diagonal.size();
  Matrix A(n, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i) {
    A[i][i] += m.diagonal[i];
    if (i > 0 || m.cyclic) A[i][(i + n - 1) % n] += m.lower[i];
    if (i + 1 < n || m.cyclic) A[i][(i + 1) % n] += m.upper[i];
  }
  return A;
}

constexpr int lanes = LineGeometry::lanes;

/// The same right side on 16 lines, the l-th one times l + 1.
std::vector<double> by_blocks(const LineSystem& system, const std::vector<double>& r, int line) {
  std::vector<double> right(r.size() * lanes), sums(2 * r.size() * lanes);
  for (std::size_t n = 0; n < r.size(); ++n)
    for (std::size_t l = 0; l < lanes; ++l) right[n * lanes + l] = r[n] * double(l + 1);
  const LinePart part{&system, 0, 0, system.blocks(), right.data(), lanes};
  const SumsOfLines of_lines{sums.data(), lanes};
  sum_blocks(part, of_lines, 0);
  solve_blocks(part, of_lines, [&](int k) { return (k + system.blocks()) % system.blocks(); });
  std::vector<double> x;
  for (std::size_t n = 0; n < r.size(); ++n) x.push_back(right[n * lanes + std::size_t(line)] / (line + 1));
  return x;
}

void compare(const Tridiagonal& m, int block) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<double> r(m.diagonal.size());
  for (double& v : r) v = value(random);
  const std::vector<double> expected = dense_solve(dense(m), r);
  const LineSystem system(m, block);
  double largest = 1;
  for (const double v : expected) largest = std::max(largest, std::abs(v));
  for (const int line : {0, 6, 15}) {
    const std::vector<double> x = by_blocks(system, r, line);
    for (std::size_t n = 0; n < r.size(); ++n)
      ASSERT_NEAR(x[n], expected[n], 1e-14 * largest)
          << n << " of " << r.size() << " in blocks of " << block << (m.cyclic ? ", cyclic" : "");
  }
}

TEST(LineSystem, SolvesWhatDenseEliminationSolves) {
  for (const bool cyclic : {false, true})
    for (const int n : {3, 5, 8, 15, 16, 17, 23, 31, 40, 100, 257})
      for (const int block : {3, 8, 13, 16}) {
        compare(tridiagonal(n, 0.375, 1, cyclic), block);  // the derivative's: decays fast
        compare(tridiagonal(n, 0.49, 1, cyclic), block);   // a filter's: decays slowly
        Tridiagonal m = tridiagonal(n, 0, 0, cyclic);
        std::mt19937 random(static_cast<unsigned>(n));
        std::uniform_real_distribution<double> value(-1, 1);
        for (std::size_t i = 0; i < m.diagonal.size(); ++i) {
          m.lower[i] = value(random);
          m.upper[i] = value(random);
          m.diagonal[i] = (i % 2 ? -1 : 1) * (0.5 + std::abs(m.lower[i]) + std::abs(m.upper[i]));
        }
        compare(m, block);
      }
}

TEST(LineSystem, KnowsWhereItsBlocksBegin) {
  const LineSystem system(tridiagonal(29, 0.375, 1, true));
  EXPECT_EQ(system.blocks(), 3);
  EXPECT_EQ(system.block_at(16), 2);
  EXPECT_EQ(system.block_at(24), -1);  // the last block has the rest
  EXPECT_EQ(system.block_at(29), 3);
  EXPECT_EQ(system.cuts(2), (std::vector<int>{0, 8, 29}));
  EXPECT_THROW(system.cuts(4), Error);
}

TEST(LineSystem, LooksNoFartherThanValuesReach) {
  const LineSystem derivative(tridiagonal(512, 0.375, 1, true)), filter(tridiagonal(512, 0.49, 1, true));
  EXPECT_LE(derivative.before() + derivative.after(), 16);  // 0.45^8 a block
  EXPECT_GT(derivative.after(), 5);
  EXPECT_GT(filter.after(), 20);  // 0.82^8 a block
  EXPECT_LT(filter.after(), 32);
}

TEST(LineSystem, RefusesWhatItCannotSolve) {
  EXPECT_THROW(LineSystem(tridiagonal(2, 0.25, 1, false)), Error);
  EXPECT_THROW(LineSystem(tridiagonal(16, 0.25, 1, false), 2), Error);
  EXPECT_THROW(LineSystem(tridiagonal(16, -1, 2, true)), Error);  // singular
  EXPECT_NO_THROW(LineSystem(tridiagonal(16, -1, 2, false)));
  Tridiagonal uneven = tridiagonal(16, 0.25, 1, false);
  uneven.lower.pop_back();
  EXPECT_THROW(LineSystem{uneven}, Error);
}

}  // namespace
}  // namespace sc::test
