// SPDX-License-Identifier: Apache-2.0
// What a kernel sees: At (one linear offset shared by all fields of a grid), In and Out (base pointers set by
// the engine). A kernel never owns or captures a field, so it runs on any memory.
#pragma once

#include <cstddef>
#include <type_traits>

#include "engine/grid/box.hpp"
#ifdef SC_CHECKED
#include "engine/field/watch.hpp"
#endif

#ifdef __CUDACC__
#define SC_FN __host__ __device__ __forceinline__
#else
#define SC_FN [[gnu::always_inline]] inline
#endif

// Types that depend on the compiler or on checked builds are in separate inline namespaces, so that a linker
// cannot mix them.
#if defined(__CUDACC__)
#define SC_COMPILED by_nvcc
#elif defined(SC_CHECKED)
#define SC_COMPILED by_host_checked
#else
#define SC_COMPILED by_host
#endif

namespace sc {

/// The cell that a kernel computes; x(n), y(n), z(n) are the cells n further along an axis.
struct At {
  std::ptrdiff_t i;
  std::ptrdiff_t sy, sz;

  SC_FN constexpr At x(int n) const { return {i + n, sy, sz}; }
  SC_FN constexpr At y(int n) const { return {i + n * sy, sy, sz}; }
  SC_FN constexpr At z(int n) const { return {i + n * sz, sy, sz}; }
  /// n further along axis 0, 1 or 2.
  SC_FN constexpr At along(int axis, int n) const { return axis == 0 ? x(n) : axis == 1 ? y(n) : z(n); }
};

#ifdef SC_CHECKED
inline constexpr bool views_are_checked = true;
inline namespace checked {

template <class T, int N>
struct Components {
  T* base;
  std::ptrdiff_t stride;
  Watched watched = {};
  Components<T, 1> operator[](int k) const;
  operator Components<const T, N>() const requires(!std::is_const_v<T>) { return {base, stride, watched}; }
};

template <class T>
struct Components<T, 1> {
  T* base;
  std::ptrdiff_t stride = 0;
  Watched watched = {};
  T& operator[](At c) const {
    if (watched.watch) watched.watch->touch(watched, c.i, base + c.i, sizeof(T), !std::is_const_v<T>);
    return base[c.i];
  }
  operator Components<const T, 1>() const requires(!std::is_const_v<T>) { return {base, stride, watched}; }
};

template <class T, int N>
Components<T, 1> Components<T, N>::operator[](int k) const {
  if (watched.watch) watched.watch->component(k, N);
  return {base + k * stride, stride, watched};
}

template <class T, int N>
void set_watch(Components<T, N>& view, const Watch* watch) {
  view.watched.watch = watch;
}
/// The view that the kernel gets for cell `c`, at `g` on the global grid.
template <class T, int N>
Components<T, N> for_cell(const Components<T, N>& view, At c, Index g, Borrowed& borrowed) {
  return {view.base, view.stride, {view.watched.watch, &borrowed, c.i, g}};
}

/// Other arguments of a kernel, such as a test's own views, are not checked.
template <class Other>
const Other& for_cell(const Other& other, At, Index, Borrowed&) {
  return other;
}

}  // namespace checked
#else
inline constexpr bool views_are_checked = false;

/// N components, each an array of its own (structure of arrays): V[k][c] is component k at cell c.
template <class T, int N>
struct Components {
  T* base;
  std::ptrdiff_t stride;
  SC_FN Components<T, 1> operator[](int k) const;
  /// The same, read-only.
  SC_FN operator Components<const T, N>() const requires(!std::is_const_v<T>) { return {base, stride}; }
};

template <class T>
struct Components<T, 1> {
  T* base;
  std::ptrdiff_t stride = 0;
  SC_FN T& operator[](At c) const { return base[c.i]; }
  SC_FN operator Components<const T, 1>() const requires(!std::is_const_v<T>) { return {base, stride}; }
};

template <class T, int N>
SC_FN Components<T, 1> Components<T, N>::operator[](int k) const {
  return {base + k * stride, stride};
}
#endif

template <class T, int N = 1>
using In = Components<const T, N>;
template <class T, int N = 1>
using Out = Components<T, N>;
/// Read and written at the own cell only (reach point), or read around it by a coloured sweep.
template <class T, int N = 1>
using InOut = Components<T, N>;

}  // namespace sc
