// SPDX-License-Identifier: Apache-2.0
// RowOrder: the order of rows for sweeps over arrays larger than the caches. Outputs use non-temporal stores,
// because an ordinary store reads its cache line before changing it. Blocks of few rows are iterated through
// all planes, so that the neighbouring planes are still in the cache, and the row of the foremost plane is
// prefetched.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>

#include "engine/base/align.hpp"
#include "engine/field/views.hpp"
#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace sc {

struct RowOrder {
  int block = 0;             ///< rows of a block, iterated through all planes; 0: all rows, in plain order
  int planes_ahead = 0;      ///< planes ahead that the stage reads
  int rows_ahead = 1;        ///< rows from the one computed to the one prefetched, in order of computing
  unsigned past_caches = 0;  ///< bit n: view number n is only written
};

namespace detail {

#if defined(__SSE2__) && !defined(SC_CHECKED)
constexpr bool stores_pass_caches = true;

/// Non-temporal stores of a cache line, as wide as the processor has: fewer stores complete a line sooner.
inline void line_past_caches(std::byte* to, const std::byte* from) {
#if defined(__AVX512F__)
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), _mm512_loadu_si512(from));
#elif defined(__AVX__)
  for (std::size_t n = 0; n < cache_line; n += sizeof(__m256i))
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to + n),
                        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + n)));
#else
  for (std::size_t n = 0; n < cache_line; n += sizeof(__m128i))
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + n),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + n)));
#endif
}

/// Non-temporal stores for whole cache lines, ordinary stores for the rest.
inline void copy_past_caches(std::byte* to, const std::byte* from, std::size_t bytes) {
  const std::size_t head = std::min(bytes, -reinterpret_cast<std::uintptr_t>(to) % cache_line);
  if (head > 0) std::memcpy(to, from, head);
  to += head;
  from += head;
  bytes -= head;
  for (; bytes >= cache_line; bytes -= cache_line, to += cache_line, from += cache_line)
    line_past_caches(to, from);
  if (bytes > 0) std::memcpy(to, from, bytes);
}
/// Completes non-temporal stores before later stores of this thread.
inline void end_past_caches() { _mm_sfence(); }
#else
constexpr bool stores_pass_caches = false;
inline void copy_past_caches(std::byte*, const std::byte*, std::size_t) {}
inline void end_past_caches() {}
#endif

/// Prefetches `count` cells of a view that is only read, from element `first` on.
template <class T, int N>
[[gnu::always_inline]] inline void prefetch_row(const Components<T, N>& view, std::ptrdiff_t first,
                                                int count) {
  if constexpr (std::is_const_v<T>)
    for (int k = 0; k < N; ++k) {
      const char* from = reinterpret_cast<const char*>(view.base + k * view.stride + first);
      for (std::ptrdiff_t n = 0; n < count * static_cast<std::ptrdiff_t>(sizeof(T)); n += cache_line)
        __builtin_prefetch(from + n, 0, 2);  // into the second-level cache
    }
}
template <class Other>
[[gnu::always_inline]] inline void prefetch_row(const Other&, std::ptrdiff_t, int) {}

/// Bytes a cell that a kernel may write through a view.
template <class View>
struct Written {
  static constexpr std::size_t bytes = 0;
};
template <class T, int N>
struct Written<Components<T, N>> {
  static constexpr std::size_t bytes = std::is_const_v<T> ? 0 : N * sizeof(T);
};

/// A piece of a row in the first-level cache, into which the kernel writes instead of into memory.
template <class... Views>
class NearRow {
 public:
  static constexpr std::size_t cell_bytes = (std::size_t{0} + ... + Written<Views>::bytes);
  static constexpr bool possible = stores_pass_caches && cell_bytes > 0;
  static constexpr int piece = 128;            ///< cells, whole cache lines for every type
  static constexpr int capacity = piece + 16;  ///< the first piece ends at the end of a cache line
  using All = std::tuple<Views...>;

  explicit NearRow(unsigned past) : past_(past) {}

  /// Cells of the piece that begins at c; after it the first write-only view writes whole cache lines.
  int length(const All& all, At c) const {
    int before = -1;
    each(all, [&](const auto& view, const std::byte*) {
      if (before < 0) before = cells_before_line(view, c);
    });
    return piece + std::max(before, 0);
  }
  /// The views with cell c and the following ones in this buffer, for write-only views.
  All views(const All& all, At c) {
    All near = all;
    each(near, [&](auto& view, std::byte* from) { place(view, c, from); });
    return near;
  }
  /// Stores `count` cells from c on in memory.
  void leave(const All& all, At c, int count) const {
    each(all, [&](const auto& view, const std::byte* from) { store(view, c, count, from); });
  }

 private:
  template <class Tuple, class Action>
  void each(Tuple& all, const Action& action) const {
    std::size_t offset = 0;
    unsigned bit = 1;
    std::apply(
        [&](auto&... view) {
          (
              [&] {
                if (past_ & bit) action(view, const_cast<std::byte*>(memory_.data()) + offset);
                offset +=
                    Written<std::remove_cvref_t<decltype(view)>>::bytes * static_cast<std::size_t>(capacity);
                bit <<= 1;
              }(),
              ...);
        },
        all);
  }
  template <class T, int N>
  static void place(Components<T, N>& view, At c, std::byte* from) {
    if constexpr (!std::is_const_v<T>) {
      view.base = reinterpret_cast<T*>(from) - c.i;
      view.stride = capacity;
    }
  }
  template <class T, int N>
  static void store(const Components<T, N>& view, At c, int count, const std::byte* from) {
    if constexpr (!std::is_const_v<T>)
      for (int k = 0; k < N; ++k)
        copy_past_caches(reinterpret_cast<std::byte*>(view.base + k * view.stride + c.i),
                         from + static_cast<std::size_t>(k) * capacity * sizeof(T),
                         static_cast<std::size_t>(count) * sizeof(T));
  }
  template <class T, int N>
  static int cells_before_line(const Components<T, N>& view, At c) {
    return static_cast<int>(-reinterpret_cast<std::uintptr_t>(view.base + c.i) % cache_line / sizeof(T));
  }
  template <class Other>
  static int cells_before_line(const Other&, At) {
    return -1;
  }
  template <class Other>
  static void place(Other&, At, std::byte*) {}
  template <class Other>
  static void store(const Other&, At, int, const std::byte*) {}

  unsigned past_;
  alignas(cache_line) std::array<std::byte, std::max<std::size_t>(cell_bytes, 1) * capacity> memory_;
};

}  // namespace detail
}  // namespace sc
