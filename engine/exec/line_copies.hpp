// SPDX-License-Identifier: Apache-2.0
// Copies of lines side by side, and back. Lines along x are transposed for that, in tiles of four cells of
// four lines that stay in registers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "engine/base/align.hpp"
#include "engine/exec/line_geometry.hpp"

namespace sc::detail {

/// Cells of a line, or lines, in a tile.
constexpr int tile = 4;

#if defined(__GNUC__) && !defined(__CUDACC__)
template <class T>
constexpr bool in_tiles = std::is_same_v<T, double> || std::is_same_v<T, float>;

template <class T>
void transpose(const T* const (&from)[tile], T* const (&to)[tile]) {
  using Row [[gnu::vector_size(tile * sizeof(T)), gnu::aligned(sizeof(T)), gnu::may_alias]] = T;
  const auto row = [&](int k) { return *reinterpret_cast<const Row*>(from[k]); };
  const Row a = row(0), b = row(1), c = row(2), d = row(3);
  const Row even_ab = __builtin_shufflevector(a, b, 0, 4, 2, 6),
            odd_ab = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Row even_cd = __builtin_shufflevector(c, d, 0, 4, 2, 6),
            odd_cd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  const auto put = [&](int k, Row r) { *reinterpret_cast<Row*>(to[k]) = r; };
  put(0, __builtin_shufflevector(even_ab, even_cd, 0, 1, 4, 5));
  put(1, __builtin_shufflevector(odd_ab, odd_cd, 0, 1, 4, 5));
  put(2, __builtin_shufflevector(even_ab, even_cd, 2, 3, 6, 7));
  put(3, __builtin_shufflevector(odd_ab, odd_cd, 2, 3, 6, 7));
}
#else
template <class T>
constexpr bool in_tiles = false;
template <class T>
void transpose(const T* const (&)[tile], T* const (&)[tile]) {}
#endif

/// Calls cells(first, last) for single cells and whole(n) for the cells of a cache line from n on, which all
/// of them have from cell 0 on.
template <class Cells, class Whole>
void each_line_of_cache(int first, int last, int some, const Cells& cells, const Whole& whole) {
  const int begin = std::min(0, last), end = std::max(begin, last / some * some);
  cells(first, begin);
  for (int n = begin; n < end; n += some) whole(n);
  cells(end, last);
}

/// Cells [first, last) of the lines to to[n * padded + l]; missing lines are copies of the last.
template <class T>
void side_by_side(const T* cells, const LineGeometry::BundleLayout& at, int first, int last, T* to) {
  const int padded = at.padded();
  const auto line = [&](int l) { return cells + std::min(l, at.lines - 1) * at.across; };
  const auto singly = [&](int begin, int end) {
    for (int l = 0; l < padded; ++l) {
      const T* from = line(l);
      for (int n = begin; n < end; ++n) to[std::ptrdiff_t{n} * padded + l] = from[n * at.along];
    }
  };
  constexpr int some = static_cast<int>(cache_line / sizeof(T));
  if constexpr (in_tiles<T>) {
    if (at.along == 1)
      return each_line_of_cache(first, last, some, singly, [&](int n) {
        for (int l = 0; l < padded; l += tile) {
          const T* const from[tile] = {line(l) + n, line(l + 1) + n, line(l + 2) + n, line(l + 3) + n};
          // What is copied is not read again, so it need not stay in a cache.
          for (const T* f : from) __builtin_prefetch(f + 4 * some, 0, 0);
          for (int k = 0; k < some; k += tile) {
            T* cell = to + std::ptrdiff_t{n + k} * padded + l;
            transpose<T>({from[0] + k, from[1] + k, from[2] + k, from[3] + k},
                         {cell, cell + padded, cell + 2 * padded, cell + 3 * padded});
          }
        }
      });
  }
  for (int n = first; n < last; n += some) singly(n, std::min(last, n + some));
}

/// The opposite, of cells [0, count).
template <class T>
void back_in_place(const T* from, const LineGeometry::BundleLayout& at, int count, T* cells) {
  const int padded = at.padded();
  const auto singly = [&](int begin, int end, int line, int lines) {
    for (int l = line; l < lines; ++l) {
      T* to = cells + l * at.across;
      for (int n = begin; n < end; ++n) to[n * at.along] = from[std::ptrdiff_t{n} * padded + l];
    }
  };
  constexpr int some = static_cast<int>(cache_line / sizeof(T));
  if constexpr (in_tiles<T>) {
    if (at.along == 1)
      return each_line_of_cache(
          0, count, some, [&](int begin, int end) { singly(begin, end, 0, at.lines); },
          [&](int n) {
            int l = 0;
            for (; l + tile <= at.lines; l += tile) {
              T* const line = cells + l * at.across + n;
              for (int k = 0; k < some; k += tile) {
                const T* cell = from + std::ptrdiff_t{n + k} * padded + l;
                transpose<T>(
                    {cell, cell + padded, cell + 2 * padded, cell + 3 * padded},
                    {line + k, line + at.across + k, line + 2 * at.across + k, line + 3 * at.across + k});
              }
            }
            singly(n, n + some, l, at.lines);
          });
  }
  for (int n = 0; n < count; n += some) singly(n, std::min(count, n + some), 0, at.lines);
}

}  // namespace sc::detail
