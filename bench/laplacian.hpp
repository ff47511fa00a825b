// SPDX-License-Identifier: Apache-2.0
// Rows of the discrete Laplacian on a line, a square or a cube of cells, as sparse matrices of benchmarks.
#pragma once

#include "solvers/cg/product.hpp"

namespace sc::bench {

inline std::int64_t power(std::int64_t n, int exponent) {
  return exponent == 0 ? 1 : n * power(n, exponent - 1);
}

/// Rows [first, last) of a Laplacian with 2 d + 1 points on n^d cells. The diagonal varies, so that the
/// diagonal preconditioner is not a multiple of the identity.
inline cg::LocalRows laplacian(int n, int dimensions, std::int64_t first, std::int64_t last) {
  cg::LocalRows a;
  a.first = first;
  a.column.reserve(static_cast<std::size_t>((last - first) * (2 * dimensions + 1)));
  a.value.reserve(a.column.capacity());
  const auto add = [&](std::int64_t c, double v) {
    a.column.push_back(c);
    a.value.push_back(v);
  };
  for (std::int64_t r = first; r < last; ++r) {
    std::int64_t stride = power(n, dimensions - 1);
    for (int d = 0; d < dimensions; ++d, stride /= n)
      if (r / stride % n > 0) add(r - stride, -1);
    add(r, 2.0 * dimensions + 0.1 * static_cast<double>(r % 7));
    stride = 1;
    for (int d = 0; d < dimensions; ++d, stride *= n)
      if (r / stride % n < n - 1) add(r + stride, -1);
    a.begin.push_back(static_cast<std::int64_t>(a.column.size()));
  }
  return a;
}
/// All rows.
inline cg::LocalRows laplacian(int n, int dimensions) {
  return laplacian(n, dimensions, 0, power(n, dimensions));
}

}  // namespace sc::bench
