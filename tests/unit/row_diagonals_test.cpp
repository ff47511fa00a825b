// SPDX-License-Identifier: Apache-2.0
// Rows by diagonals: which groups are stored so, and that their sums are those of the rows, with the same
// bits for single rows, groups and threads.
#include "engine/exec/row_diagonals.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace sc {
namespace {

using Row = std::vector<std::int32_t>;  // columns

/// A matrix with these rows and random values.
struct Matrix {
  explicit Matrix(const std::vector<Row>& columns) {
    std::mt19937 numbers(7);
    std::uniform_real_distribution<double> real(-1, 1);
    for (const Row& row : columns) {
      for (const std::int32_t c : row) {
        rows.column.push_back(c);
        rows.value.push_back(real(numbers));
      }
      rows.begin.push_back(static_cast<std::int64_t>(rows.column.size()));
    }
    for (int i = 0; i < rows.rows(); ++i) x.push_back(real(numbers));
    plain = rows;
    store_by_diagonals(rows);
  }
  std::vector<double> product(int threads = 1) const {
    std::vector<double> y(x.size());
    multiply(rows, 0, rows.rows(), x.data(), y.data(), threads);
    return y;
  }
  CompressedRows rows, plain;
  std::vector<double> x;
};

/// A Laplacian of n x n points between walls, with 5 columns in the interior.
std::vector<Row> grid(int n) {
  std::vector<Row> all;
  for (int i = 0; i < n * n; ++i) {
    Row row;
    for (const int d : {-n, -1, 0, 1, n}) {
      const bool wall = (d == -1 && i % n == 0) || (d == 1 && i % n == n - 1);
      if (!wall && i + d >= 0 && i + d < n * n) row.push_back(i + d);
    }
    all.push_back(row);
  }
  return all;
}

std::vector<Row> scattered(int n, int length) {
  std::mt19937 numbers(3);
  std::vector<Row> all;
  for (int i = 0; i < n; ++i) {
    Row row;
    for (int k = 0; k < length; ++k) row.push_back(static_cast<int>(numbers() % static_cast<unsigned>(n)));
    std::ranges::sort(row);
    row.erase(std::unique(row.begin(), row.end()), row.end());
    all.push_back(row);
  }
  return all;
}

/// Grid, scattered rows, and grid again; 30 * 8 + 5 rows, so the last are in no group.
std::vector<Row> mixed() {
  std::vector<Row> all = scattered(245, 6), band = grid(16);
  for (int i = 0; i < 245; ++i)
    if (i < 80 || i >= 120) all[static_cast<std::size_t>(i)] = band[static_cast<std::size_t>(i)];
  for (Row& row : all) std::erase_if(row, [](std::int32_t c) { return c >= 245; });
  return all;
}

void expect_the_sums(const Matrix& a) {
  const std::vector<double> y = a.product();
  for (std::size_t r = 0; r < y.size(); ++r) {
    long double sum = 0, size = 0;
    for (auto k = static_cast<std::size_t>(a.plain.begin[r]);
         k < static_cast<std::size_t>(a.plain.begin[r + 1]); ++k) {
      const long double term =
          static_cast<long double>(a.plain.value[k]) * a.x[static_cast<std::size_t>(a.plain.column[k])];
      sum += term;
      size += std::abs(term);
    }
    EXPECT_NEAR(y[r], static_cast<double>(sum), 1e-15 * static_cast<double>(size)) << r;
  }
}

TEST(RowDiagonals, OfAGridAreStored) {
  const Matrix a(grid(20));
  ASSERT_EQ(a.rows.diagonals.size(), 50U);
  for (const std::uint8_t diagonals : a.rows.diagonals) EXPECT_TRUE(diagonals >= 4 && diagonals <= 5);
  expect_the_sums(a);
  EXPECT_DOUBLE_EQ(a.plain.bytes(), 12.0 * static_cast<double>(a.plain.nonzeros()) + 8 * 400);
  double columns = 0;
  for (const std::uint8_t diagonals : a.rows.diagonals) columns += 8 * diagonals;
  EXPECT_DOUBLE_EQ(a.rows.bytes(), 8.0 * static_cast<double>(a.rows.nonzeros()) + 8 * 400 + columns);
}

TEST(RowDiagonals, OfScatteredRowsAreNot) {
  const Matrix a(scattered(100, 7));
  EXPECT_TRUE(a.rows.diagonals.empty());
  EXPECT_EQ(a.rows.column, a.plain.column);
  expect_the_sums(a);
}

TEST(RowDiagonals, OfRowsWithoutOrderAreNot) {
  std::vector<Row> rows = grid(20);
  std::swap(rows[10][0], rows[10][1]);             // group 1
  rows[19].insert(rows[19].begin(), rows[19][0]);  // group 2: a column twice
  const Matrix a(rows);
  EXPECT_GT(a.rows.diagonals[0], 0);
  EXPECT_EQ(a.rows.diagonals[1], 0);
  EXPECT_EQ(a.rows.diagonals[2], 0);
  EXPECT_GT(a.rows.diagonals[3], 0);
  expect_the_sums(a);
}

TEST(RowDiagonals, AndOthersInOneMatrix) {
  const Matrix a(mixed());
  ASSERT_EQ(a.rows.diagonals.size(), 30U);
  EXPECT_GT(a.rows.diagonals[2], 0);
  EXPECT_EQ(a.rows.diagonals[12], 0);
  EXPECT_GT(a.rows.diagonals[20], 0);
  expect_the_sums(a);
}

TEST(RowDiagonals, OfEmptyAndLongRows) {
  std::vector<Row> rows(16);
  for (int i = 8; i < 16; ++i)
    for (int c = 0; c < 16; ++c) rows[static_cast<std::size_t>(i)].push_back(c);
  const Matrix a(rows);
  ASSERT_EQ(a.rows.diagonals.size(), 2U);
  EXPECT_EQ(a.rows.diagonals[0], 0);
  EXPECT_EQ(a.rows.diagonals[1], 23);
  expect_the_sums(a);
}

TEST(RowDiagonals, GiveTheSameBitsInAnyPart) {
  const Matrix a(mixed());
  const std::vector<double> whole = a.product();
  const int n = a.rows.rows();
  for (int first = 0; first < n; first += 3)
    for (const int last : {first, first + 1, first + 7, first + 20, n}) {
      if (last > n) continue;
      std::vector<double> y(whole.size(), 99);
      multiply(a.rows, first, last, a.x.data(), y.data(), 1);
      for (int r = 0; r < n; ++r)
        EXPECT_EQ(y[static_cast<std::size_t>(r)],
                  r < first || r >= last ? 99 : whole[static_cast<std::size_t>(r)])
            << first << " " << last;
    }
  for (const int threads : {2, 3, 7}) EXPECT_EQ(a.product(threads), whole) << threads;
}

}  // namespace
}  // namespace sc
