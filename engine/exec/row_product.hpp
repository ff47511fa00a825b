// SPDX-License-Identifier: Apache-2.0
// CompressedRows: rows of a sparse matrix with 32-bit columns, and their product with a vector. Threads share
// the non-zeros; long rows are vectorised, rows of grids eight at a time. Rows of the result can be read
// while they are in the cache.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/base/large_pages.hpp"
#include "engine/exec/accumulator.hpp"

namespace sc {

constexpr int rows_together = 8;  ///< that may be stored by diagonals, from a multiple of this on

struct CompressedRows {
  std::vector<std::int64_t> begin{0};  ///< start of each row, and the end
  std::vector<std::int32_t, LargePages<std::int32_t>> column;
  std::vector<double, LargePages<double>> value;
  /// The element of the result for each row; if empty, row r is element r.
  std::vector<std::int32_t> row;
  /// The number of diagonals of each rows_together rows that are stored by diagonals
  /// (exec/row_diagonals.hpp), 0 for other rows; empty if there are no such rows.
  std::vector<std::uint8_t> diagonals;

  bool by_diagonals(int r) const {
    const auto group = static_cast<std::size_t>(r / rows_together);
    return group < diagonals.size() && diagonals[group] > 0;
  }
  /// What a product reads of values, columns and begins.
  double bytes() const;
  int rows() const { return static_cast<int>(begin.size()) - 1; }
  std::int64_t nonzeros() const { return begin.back(); }
};

/// y[r] = sum over the row's non-zeros of value * x[column], for rows first <= r < last. The order of
/// summation does not depend on first, last and threads.
void multiply(const CompressedRows& rows, int first, int last, const double* x, double* y, int threads);
/// Rows of the result that are read together: as many as an accumulator takes at a time. With their entries
/// of x they fill 8 KiB of the first-level cache.
constexpr int rows_read_together = Accumulator::chunk;
/// Reads the rows [first, last) of a result, all of one block of rows_read_together.
using ReadRows = std::function<void(int first, int last, std::span<Accumulator> into)>;
/// The product; `read` is called for the rows of each block once they are computed, by the same thread.
void multiply(const CompressedRows& rows, int first, int last, const double* x, double* y, int threads,
              const ReadRows& read, std::span<Accumulator> into);
/// Adds the same to y[rows.row[r]], for all rows.
void multiply_add(const CompressedRows& rows, const double* x, double* y, int threads);
/// y[at[i]] += x[i]; the positions are distinct.
void scatter_add(std::span<const std::int32_t> at, const double* x, double* y, int threads);

}  // namespace sc
