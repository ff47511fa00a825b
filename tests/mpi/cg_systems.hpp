// SPDX-License-Identifier: Apache-2.0
// Matrices that are difficult for conjugate gradients, given row by row, and the results of a solve.
#pragma once

#include <cmath>
#include <functional>

#include "solvers/cg/solver.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::cg::test {

using sc::test::TestContext;
using Row = std::vector<std::pair<int, double>>;

struct Matrix {
  int n = 0;
  std::function<Row(int)> row;
};

/// u'''' on n points with u = u'' = 0 at the ends: the square of (-1, 2, -1); its condition number grows as
/// n^4.
inline Matrix biharmonic(int n) {
  return {n, [n](int i) {
            const double middle = i == 0 || i == n - 1 ? 5 : 6;
            Row row;
            for (const auto& [c, v] : Row{{i - 2, 1}, {i - 1, -4}, {i, middle}, {i + 1, -4}, {i + 2, 1}})
              if (c >= 0 && c < n) row.emplace_back(c, v);
            return row;
          }};
}

/// Poisson's equation on side x side points with coefficients 1 and 1e4 in a chessboard pattern.
inline Matrix jumps(int side) {
  return {side * side, [side](int i) {
            const auto coefficient = [side](int x, int y) {
              return (4 * x / side + 4 * y / side) % 2 == 0 ? 1.0 : 1e4;
            };
            const int x = i % side, y = i / side;
            const double mine = coefficient(x, y);
            double sum = 0;
            Row row;
            for (const auto& [dx, dy] : {std::pair{0, -1}, {-1, 0}, {1, 0}, {0, 1}}) {
              const int ox = x + dx, oy = y + dy;
              const bool inside = ox >= 0 && ox < side && oy >= 0 && oy < side;
              const double theirs = inside ? coefficient(ox, oy) : 0;
              const double face = inside ? 2 * mine * theirs / (mine + theirs) : 2 * mine;
              sum += face;
              if (inside) row.emplace_back(oy * side + ox, -face);
            }
            row.emplace_back(i, sum);
            return row;
          }};
}

/// (-1, 2, -1) on n points, with `penalty` added to the diagonal of the first and the last row.
inline Matrix penalised(int n, double penalty) {
  return {n, [=](int i) {
            Row row{{i, i == 0 || i == n - 1 ? 2 + penalty : 2}};
            if (i > 0) row.emplace_back(i - 1, -1);
            if (i < n - 1) row.emplace_back(i + 1, -1);
            return row;
          }};
}

struct Solved {
  Solution how;
  std::vector<double> x;
  double residual = 0;  // |b - A x| / |b| of the returned x
};

inline Solved solve(const Matrix& matrix, const SolverOptions& options, double scale = 1, int threads = 1) {
  TestContext context({.threads = threads});
  std::vector<std::int64_t> weight;
  for (int i = 0; i < matrix.n; ++i) weight.push_back(static_cast<std::int64_t>(matrix.row(i).size()));
  const Partition partition(options.settings.partition, weight, context.size());
  const auto [first, last] = partition.rows(context.rank());
  LocalRows rows;
  rows.first = first;
  for (int i = first; i < last; ++i) {
    for (const auto& [c, v] : matrix.row(i)) {
      rows.column.push_back(c);
      rows.value.push_back(v);
    }
    rows.begin.push_back(static_cast<std::int64_t>(rows.column.size()));
  }
  Solver solver(context, partition, keep_own(rows, partition, context.rank()), options);
  const auto rank = static_cast<std::size_t>(context.rank());
  const int own = partition.cuts()[rank + 1] - partition.cuts()[rank];
  Solved solved{.how = solver.solve(std::vector<double>(static_cast<std::size_t>(own), scale)),
                .x = solver.gathered()};
  double sum = 0;
  for (int i = 0; i < matrix.n; ++i) {
    double left = 1;
    for (const auto& [c, v] : matrix.row(i)) left -= v * (solved.x[static_cast<std::size_t>(c)] / scale);
    sum += left * left;
  }
  solved.residual = std::sqrt(sum / matrix.n);
  return solved;
}

}  // namespace sc::cg::test
