// SPDX-License-Identifier: Apache-2.0
// LineSystem: elimination of each block, and the inverse of the system of their ends. Once for all lines, in
// long double.
#include "engine/exec/line_system.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "engine/base/error.hpp"
#include "engine/base/index.hpp"

namespace sc {

namespace {

using Real = long double;
using Reals = std::vector<Real>;

struct System {
  Reals lower, diagonal, upper;
  bool cyclic = false;
  int size() const { return static_cast<int>(diagonal.size()); }
};

Real checked(Real pivot, Real scale) {
  if (!(std::abs(pivot) > 1e-12L * scale))
    refuse("a tridiagonal matrix has a pivot of " + std::to_string(static_cast<double>(pivot)) +
           " where its largest element is " + std::to_string(static_cast<double>(scale)) +
           "; lines are solved without exchanges of rows, as a dominant diagonal allows");
  return pivot;
}

Real scale_of(const System& s) {
  Real scale = 0;
  for (const Reals* part : {&s.lower, &s.diagonal, &s.upper})
    for (const Real v : *part) scale = std::max(scale, std::abs(v));
  return scale;
}

/// Thomas' algorithm.
Reals solve_open(const System& s, Reals r) {
  const int n = s.size();
  const Real scale = scale_of(s);
  Reals upper(at(n));
  for (int i = 0; i < n; ++i) {
    const Real below = i > 0 ? s.lower[at(i)] : 0;
    const Real pivot = 1 / checked(s.diagonal[at(i)] - (i > 0 ? below * upper[at(i - 1)] : 0), scale);
    upper[at(i)] = i + 1 < n ? s.upper[at(i)] * pivot : 0;
    r[at(i)] = (r[at(i)] - (i > 0 ? below * r[at(i - 1)] : 0)) * pivot;
  }
  for (int i = n - 2; i >= 0; --i) r[at(i)] -= upper[at(i)] * r[at(i + 1)];
  return r;
}

/// Cyclic by one correction of rank one (Sherman and Morrison).
Reals solve(const System& s, const Reals& r) {
  if (!s.cyclic) return solve_open(s, r);
  const int n = s.size();
  const Real gamma = -s.diagonal[0], corner = s.lower[0], other = s.upper[at(n - 1)];
  System open = s;
  open.diagonal[0] -= gamma;
  open.diagonal[at(n - 1)] -= other * corner / gamma;
  Reals column(at(n), 0);
  column[0] = gamma;
  column[at(n - 1)] = other;
  Reals x = solve_open(open, r);
  const Reals z = solve_open(open, column);
  const Real ratio = corner / gamma;
  const Real share = (x[0] + ratio * x[at(n - 1)]) / checked(1 + z[0] + ratio * z[at(n - 1)], 1);
  for (int i = 0; i < n; ++i) x[at(i)] -= share * z[at(i)];
  return x;
}

/// Rows of the ends of fewer than three blocks name the same end more than once.
System folded(System s) {
  const int n = s.size();
  if (!s.cyclic || n > 2) return s;
  if (n == 1) {
    s.diagonal[0] += s.lower[0] + s.upper[0];
  } else {
    s.upper[0] += s.lower[0];
    s.lower[1] += s.upper[1];
  }
  s.cyclic = false;
  return s;
}

void check(const Tridiagonal& m, int block) {
  const std::size_t n = m.diagonal.size();
  if (m.lower.size() != n || m.upper.size() != n)
    refuse("a tridiagonal matrix was given " + std::to_string(m.lower.size()) + ", " + std::to_string(n) +
           " and " + std::to_string(m.upper.size()) + " elements below, on and above its diagonal");
  if (n < 3) refuse("lines of " + std::to_string(n) + " cells cannot be solved; at least 3 are needed");
  if (block < 3) refuse("blocks of " + std::to_string(block) + " cells; at least 3 are needed");
}

}  // namespace

Tridiagonal tridiagonal(int cells, double beside, double diagonal, bool cyclic) {
  const auto n = at(std::max(0, cells));
  return {std::vector<double>(n, beside), std::vector<double>(n, diagonal), std::vector<double>(n, beside),
          cyclic};
}

LineSystem::LineSystem(Tridiagonal matrix, int block)
    : block_(block), blocks_(1), cyclic_(matrix.cyclic), rows_(matrix.diagonal.size()) {
  check(matrix, block);
  blocks_ = std::max(1, cells() / block_);
  if (!cyclic_) matrix.lower.front() = matrix.upper.back() = 0;
  for (int k = 0; k < blocks_; ++k) factor(matrix, k);
  link(matrix);
}

int LineSystem::block_at(int cell) const {
  if (cell == cells()) return blocks_;
  return cell % block_ == 0 && cell / block_ < blocks_ ? cell / block_ : -1;
}

std::vector<int> LineSystem::cuts(int ranks) const {
  if (ranks < 1 || ranks > blocks_)
    refuse("a line of " + std::to_string(cells()) + " cells in " + std::to_string(blocks_) + " blocks of " +
           std::to_string(block_) + " cannot be cut between " + std::to_string(ranks) + " ranks");
  std::vector<int> all;
  for (int r = 0; r <= ranks; ++r) all.push_back(begin(static_cast<int>(std::int64_t{blocks_} * r / ranks)));
  return all;
}

/// Elimination of the inner cells, and the first and last row of their inverse: those are what the transposed
/// matrix makes of the first and last unit vector.
void LineSystem::factor(const Tridiagonal& m, int block) {
  const int lo = begin(block), end = begin(block + 1) - 1, n = end - lo;
  System transposed;
  for (int i = lo; i < end; ++i) {
    transposed.diagonal.push_back(m.diagonal[at(i)]);
    transposed.lower.push_back(i > lo ? m.upper[at(i - 1)] : 0);
    transposed.upper.push_back(i + 1 < end ? m.lower[at(i + 1)] : 0);
  }
  Reals unit(at(n), 0);
  unit.front() = 1;
  const Reals first = solve_open(transposed, unit);
  unit.front() = 0;
  unit.back() = 1;
  const Reals last = solve_open(transposed, unit);
  Real upper = 0;
  for (int i = lo; i < end; ++i) {
    const Real pivot = 1 / (m.diagonal[at(i)] - (i > lo ? m.lower[at(i)] * upper : 0));
    upper = m.upper[at(i)] * pivot;
    rows_[at(i)] = {static_cast<double>(pivot), static_cast<double>(m.lower[at(i)] * pivot),
                    static_cast<double>(upper), static_cast<double>(first[at(i - lo)]),
                    static_cast<double>(last[at(i - lo)])};
  }
  end_lower_.push_back(m.lower[at(end)]);
}

/// The system of the ends, its inverse column by column, and the band of it that counts.
void LineSystem::link(const Tridiagonal& m) {
  const int n = blocks_;
  System ends{Reals(at(n)), Reals(at(n)), Reals(at(n)), cyclic_};
  for (int k = 0; k < n; ++k) {
    const int lo = begin(k), end = begin(k + 1) - 1, next = (k + 1) % n;
    const int next_lo = begin(next), next_end = begin(next + 1) - 1;
    const Real below = m.lower[at(end)], above = m.upper[at(end)];
    const Row &mine = rows_[at(lo)], &inner = rows_[at(end - 1)], &after = rows_[at(next_lo)];
    ends.lower[at(k)] = -below * m.lower[at(lo)] * Real(mine.last);
    ends.diagonal[at(k)] = m.diagonal[at(end)] - below * m.upper[at(end - 1)] * Real(inner.last) -
                           above * m.lower[at(next_lo)] * Real(after.first);
    ends.upper[at(k)] = -above * m.upper[at(next_end - 1)] * Real(rows_[at(next_end - 1)].first);
  }
  ends = folded(ends);
  std::vector<Reals> columns;
  for (int c = 0; c < n; ++c) {
    Reals unit(at(n), 0);
    unit[at(c)] = 1;
    columns.push_back(solve(ends, unit));
  }
  const auto weights = [&](int k, int c) {
    const int earlier = (c + n - 1) % n;
    const bool linked = cyclic_ || c > 0;
    const Real first = linked ? -columns[at(earlier)][at(k)] * m.upper[at(begin(earlier + 1) - 1)] : 0;
    return Weights{static_cast<double>(columns[at(c)][at(k)]), static_cast<double>(first)};
  };
  const auto size = [](const Weights& w) { return std::max(std::abs(w.sum), std::abs(w.first)); };
  const int most = n - 1;
  const auto offset = [&](int k, int c) {  // the nearer way round
    const int d = c - k;
    return !cyclic_ ? d : d > n / 2 ? d - n : d < -((n - 1) / 2) ? d + n : d;
  };
  for (int k = 0; k < n; ++k) {
    double largest = 0;
    for (int c = 0; c < n; ++c) largest = std::max(largest, size(weights(k, c)));
    for (int c = 0; c < n; ++c) {
      if (size(weights(k, c)) <= std::ldexp(largest, -60)) continue;
      before_ = std::min(most, std::max(before_, -offset(k, c)));
      after_ = std::min(most, std::max(after_, offset(k, c)));
    }
  }
  for (int k = 0; k < n; ++k)
    for (int d = -before_; d <= after_; ++d) {
      const bool there = cyclic_ || (k + d >= 0 && k + d < n);
      weights_.push_back(there ? weights(k, ((k + d) % n + n) % n) : Weights{0, 0});
    }
}

}  // namespace sc
