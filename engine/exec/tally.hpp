// SPDX-License-Identifier: Apache-2.0
// Tally: the data of a reduction on a device: keys reduced by maximum, and words that are added, so threads
// may add in any order. The host's accumulators add it exactly.
#pragma once

#include <cstdint>

#include "engine/exec/accumulator.hpp"
#include "engine/exec/ordered_key.hpp"
#include "engine/exec/slices.hpp"
#include "engine/field/views.hpp"
#include "engine/grid/box.hpp"

namespace sc {

SC_FN void add_to(std::int64_t& word, std::int64_t value) {
#ifdef __CUDA_ARCH__
  atomicAdd(reinterpret_cast<unsigned long long*>(&word), static_cast<unsigned long long>(value));
#else
  word += value;
#endif
}
SC_FN void raise_to(std::int64_t& word, std::int64_t value) {
#ifdef __CUDA_ARCH__
  atomicMax(reinterpret_cast<long long*>(&word), static_cast<long long>(value));
#else
  word = value > word ? value : word;
#endif
}

/// For K values. The integer of a bin is words[2 b] 2^split_bits + words[2 b + 1].
template <int K>
struct TallyOf {
  static constexpr int words = BinnedSum::words;
  static constexpr int size = K * (1 + words);
  std::int64_t key[K];
  std::int64_t word[K][words];

  /// Parts of clearing and merging, 0 <= n < size, which many threads share.
  SC_FN void clear(int n) {
    if (n < K)
      key[n] = lowest_key;
    else
      word[(n - K) / words][(n - K) % words] = 0;
  }
  SC_FN void merge(int n, const TallyOf& other) {
    if (n < K) {
      raise_to(key[n], other.key[n]);
    } else if (const std::int64_t value = other.word[(n - K) / words][(n - K) % words]; value != 0) {
      add_to(word[(n - K) / words][(n - K) % words], value);
    }
  }

  SC_FN void add(int k, Reduce reduce, double value) {
    if (reduce == Reduce::max) {
      raise_to(key[k], max_key(value));
    } else if (reduce == Reduce::min) {
      raise_to(key[k], min_key(value));
    } else {
      const Slices s = slices_of(value);
      if (s.top < 0) return;
      raise_to(key[k], s.top);
      if (s.top >= BinnedSum::bins) return;
      for (int n = 0; n < 3; ++n) {
        if (s.part[n] == 0) continue;
        std::int64_t* at = &word[k][2 * (s.first - n)];
        add_to(at[0], s.part[n] >> split_bits);
        add_to(at[1], s.part[n] & ((std::int64_t{1} << split_bits) - 1));
      }
    }
  }
};

}  // namespace sc
