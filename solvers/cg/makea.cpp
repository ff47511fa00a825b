// SPDX-License-Identifier: Apache-2.0
// Distributed makea: every rank replays the random stream and keeps its own entries.
#include "solvers/cg/makea.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "solvers/cg/random.hpp"

namespace sc::cg {

namespace {

constexpr double rcond = 0.1;

std::vector<char> flags_of(const std::vector<std::pair<int, int>>& ranges, int n) {
  std::vector<char> flags(static_cast<std::size_t>(n));
  for (const auto& [first, last] : ranges) std::fill(flags.begin() + first, flags.begin() + last, char{1});
  return flags;
}

/// Sorts each row by columns in place, and adds equal entries in their original order.
void compress(LocalRows& rows) {
  std::vector<std::pair<std::int64_t, double>> row;
  std::int64_t out = 0, from = 0;
  for (std::size_t r = 0; r + 1 < rows.begin.size(); ++r) {
    row.clear();
    for (std::int64_t k = from; k < rows.begin[r + 1]; ++k)
      row.emplace_back(rows.column[static_cast<std::size_t>(k)], rows.value[static_cast<std::size_t>(k)]);
    from = rows.begin[r + 1];
    std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const std::int64_t begin = out;
    for (const auto& [column, value] : row) {
      if (out > begin && rows.column[static_cast<std::size_t>(out - 1)] == column) {
        rows.value[static_cast<std::size_t>(out - 1)] += value;
        continue;
      }
      rows.column[static_cast<std::size_t>(out)] = column;
      rows.value[static_cast<std::size_t>(out++)] = value;
    }
    rows.begin[r + 1] = out;
  }
  rows.column.resize(static_cast<std::size_t>(out));
  rows.value.resize(static_cast<std::size_t>(out));
}

}  // namespace

const Class& class_of(const std::string& name) {
  static const std::vector<Class> classes{
      {"S", 1400, 7, 15, 10, 8.5971775078648},     {"W", 7000, 8, 15, 12, 10.362595087124},
      {"A", 14000, 11, 15, 20, 17.130235054029},   {"B", 75000, 13, 75, 60, 22.712745482631},
      {"C", 150000, 15, 75, 110, 28.973605592845}, {"D", 1500000, 21, 100, 500, 52.514532105794},
  };
  for (const Class& c : classes)
    if (c.name == name) return c;
  refuse("class \"" + name + "\" is not known; allowed are S, W, A, B, C, D");
}

void replay(const Class& c, const std::function<void(const RandomVector&)>& each) {
  Random random;
  random.next();  // the benchmark draws one value before the matrix
  int nn1 = 1;
  while (nn1 < c.n) nn1 *= 2;
  const double ratio = std::pow(rcond, 1.0 / c.n);
  RandomVector v;
  for (v.row = 0; v.row < c.n; ++v.row) {
    v.position.clear();
    v.value.clear();
    while (static_cast<int>(v.position.size()) < c.nonzer) {
      const double value = random.next(), where = random.next();
      const int position = static_cast<int>(nn1 * where);
      if (position >= c.n) continue;
      if (std::find(v.position.begin(), v.position.end(), position) != v.position.end()) continue;
      v.position.push_back(position);
      v.value.push_back(value);
    }
    // 0.5 replaces the value drawn for the diagonal; it is appended if none was drawn.
    const auto diagonal = std::find(v.position.begin(), v.position.end(), v.row);
    if (diagonal != v.position.end()) {
      v.value[static_cast<std::size_t>(diagonal - v.position.begin())] = 0.5;
    } else {
      v.position.push_back(v.row);
      v.value.push_back(0.5);
    }
    each(v);
    v.size *= ratio;
  }
}

std::vector<std::int64_t> row_weights(const Class& c) { return column_weights(c, 0, c.n); }

// A is symmetric: over all rows, columns have the same weights as rows.
std::vector<std::int64_t> column_weights(const Class& c, int first, int last) {
  std::vector<std::int64_t> weight(static_cast<std::size_t>(c.n));
  for (int i = first; i < last; ++i) weight[static_cast<std::size_t>(i)] = 1;  // the diagonal is counted once
  replay(c, [&](const RandomVector& v) {
    const auto inside = [&](int i) { return i >= first && i < last; };
    const auto rows = std::ranges::count_if(v.position, inside);
    for (const int i : v.position) weight[static_cast<std::size_t>(i)] += rows - (inside(i) ? 1 : 0);
  });
  return weight;
}

LocalRows make_matrix(const Class& c, const Partition& partition, int rank) {
  const auto [first, last] = partition.rows(rank);
  const auto weights = column_weights(c, first, last);
  const std::vector<char> mine = flags_of(partition.columns(rank, weights), c.n);
  const auto inside = [lo = first, hi = last](int i) { return i >= lo && i < hi; };
  const auto kept = [&](int i) { return mine[static_cast<std::size_t>(i)] != 0; };

  LocalRows rows;
  rows.first = first;
  rows.begin.assign(static_cast<std::size_t>(last - first) + 1, 0);
  replay(c, [&](const RandomVector& v) {
    const auto columns = std::ranges::count_if(v.position, kept);
    for (const int i : v.position)
      if (inside(i)) rows.begin[static_cast<std::size_t>(i - first) + 1] += columns;
  });
  std::partial_sum(rows.begin.begin(), rows.begin.end(), rows.begin.begin());
  rows.column.resize(static_cast<std::size_t>(rows.begin.back()));
  rows.value.resize(rows.column.size());
  std::vector<std::int64_t> next(rows.begin.begin(), rows.begin.end() - 1);
  replay(c, [&](const RandomVector& v) {
    for (std::size_t a = 0; a < v.position.size(); ++a) {
      const int i = v.position[a];
      if (!inside(i)) continue;
      const double scale = v.size * v.value[a];
      for (std::size_t b = 0; b < v.position.size(); ++b) {
        const int j = v.position[b];
        if (!kept(j)) continue;
        const auto k = static_cast<std::size_t>(next[static_cast<std::size_t>(i - first)]++);
        double value = v.value[b] * scale;
        if (i == j && i == v.row) value = value + rcond - c.shift;
        rows.column[k] = j;
        rows.value[k] = value;
      }
    }
  });
  compress(rows);
  return rows;
}

}  // namespace sc::cg
