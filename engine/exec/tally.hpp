// SPDX-License-Identifier: Apache-2.0
// Tally: the data of a reduction on a device. Every thread has values of its own, those of a block are
// combined, and one thread adds the result to the tally in memory, by atomic operations on integers: the
// order changes no bit. The host's accumulators add the tally exactly.
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

/// One value of a kernel over the cells of one or more threads.
struct ValueTally {
  std::int64_t key = lowest_key;  ///< of a maximum or minimum; of a sum its highest bin
  /// Of a sum, in units of its three highest bins. What is below no longer counts (see BinnedSum), also not
  /// when it is added to the sum of other threads.
  std::int64_t part[3]{};

  SC_FN void add(Reduce reduce, double value) {
    if (reduce != Reduce::sum) {
      raise(reduce == Reduce::max ? max_key(value) : min_key(value));
    } else if (const Slices s = slices_of(value); s.top >= 0) {
      add_slices(s.top, s.part);
    }
  }
  SC_FN void merge(Reduce reduce, const ValueTally& other) {
    if (reduce != Reduce::sum)
      raise(other.key);
    else
      add_slices(other.key, other.part);
  }

 private:
  SC_FN void raise(std::int64_t to) { key = to > key ? to : key; }
  SC_FN void add_slices(std::int64_t top, const std::int64_t (&slices)[3]) {
    if (top > key) {
      shift(part, first_bin(top) - first_bin(key));
      key = top;
    }
    std::int64_t more[3] = {slices[0], slices[1], slices[2]};
    shift(more, first_bin(key) - first_bin(top));
    for (int n = 0; n < 3; ++n) part[n] += more[n];
  }
  /// `bins` bins down, in registers.
  SC_FN static void shift(std::int64_t (&slices)[3], std::int64_t bins) {
    if (bins == 0) return;
    slices[2] = bins == 1 ? slices[1] : bins == 2 ? slices[0] : 0;
    slices[1] = bins == 1 ? slices[0] : 0;
    slices[0] = 0;
  }
};

/// For K values, in memory. The integer of a bin is words[2 b] 2^split_bits + words[2 b + 1].
template <int K>
struct TallyOf {
  static constexpr int words = BinnedSum::words;
  std::int64_t key[K];
  std::int64_t word[K][words];

  SC_FN void add(int k, Reduce reduce, const ValueTally& value) {
    raise_to(key[k], value.key);
    if (reduce != Reduce::sum) return;
    for (int n = 0; n < 3; ++n) {
      if (value.part[n] == 0) continue;  // of no values all, and the first if one could not be cut
      std::int64_t* at = &word[k][2 * (first_bin(value.key) - n)];
      add_to(at[0], value.part[n] >> split_bits);
      add_to(at[1], value.part[n] & ((std::int64_t{1} << split_bits) - 1));
    }
  }
};

}  // namespace sc
