// SPDX-License-Identifier: Apache-2.0
// References for benchmarks of sweeps in memory.
#pragma once

#include <immintrin.h>

#include "engine/subcurrent.hpp"

namespace sc::bench {

/// The plain loop nest over the same memory.
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

/// The same for the wave equation of fourth order, which overwrites the previous level.
template <class Real>
void plain_wave(Field<Real>& u, int threads) {
  const Int3 n = u.grid().own().extent();
  const Layout l = u.grid().layout();
  const Real* const from = u.now().view().base;
  Real* const to = u.next().view().base;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int z = 0; z < n.z; ++z)
    for (int y = 0; y < n.y; ++y) {
      const Real* const q = from + l.offset({0, y, z});
      Real* const out = to + l.offset({0, y, z});
#pragma GCC ivdep
      for (int x = 0; x < n.x; ++x) {
        const Real near = q[x + 1] + q[x - 1] + q[x + l.sy] + q[x - l.sy] + q[x + l.sz] + q[x - l.sz];
        const Real far =
            q[x + 2] + q[x - 2] + q[x + 2 * l.sy] + q[x - 2 * l.sy] + q[x + 2 * l.sz] + q[x - 2 * l.sz];
        out[x] = 2 * q[x] - out[x] + Real(0.1) * (Real(4) / 3 * near - Real(1) / 12 * far - Real(7.5) * q[x]);
      }
    }
}

/// Reads one array and writes another, each once.
inline void streaming_copy(double* to, const double* from, std::ptrdiff_t count, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::ptrdiff_t i = 0; i < count / 8; ++i)
    for (std::ptrdiff_t k = 8 * i; k < 8 * i + 8; k += 4) _mm256_stream_pd(to + k, _mm256_loadu_pd(from + k));
}

}  // namespace sc::bench
