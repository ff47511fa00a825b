// SPDX-License-Identifier: Apache-2.0
// Small sparse matrices, the parts of them that ranks have, and the plain product of the whole.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "engine/grid/grid.hpp"
#include "tests/mpi/cells.hpp"

namespace sc::test {

/// A whole matrix, by rows.
struct Whole {
  int rows, columns;
  std::vector<std::vector<std::pair<std::int64_t, double>>> row;
};

/// Rows of very different lengths, every seventh empty; with `exact`, values and all sums are exact.
inline Whole scattered(int rows, int columns, bool exact) {
  Whole a{rows, columns, {}};
  std::uint64_t state = 12345;
  const auto random = [&](int below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<int>((state >> 33) % static_cast<unsigned>(below));
  };
  for (int r = 0; r < rows; ++r) {
    auto& row = a.row.emplace_back();
    const int length = r % 7 == 3 ? 0 : r % 11 == 0 ? 60 : 1 + random(6);
    std::set<int> columns_of_row;
    for (int k = 0; k < length; ++k) columns_of_row.insert(random(columns));
    for (const int c : columns_of_row)
      row.emplace_back(c, exact ? random(17) - 8 : 0.01 * (random(2001) - 1000));
  }
  return a;
}
/// Seven points on a cube, x fastest: rows of one rank need a layer of the next.
inline Whole laplacian(int n) {
  Whole a{n * n * n, n * n * n, {}};
  each_cell({{0, 0, 0}, {n, n, n}}, [&](Int3 c) {
    auto& row = a.row.emplace_back();
    const auto at = [&](Int3 p) { return (std::int64_t{p.z} * n + p.y) * n + p.x; };
    for (const Int3 d : {Int3{0, 0, -1}, Int3{0, -1, 0}, Int3{-1, 0, 0}, Int3{0, 0, 0}, Int3{1, 0, 0},
                         Int3{0, 1, 0}, Int3{0, 0, 1}})
      if (const Int3 p = c + d; Box{{0, 0, 0}, {n, n, n}}.contains(p))
        row.emplace_back(at(p), d == Int3{0, 0, 0} ? 6.5 : -1.0);
  });
  return a;
}

/// One rank's part: rows and columns in a window of the whole.
struct Part {
  std::int64_t first = 0;
  std::vector<std::int64_t> begin{0}, column;
  std::vector<double> value;
};
inline Part window(const Whole& a, int row_lo, int row_hi, int column_lo, int column_hi) {
  Part p;
  p.first = row_lo;
  for (int r = row_lo; r < row_hi; ++r) {
    for (const auto& [c, v] : a.row[static_cast<std::size_t>(r)])
      if (c >= column_lo && c < column_hi) {
        p.column.push_back(c);
        p.value.push_back(v);
      }
    p.begin.push_back(static_cast<std::int64_t>(p.column.size()));
  }
  return p;
}

/// Uneven blocks; with at least three ranks, one has no entries.
inline std::vector<int> uneven(int n, int ranks) {
  std::vector<int> cuts{0};
  for (int r = 1; r < ranks; ++r) cuts.push_back(n * r * r / (ranks * ranks) + (r == ranks - 1 ? 1 : 0));
  if (ranks > 2) cuts[1] = 0;
  cuts.push_back(n);
  return cuts;
}
inline Grid vector_of(Context& context, int n) {
  return {context,
          {.cells = {n, 1, 1},
           .halo = 0,
           .split = {context.size(), 1, 1},
           .cuts = {uneven(n, context.size()), {}, {}}}};
}

enum class Division { row, column, both };

inline Part part_of(const Whole& a, Division division, const Grid& x, const Grid& y) {
  const int rank = x.context().rank(), ranks = x.context().size();
  if (division == Division::row) return window(a, y.origin().x, y.origin().x + y.own().hi.x, 0, a.columns);
  if (division == Division::column) return window(a, 0, a.rows, x.origin().x, x.origin().x + x.own().hi.x);
  const int across = ranks % 2 == 0 ? 2 : 1, down = ranks / across;  // blocks differ from all vectors' cuts
  const int i = rank / across, j = rank % across;
  return window(a, a.rows * i / down, a.rows * (i + 1) / down, a.columns * j / across,
                a.columns * (j + 1) / across);
}

inline std::vector<double> plain_product(const Whole& a, const std::vector<double>& x) {
  std::vector<double> y;
  for (const auto& row : a.row) {
    double sum = 0;
    for (const auto& [c, v] : row) sum += v * x[static_cast<std::size_t>(c)];
    y.push_back(sum);
  }
  return y;
}

}  // namespace sc::test
