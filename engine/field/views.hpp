// SPDX-License-Identifier: Apache-2.0
// What a kernel sees: At (one linear offset shared by all fields of a grid), In and Out (base pointers handed
// to the kernel by the engine). A kernel never owns or captures a field, so it runs on any memory the engine
// binds.
#pragma once

#include <cstddef>

#ifdef __CUDACC__
#define SC_FN __host__ __device__ __forceinline__
#else
#define SC_FN [[gnu::always_inline]] inline
#endif

namespace sc {

/// The cell a kernel computes; x(n), y(n), z(n) are the cells n further along an axis.
struct At {
  std::ptrdiff_t i;
  std::ptrdiff_t sy, sz;

  SC_FN constexpr At x(int n) const { return {i + n, sy, sz}; }
  SC_FN constexpr At y(int n) const { return {i + n * sy, sy, sz}; }
  SC_FN constexpr At z(int n) const { return {i + n * sz, sy, sz}; }
  /// n further along axis 0, 1 or 2.
  SC_FN constexpr At along(int axis, int n) const { return axis == 0 ? x(n) : axis == 1 ? y(n) : z(n); }
};

/// N components, each a whole array (structure of arrays): V[k][c] is component k at cell c.
template <class T, int N>
struct Components {
  T* base;
  std::ptrdiff_t stride;
  SC_FN Components<T, 1> operator[](int k) const;
};

template <class T>
struct Components<T, 1> {
  T* base;
  std::ptrdiff_t stride = 0;
  SC_FN T& operator[](At c) const { return base[c.i]; }
};

template <class T, int N>
SC_FN Components<T, 1> Components<T, N>::operator[](int k) const {
  return {base + k * stride, stride};
}

template <class T, int N = 1>
using In = Components<const T, N>;
template <class T, int N = 1>
using Out = Components<T, N>;
/// Read and written at its own cell only (reach point), or anywhere by a coloured sweep.
template <class T, int N = 1>
using InOut = Components<T, N>;

}  // namespace sc
