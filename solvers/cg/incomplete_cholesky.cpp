// SPDX-License-Identifier: Apache-2.0
// IncompleteCholesky: computes the factor row by row, with a dense work row.
#include "solvers/cg/incomplete_cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sc::cg {

namespace {

constexpr double first_shift = 1e-3;

}  // namespace

IncompleteCholesky::IncompleteCholesky(const LocalRows& rows, std::int64_t lo, std::int64_t hi) {
  take(rows, lo, hi);
  const std::vector<double> lower = value_, diagonal = diagonal_;
  while (!factor(lower, shift_)) {
    shift_ = shift_ > 0 ? 2 * shift_ : first_shift;
    diagonal_ = diagonal;
  }
}

// Reserves the exact size: growing would need twice the memory.
void IncompleteCholesky::reserve(const LocalRows& rows, std::int64_t lo, std::int64_t hi) {
  std::size_t count = 0;
  for (std::int64_t g = lo; g < hi; ++g)
    for (auto k = rows.begin[static_cast<std::size_t>(g - rows.first)];
         k < rows.begin[static_cast<std::size_t>(g - rows.first) + 1]; ++k)
      if (const std::int64_t c = rows.column[static_cast<std::size_t>(k)]; c >= lo && c < g) ++count;
  column_.reserve(count);
  value_.reserve(count);
  begin_.reserve(static_cast<std::size_t>(hi - lo) + 1);
  diagonal_.reserve(static_cast<std::size_t>(hi - lo));
}

void IncompleteCholesky::take(const LocalRows& rows, std::int64_t lo, std::int64_t hi) {
  reserve(rows, lo, hi);
  std::vector<std::pair<std::int32_t, double>> row;
  for (std::int64_t g = lo; g < hi; ++g) {
    const auto r = static_cast<std::size_t>(g - rows.first);
    row.clear();
    double diagonal = 0;
    for (auto k = static_cast<std::size_t>(rows.begin[r]); k < static_cast<std::size_t>(rows.begin[r + 1]);
         ++k) {
      if (rows.column[k] == g) diagonal += rows.value[k];
      if (rows.column[k] >= lo && rows.column[k] < g)
        row.emplace_back(static_cast<std::int32_t>(rows.column[k] - lo), rows.value[k]);
    }
    if (!(diagonal > 0))
      refuse("the matrix is not positive definite: its diagonal entry " + std::to_string(g + 1) + " is " +
             std::to_string(diagonal));
    diagonal_.push_back(diagonal);
    std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [column, value] : row) {
      const bool again =
          static_cast<std::int64_t>(column_.size()) > begin_.back() && column_.back() == column;
      if (again) {
        value_.back() += value;
        continue;
      }
      column_.push_back(column);
      value_.push_back(value);
    }
    begin_.push_back(static_cast<std::int64_t>(column_.size()));
  }
}

// l_ij = (a_ij - sum over k < j of l_ik l_jk) / l_jj,  l_ii^2 = a_ii (1 + shift) - sum over k < i of l_ik^2
bool IncompleteCholesky::factor(const std::vector<double>& lower, double shift) {
  // A pivot that consists of rounding errors only is rejected.
  constexpr double least = 16 * std::numeric_limits<double>::epsilon();
  std::vector<double> work(diagonal_.size());  // row i of L, zero elsewhere
  for (std::size_t i = 0; i < diagonal_.size(); ++i) {
    const auto first = static_cast<std::size_t>(begin_[i]), last = static_cast<std::size_t>(begin_[i + 1]);
    for (std::size_t m = first; m < last; ++m) work[static_cast<std::size_t>(column_[m])] = lower[m];
    const double whole = diagonal_[i] * (1 + shift);
    double pivot = whole;
    for (std::size_t m = first; m < last; ++m) {
      const auto j = static_cast<std::size_t>(column_[m]);
      double left = work[j];
      for (auto k = static_cast<std::size_t>(begin_[j]); k < static_cast<std::size_t>(begin_[j + 1]); ++k)
        left -= value_[k] * work[static_cast<std::size_t>(column_[k])];
      left *= diagonal_[j];  // diagonal_[j] is already 1 / l_jj
      work[j] = left;
      value_[m] = left;
      pivot -= left * left;
    }
    for (std::size_t m = first; m < last; ++m) work[static_cast<std::size_t>(column_[m])] = 0;
    if (!(pivot > least * whole)) return false;
    diagonal_[i] = 1 / std::sqrt(pivot);
  }
  return true;
}

void IncompleteCholesky::solve(const double* r, double* u) const {
  const std::int64_t* begin = begin_.data();
  const std::int32_t* column = column_.data();
  const double* value = value_.data();
  const auto n = static_cast<std::int64_t>(diagonal_.size());
  // L y = r
  for (std::int64_t i = 0; i < n; ++i) {
    double left = r[i];
    for (std::int64_t k = begin[i]; k < begin[i + 1]; ++k) left -= value[k] * u[column[k]];
    u[i] = left * diagonal_[static_cast<std::size_t>(i)];
  }
  // L^T u = y
  for (std::int64_t i = n; i-- > 0;) {
    const double x = u[i] * diagonal_[static_cast<std::size_t>(i)];
    u[i] = x;
    for (std::int64_t k = begin[i]; k < begin[i + 1]; ++k) u[column[k]] -= value[k] * x;
  }
}

TriangularStage::TriangularStage(std::string name, const LocalRows& rows, Field<double>& u, Field<double>& r)
    : Stage(std::move(name), {writes(u.now()).access(), reads(r.now()).access()}),
      factor_(rows, u.grid().origin().x, u.grid().origin().x + u.grid().own().hi.x) {
  check_accesses();
}

void TriangularStage::compute(const Box& box, int /*threads*/, std::span<Accumulator> /*into*/) {
  check_box(box);
  if (box.empty()) return;
  const auto at = [](const Access& access) { return reinterpret_cast<double*>(access.storage().base()); };
  factor_.solve(at(accesses()[1]), at(accesses()[0]));
}

// L and its columns twice, its row begins and diagonal twice; r once; u is written and read again.
double TriangularStage::bytes_per_cell() const {
  const double a_row = factor_.rows() > 0 ? static_cast<double>(factor_.entries()) / factor_.rows() : 0;
  return 2 * 12 * a_row + 2 * (8 + 8) + 8 + 16;
}

}  // namespace sc::cg
