// SPDX-License-Identifier: Apache-2.0
// What benchmarks of sweeps in memory compute, and what they are held against.
#pragma once

#include <immintrin.h>

#include "bench/heat_kernel.hpp"

namespace sc::bench {

/// u_next = 2 u - u_before + c2 laplace(u), over what u_before held.
template <class Real>
struct Swing {
  Real c2;
  SC_FN void operator()(At c, InOut<Real> before, In<Real> u) const {
    const Real near = u[c.x(1)] + u[c.x(-1)] + u[c.y(1)] + u[c.y(-1)] + u[c.z(1)] + u[c.z(-1)];
    const Real far = u[c.x(2)] + u[c.x(-2)] + u[c.y(2)] + u[c.y(-2)] + u[c.z(2)] + u[c.z(-2)];
    before[c] = 2 * u[c] - before[c] + c2 * (Real(4) / 3 * near - far / 12 - Real(7.5) * u[c]);
  }
};

/// The loop nest that one would write, over the same memory.
inline void plain_heat(Field<double>& T, int threads) {
  const Int3 n = T.grid().own().extent();
  const Layout l = T.grid().layout();
  const double* const from = T.now().view().base;
  double* const to = T.next().view().base;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int z = 0; z < n.z; ++z)
    for (int y = 0; y < n.y; ++y) {
      const double* const q = from + l.offset({0, y, z});
      double* const out = to + l.offset({0, y, z});
#pragma GCC ivdep
      for (int x = 0; x < n.x; ++x)
        out[x] = q[x] + 0.1 * (q[x + 1] + q[x - 1] + q[x + l.sy] + q[x - l.sy] + q[x + l.sz] + q[x - l.sz] -
                               6 * q[x]);
    }
}

/// Reads one array and writes another, each once.
inline void streaming_copy(double* to, const double* from, std::ptrdiff_t count, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::ptrdiff_t i = 0; i < count / 8; ++i)
    for (std::ptrdiff_t k = 8 * i; k < 8 * i + 8; k += 4) _mm256_stream_pd(to + k, _mm256_loadu_pd(from + k));
}

template <class Real>
void set_walls(Field<Real>& field) {
  for (int axis = 0; axis < 3; ++axis)
    for (int side = 0; side < 2; ++side) boundary(field, {axis, side}, Fixed<Real>{0});
}

}  // namespace sc::bench
