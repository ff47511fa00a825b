// SPDX-License-Identifier: Apache-2.0
// CompressedRows: rows of a sparse matrix with 32-bit columns, and their product with a vector: threads share
// the non-zeros, long rows are vectorised.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/large_pages.hpp"

namespace sc {

struct CompressedRows {
  std::vector<std::int64_t> begin{0};  ///< of each row in what follows, and the end
  std::vector<std::int32_t, LargePages<std::int32_t>> column;
  std::vector<double, LargePages<double>> value;
  /// Which element of the result each row belongs to; where empty, row r is element r.
  std::vector<std::int32_t> row;

  int rows() const { return static_cast<int>(begin.size()) - 1; }
  std::int64_t nonzeros() const { return begin.back(); }
};

/// y[r] = sum over the row's non-zeros of value * x[column], for rows first <= r < last. A row is summed in
/// an order that depends on nothing but the row.
void multiply(const CompressedRows& rows, int first, int last, const double* x, double* y, int threads);
/// y[rows.row[r]] += the same, over all rows.
void multiply_add(const CompressedRows& rows, const double* x, double* y, int threads);
/// y[at[i]] += x[i]; no two positions are equal.
void scatter_add(std::span<const std::int32_t> at, const double* x, double* y, int threads);

}  // namespace sc
