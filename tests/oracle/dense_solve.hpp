// SPDX-License-Identifier: Apache-2.0
// Gaussian elimination of a full matrix, the oracle of solvers of lines.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

namespace sc::test {

using Matrix = std::vector<std::vector<double>>;

/// x of A x = b; rows are swapped where a pivot is small.
inline std::vector<double> dense_solve(Matrix A, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t best = c;
    for (std::size_t r = c; r < n; ++r)
      if (std::abs(A[r][c]) > std::abs(A[best][c])) best = r;
    std::swap(A[c], A[best]);
    std::swap(b[c], b[best]);
    for (std::size_t r = c + 1; r < n; ++r) {
      const double f = A[r][c] / A[c][c];
      for (std::size_t j = c; j < n; ++j) A[r][j] -= f * A[c][j];
      b[r] -= f * b[c];
    }
  }
  for (std::size_t r = n; r-- > 0;) {
    for (std::size_t j = r + 1; j < n; ++j) b[r] -= A[r][j] * b[j];
    b[r] /= A[r][r];
  }
  return b;
}

}  // namespace sc::test
