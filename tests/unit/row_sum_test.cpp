// SPDX-License-Identifier: Apache-2.0
// Sums over rows of a sparse matrix of any length: both ways of loading x give the same bits.
#include "engine/exec/row_sum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace sc {
namespace {

struct Row {
  std::vector<double> value, x;
  std::vector<std::int32_t> column;
  long double sum = 0, size = 0;
};

Row random_row(int length, unsigned seed) {
  std::mt19937 numbers(seed);
  std::uniform_real_distribution<double> real(-1, 1);
  Row row;
  for (int i = 0; i < 50; ++i) row.x.push_back(real(numbers));
  for (int i = 0; i < length; ++i) {
    row.value.push_back(real(numbers));
    row.column.push_back(static_cast<std::int32_t>(numbers() % row.x.size()));
    const long double term =
        static_cast<long double>(row.value.back()) * row.x[static_cast<std::size_t>(row.column.back())];
    row.sum += term;
    row.size += std::abs(term);
  }
  return row;
}

/// The sum is a template argument, as in the product: an always-inlined function cannot be called through a
/// pointer.
template <RowSum sum>
double sum_of_row(const Row& row) {
  return sum(row.value.data(), row.column.data(), static_cast<std::int64_t>(row.value.size()), row.x.data());
}

TEST(RowSum, IsTheSumWhateverTheLength) {
  for (int length = 0; length < 70; ++length) {
    const Row row = random_row(length, static_cast<unsigned>(length));
    const auto error = static_cast<double>(row.size) * 70 * 1.2e-16;
#ifdef __AVX512VL__
    EXPECT_NEAR(sum_of_row<row_sum<by_instruction>>(row), static_cast<double>(row.sum), error) << length;
    EXPECT_EQ(sum_of_row<row_sum<by_loads>>(row), sum_of_row<row_sum<by_instruction>>(row)) << length;
#else
    EXPECT_NEAR(sum_of_row<row_sum>(row), static_cast<double>(row.sum), error) << length;
#endif
  }
}

}  // namespace
}  // namespace sc
