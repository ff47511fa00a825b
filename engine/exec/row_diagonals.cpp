// SPDX-License-Identifier: Apache-2.0
// Groups of rows by diagonals: how they are found, stored and summed.
#include "engine/exec/row_diagonals.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#ifdef __AVX512VL__
#include <immintrin.h>
#endif

namespace sc {

namespace {

constexpr int most_diagonals = 64;  // of a group
constexpr std::int32_t all_rows = (1 << rows_together) - 1;

/// A diagonal of a group, in the place of two of its columns.
struct Diagonal {
  std::int32_t column;  // of the group's first row; may be outside the matrix if that row has no entry here
  std::int32_t rows;    // a bit for each row that has an entry
};

/// The diagonals of the rows of a group, merged row by row; each row has ascending columns.
class Merged {
 public:
  /// Returns false if there are more than `most`, or if columns do not ascend.
  bool add(std::span<const std::int32_t> columns, int row, int most) {
    std::array<Diagonal, most_diagonals> before = all_;
    const int had = count_;
    int old = 0;
    count_ = 0;
    for (std::size_t n = 0; n <= columns.size(); ++n) {
      if (n > 0 && n < columns.size() && columns[n] <= columns[n - 1]) return false;
      const bool end = n == columns.size();
      while (old < had && (end || before[at(old)].column < columns[n] - row)) {
        if (count_ == most) return false;
        all_[at(count_++)] = before[at(old++)];
      }
      if (end) break;
      const bool known = old < had && before[at(old)].column == columns[n] - row;
      if (count_ == most) return false;
      all_[at(count_++)] = {columns[n] - row, (known ? before[at(old++)].rows : 0) | 1 << row};
    }
    return true;
  }
  std::span<const Diagonal> diagonals() const { return {all_.data(), at(count_)}; }

 private:
  static std::size_t at(int n) { return static_cast<std::size_t>(n); }
  std::array<Diagonal, most_diagonals> all_{};
  int count_ = 0;
};

/// Stores the group that begins with row `first`; returns the number of its diagonals, 0 if it stays as it
/// is.
std::uint8_t store_group(CompressedRows& rows, int first) {
  const std::int64_t* begin = rows.begin.data() + first;
  std::int32_t* column = rows.column.data();
  const auto entries = static_cast<std::size_t>(begin[rows_together] - begin[0]);
  Merged merged;
  std::int64_t longest = 0;
  for (int row = 0; row < rows_together; ++row) {
    const auto length = begin[row + 1] - begin[row];
    longest = std::max(longest, length);
    if (longest > most_diagonals ||
        !merged.add({column + begin[row], static_cast<std::size_t>(length)}, row,
                    static_cast<int>(std::min<std::int64_t>(most_diagonals, 2 * longest))))
      return 0;
  }
  const std::span<const Diagonal> diagonals = merged.diagonals();
  if (diagonals.empty() || 2 * entries < rows_together * diagonals.size()) return 0;
  std::vector<double> values;
  values.reserve(entries);
  std::array<std::int64_t, rows_together> next;
  std::copy(begin, begin + rows_together, next.begin());
  for (const Diagonal& d : diagonals)
    for (std::size_t row = 0; row < rows_together; ++row)
      if (d.rows >> row & 1) values.push_back(rows.value[static_cast<std::size_t>(next[row]++)]);
  std::copy(values.begin(), values.end(), rows.value.begin() + begin[0]);
  std::int32_t* place = column + begin[0];
  for (const Diagonal& d : diagonals) {
    *place++ = d.column;
    *place++ = d.rows;
  }
  return static_cast<std::uint8_t>(diagonals.size());
}

double sum_plus(double sum, double value, double x) {
#ifdef __FMA__
  return std::fma(value, x, sum);
#else
  return sum + value * x;
#endif
}

/// One row of a group.
double sum_of_row(const double* value, const std::int32_t* diagonal, int diagonals, int row,
                  const double* x) {
  double sum = 0;
  for (int n = 0; n < diagonals; ++n) {
    const std::int32_t column = diagonal[2 * n], members = diagonal[2 * n + 1];
    const auto before = static_cast<unsigned>(members & ((1 << row) - 1));
    if (members >> row & 1) sum = sum_plus(sum, value[std::popcount(before)], x[column + row]);
    value += std::popcount(static_cast<unsigned>(members));
  }
  return sum;
}

#ifdef __AVX512VL__
/// Distance at which values and diagonals are prefetched, in non-zeros (decision 124).
constexpr std::int64_t prefetch_distance = 512;

void sum_group(const double* value, const std::int32_t* diagonal, int diagonals, const double* x, double* y) {
  __m512d sums = _mm512_setzero_pd();
  _mm_prefetch(diagonal + prefetch_distance, _MM_HINT_T0);
  for (int n = 0; n < diagonals; ++n) {
    const std::int32_t column = diagonal[2 * n], members = diagonal[2 * n + 1];
    _mm_prefetch(value + prefetch_distance, _MM_HINT_T0);
    if (members == all_rows) {
      sums = _mm512_fmadd_pd(_mm512_loadu_pd(value), _mm512_loadu_pd(x + column), sums);
      value += rows_together;
      continue;
    }
    const auto lanes = static_cast<__mmask8>(members);
    sums = _mm512_mask3_fmadd_pd(_mm512_maskz_expandloadu_pd(lanes, value),
                                 _mm512_maskz_loadu_pd(lanes, x + column), sums, lanes);
    value += std::popcount(static_cast<unsigned>(members));
  }
  _mm512_storeu_pd(y, sums);
}
#else
void sum_group(const double* value, const std::int32_t* diagonal, int diagonals, const double* x, double* y) {
  std::array<double, rows_together> sums{};
  for (int n = 0; n < diagonals; ++n) {
    const std::int32_t members = diagonal[2 * n + 1];
    const double* from = x + diagonal[2 * n];
    if (members == all_rows)
      for (std::size_t row = 0; row < rows_together; ++row)
        sums[row] = sum_plus(sums[row], *value++, from[row]);
    else
      for (std::size_t row = 0; row < rows_together; ++row)
        if (members >> row & 1) sums[row] = sum_plus(sums[row], *value++, from[row]);
  }
  std::copy(sums.begin(), sums.end(), y);
}
#endif

}  // namespace

void store_by_diagonals(CompressedRows& rows) {
  rows.diagonals.assign(static_cast<std::size_t>(rows.rows() / rows_together), 0);
  bool any = false;
  for (std::size_t group = 0; group < rows.diagonals.size(); ++group) {
    rows.diagonals[group] = store_group(rows, static_cast<int>(group) * rows_together);
    any = any || rows.diagonals[group] > 0;
  }
  if (!any) rows.diagonals.clear();
}

void multiply_diagonals(const CompressedRows& rows, int first, int last, const double* x, double* y) {
  for (int r = first; r < last;) {
    const int group = r / rows_together, in_group = r % rows_together;
    const auto begin = rows.begin[static_cast<std::size_t>(group * rows_together)];
    const int diagonals = rows.diagonals[static_cast<std::size_t>(group)];
    const double* value = rows.value.data() + begin;
    const std::int32_t* diagonal = rows.column.data() + begin;
    if (in_group == 0 && r + rows_together <= last) {
      sum_group(value, diagonal, diagonals, x, y + r);
      r += rows_together;
    } else {
      y[r] = sum_of_row(value, diagonal, diagonals, in_group, x);
      ++r;
    }
  }
}

}  // namespace sc
