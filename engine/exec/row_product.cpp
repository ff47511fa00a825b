// SPDX-License-Identifier: Apache-2.0
// The product of a compressed sparse matrix with a vector.
#include "engine/exec/row_product.hpp"

#include <algorithm>

#include "engine/base/align.hpp"
#include "engine/exec/processor.hpp"
#include "engine/exec/row_diagonals.hpp"
#include "engine/exec/row_sum.hpp"
#include "engine/exec/team.hpp"

namespace sc {

namespace {

/// Not inlined: all callers use the same instance, so that a row gives the same bits for each.
template <RowSum row_sum>
[[gnu::noinline]] void rows_of_thread(const CompressedRows& rows, int first, int last, const double* x,
                                      double* y, bool add) {
  const std::int64_t* begin = rows.begin.data();
  const double* value = rows.value.data();
  const std::int32_t* column = rows.column.data();
  const std::int32_t* row = rows.row.empty() ? nullptr : rows.row.data();
  for (int r = first; r < last; ++r) {
    const double sum = row_sum(value + begin[r], column + begin[r], begin[r + 1] - begin[r], x);
    double& target = y[row ? row[r] : r];
    target = add ? target + sum : sum;
  }
}

void separate_rows(const CompressedRows& rows, int first, int last, const double* x, double* y, bool add) {
#ifdef __AVX512VL__
  if (!on_intel()) return rows_of_thread<row_sum<by_loads>>(rows, first, last, x, y, add);
  rows_of_thread<row_sum<by_instruction>>(rows, first, last, x, y, add);
#else
  rows_of_thread<row_sum>(rows, first, last, x, y, add);
#endif
}

/// Only results that are not added have rows by diagonals.
void some_rows(const CompressedRows& rows, int first, int last, const double* x, double* y, bool add) {
  if (rows.diagonals.empty()) return separate_rows(rows, first, last, x, y, add);
  for (int next = first, end; next < last; next = end) {
    const bool kind = rows.by_diagonals(next);
    end = next + 1;
    while (end < last && rows.by_diagonals(end) == kind)
      end = std::min(last, round_up(end + 1, rows_together));
    kind ? multiply_diagonals(rows, next, end, x, y) : separate_rows(rows, next, end, x, y, add);
  }
}

/// This thread's part of the rows [first, last), whole groups of rows_together. The parts have equal work; a
/// row counts as its non-zeros plus a constant.
std::pair<int, int> share_of(const CompressedRows& rows, int first, int last) {
  constexpr std::int64_t of_row = 4;
  const auto work = [&](int r) { return rows.begin[static_cast<std::size_t>(r)] + of_row * std::int64_t{r}; };
  const std::int64_t base = work(first);
  const auto [from, to] = team_share(work(last) - base);
  const auto row_at = [&](std::int64_t amount) {
    int low = first, high = last;
    while (low < high) {
      const int middle = low + (high - low) / 2;
      if (work(middle) - base < amount)
        low = middle + 1;
      else
        high = middle;
    }
    return low == first ? first : std::min(last, round_up(low, rows_together));
  };
  return {row_at(from), row_at(to)};
}

void product(const CompressedRows& rows, int first, int last, const double* x, double* y, bool add,
             int threads) {
  if (last <= first) return;
  if (threads <= 1) return some_rows(rows, first, last, x, y, add);
#pragma omp parallel num_threads(threads)
  {
    const auto [from, to] = share_of(rows, first, last);
    some_rows(rows, from, to, x, y, add);
  }
}

}  // namespace

double CompressedRows::bytes() const {
  constexpr double of_value = 8, of_column = 4, of_begin = 8;
  double all = of_value * static_cast<double>(nonzeros()) + of_begin * rows();
  for (int r = 0; r < rows(); ++r) {
    const auto at = static_cast<std::size_t>(r);
    if (!by_diagonals(r))
      all += of_column * static_cast<double>(begin[at + 1] - begin[at]);
    else if (r % rows_together == 0)
      all += 2 * of_column * diagonals[at / rows_together];
  }
  return all;
}

void multiply(const CompressedRows& rows, int first, int last, const double* x, double* y, int threads) {
  product(rows, first, last, x, y, false, threads);
}

void multiply(const CompressedRows& rows, int first, int last, const double* x, double* y, int threads,
              const ReadRows& read, std::span<Accumulator> into) {
  const auto part = [&](int from, int to, std::span<Accumulator> values) {
    for (int next = from, end; next < to; next = end) {
      end = std::min(to, (next / rows_read_together + 1) * rows_read_together);
      some_rows(rows, next, end, x, y, false);
      read(next, end, values);
    }
  };
  if (last <= first) return;
  if (threads <= 1) return part(first, last, into);
#pragma omp parallel num_threads(threads)
  {
    const auto [from, to] = share_of(rows, first, last);
    std::vector<Accumulator> mine = like(into);
    part(from, to, mine);
#pragma omp critical(sc_accumulate)
    merge(into, mine);
  }
}

void multiply_add(const CompressedRows& rows, const double* x, double* y, int threads) {
  product(rows, 0, rows.rows(), x, y, true, threads);
}

void scatter_add(std::span<const std::int32_t> at, const double* x, double* y, int threads) {
  const auto count = static_cast<std::int64_t>(at.size());
#pragma omp parallel for num_threads(threads) if (threads > 1 && count > 4096)
  for (std::int64_t i = 0; i < count; ++i) y[at[static_cast<std::size_t>(i)]] += x[i];
}

}  // namespace sc
