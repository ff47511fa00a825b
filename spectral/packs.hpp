// SPDX-License-Identifier: Apache-2.0
// Packs: one element of several lines in a vector register, with loads and stores. Lanes beyond the last line
// repeat it, so that the arithmetic is independent of the number of lines.
#pragma once

#include <algorithm>
#include <complex>
#include <cstring>
#include <utility>

namespace sc::spectral {

template <class V, class T>
struct Packs {
  static constexpr int lanes = sizeof(V) / sizeof(T);
  using C = std::complex<T>;

  static V load(const T* p) {
    V v;
    std::memcpy(&v, p, sizeof v);
    return v;
  }
  static void store(T* p, const V& v) { std::memcpy(p, &v, sizeof v); }

  /// Splits `lanes` adjacent complex numbers into real and imaginary parts.
  static void split(const C* p, V& re, V& im) {
    const T* at = reinterpret_cast<const T*>(p);
    const V a = load(at), b = load(at + lanes);
    split(a, b, re, im, std::make_integer_sequence<int, lanes>());
  }
  static void join(C* p, const V& re, const V& im) {
    T* at = reinterpret_cast<T*>(p);
    join(at, re, im, std::make_integer_sequence<int, lanes>());
  }
  /// The same for the first `some` of them.
  static void split(const C* p, int some, V& re, V& im) {
    C all[lanes];
    for (int l = 0; l < lanes; ++l) all[l] = p[std::min(l, some - 1)];
    split(all, re, im);
  }
  static void join(C* p, int some, const V& re, const V& im) {
    C all[lanes];
    join(all, re, im);
    std::copy_n(all, some, p);
  }

  /// Transposes a square: row(l) returns row l, put(l, column) receives column l. The rows are expanded one
  /// by one, because a loop is compiled to copies of half vectors through memory, which stall the loads after
  /// them.
  template <class Row, class Put>
  static void transpose(Row&& row, Put&& put) {
    transpose(row, put, std::make_integer_sequence<int, lanes>());
  }

 private:
  template <int... l>
  static void split(const V& a, const V& b, V& re, V& im, std::integer_sequence<int, l...>) {
    re = __builtin_shufflevector(a, b, (2 * l)...);
    im = __builtin_shufflevector(a, b, (2 * l + 1)...);
  }
  template <int... l>
  static void join(T* at, const V& re, const V& im, std::integer_sequence<int, l...>) {
    store(at, __builtin_shufflevector(re, im, (l / 2 + l % 2 * lanes)...));
    store(at + lanes, __builtin_shufflevector(re, im, (lanes / 2 + l / 2 + l % 2 * lanes)...));
  }
  template <class Row, class Put, int... l>
  static void transpose(Row& row, Put& put, std::integer_sequence<int, l...>) {
    V v[lanes]{row(l)...};
    transpose<lanes / 2>(v);
    (put(l, v[l]), ...);
  }
  template <int half>
  static void transpose(V (&v)[lanes]) {
    if constexpr (half > 0) {
      for (int i = 0; i < lanes; ++i)
        if ((i & half) == 0) exchange<half>(v[i], v[i + half], std::make_integer_sequence<int, lanes>());
      transpose<half / 2>(v);
    }
  }
  /// Exchanges the off-diagonal blocks of two rows that are `half` apart.
  template <int half, int... l>
  static void exchange(V& a, V& b, std::integer_sequence<int, l...>) {
    const V first = __builtin_shufflevector(a, b, ((l & half) != 0 ? lanes + l - half : l)...);
    b = __builtin_shufflevector(a, b, ((l & half) != 0 ? lanes + l : l + half)...);
    a = first;
  }
};

}  // namespace sc::spectral
