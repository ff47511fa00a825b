// SPDX-License-Identifier: Apache-2.0
// IncompleteCholesky against a dense factorisation with the same pattern, column by column.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "solvers/cg/incomplete_cholesky.hpp"

namespace sc::cg {
namespace {

using Dense = std::vector<std::vector<double>>;

/// Symmetric and diagonally dominant; off the diagonal mostly zero, negative or positive.
Dense random_matrix(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> value(-1, 0.5), chance(0, 1);
  Dense a(n, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (chance(random) < 0.2) a[i][j] = a[j][i] = value(random);
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0.1;
    for (std::size_t j = 0; j < n; ++j) sum += std::abs(a[i][j]);
    a[i][i] = sum;
  }
  return a;
}

LocalRows rows_of(const Dense& a, std::int64_t first) {
  LocalRows rows;
  rows.first = first;
  for (const auto& row : a) {
    for (std::size_t j = row.size(); j-- > 0;)  // in arbitrary order
      if (row[j] != 0) {
        rows.column.push_back(first + static_cast<std::int64_t>(j));
        rows.value.push_back(row[j]);
      }
    rows.column.push_back(first - 1);  // a column of another rank
    rows.value.push_back(-1);
    rows.begin.push_back(static_cast<std::int64_t>(rows.column.size()));
  }
  return rows;
}

/// Right-looking factorisation that drops fill.
Dense factor(Dense a) {
  const Dense pattern = a;
  const std::size_t n = a.size();
  for (std::size_t k = 0; k < n; ++k) {
    a[k][k] = std::sqrt(a[k][k]);
    for (std::size_t i = k + 1; i < n; ++i) a[i][k] /= a[k][k];
    for (std::size_t j = k + 1; j < n; ++j)
      for (std::size_t i = j; i < n; ++i)
        if (pattern[i][j] != 0) a[i][j] -= a[i][k] * a[j][k];
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) a[i][j] = 0;
  return a;
}

TEST(IncompleteCholesky, SolvesWithTheFactorOfTheSamePattern) {
  const std::size_t n = 40;
  for (const unsigned seed : {1U, 2U, 3U}) {
    const Dense a = random_matrix(n, seed), l = factor(a);
    const IncompleteCholesky incomplete(rows_of(a, 7), 7, 7 + static_cast<std::int64_t>(n));
    EXPECT_EQ(incomplete.shift(), 0);
    std::vector<double> expected(n), r(n), u(n);
    for (std::size_t i = 0; i < n; ++i) expected[i] = std::cos(static_cast<double>(i * i));
    for (std::size_t i = 0; i < n; ++i)  // r = L L^T expected
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t j = 0; j < n; ++j) r[i] += l[i][k] * l[j][k] * expected[j];
    incomplete.solve(r.data(), u.data());
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(u[i], expected[i], 1e-12) << seed << " " << i;
  }
}

TEST(IncompleteCholesky, AddsWhatIsThereTwice) {
  LocalRows rows;  // (4 -2; -2 4), each in two parts
  rows.column = {0, 1, 1, 0, 1, 0, 0, 1};
  rows.value = {1, -1, -1, 3, 2, -1, -1, 2};
  rows.begin = {0, 4, 8};
  const IncompleteCholesky factor(rows, 0, 2);
  const double r[] = {2, 2};
  double u[2];
  factor.solve(r, u);
  EXPECT_NEAR(u[0], 1, 1e-15);
  EXPECT_NEAR(u[1], 1, 1e-15);
}

TEST(IncompleteCholesky, ShiftsAsLittleAsItMust) {
  const Dense kershaw{{3, -2, 0, 2}, {-2, 3, -2, 0}, {0, -2, 3, -2}, {2, 0, -2, 3}};
  const IncompleteCholesky shifted(rows_of(kershaw, 1), 1, 5);
  EXPECT_GT(shifted.shift(), 0);
  const auto pivot = [&](double shift) {  // the last pivot of A + shift diag(A), by hand
    const double d = 3 * (1 + shift);
    const double second = d - 4 / d, third = d - 4 / second;
    return d - 4 / d - 4 / third;
  };
  EXPECT_GT(pivot(shifted.shift()), 0);
  EXPECT_LT(pivot(shifted.shift() / 2), 1e-12);
}

TEST(IncompleteCholesky, RefusesADiagonalThatIsNotPositive) {
  EXPECT_THROW(IncompleteCholesky(rows_of({{1, 0}, {0, 0}}, 1), 1, 3), Error);
}

}  // namespace
}  // namespace sc::cg
