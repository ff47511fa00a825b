// SPDX-License-Identifier: Apache-2.0
// Accumulator: the value of a reduction over cells. Its bits do not depend on the order or grouping of the
// cells: max and min are ordered integer keys, sums are bins of exact integers.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace sc {

enum class Reduce { none, max, min, sum };

/// Order-free sum of doubles. Every value is cut at fixed powers of two (2^(40 b - 1040)) into slices that
/// are added exactly as integers. The result keeps the three highest bins in use, at least 80 bits below the
/// largest value. Pre-rounding to fixed bins follows Demmel and Nguyen, "Parallel reproducible summation",
/// IEEE Trans. Comput. 64 (2015).
class BinnedSum {
 public:
  static constexpr int bins = 50;
  static constexpr int words = 2 * bins;

  void clear() { *this = BinnedSum{}; }
  void add(const double* values, int count);
  void merge(const BinnedSum& other);
  /// Adds slices that were cut (slices_of) and summed elsewhere: two words a bin, of 2^20 and of 1.
  void add_slices(std::int64_t top, std::span<const std::int64_t> slices);
  double value() const;

  /// For an integer all-reduce: `words` numbers to be summed, and the highest bin in use, to be reduced by
  /// maximum.
  void pack(std::span<std::int64_t> out) const;
  std::int64_t top() const { return top_; }
  void unpack(std::span<const std::int64_t> in, std::int64_t top);

 private:
  // The highest bin in use; past the last one if a value was not finite or too large to be cut.
  std::int64_t top_ = -1;
  __extension__ using Wide = __int128;
  std::array<Wide, bins> bin_{};
};

class Accumulator {
 public:
  static constexpr int chunk = 512;  ///< the most values that add() takes at a time

  Accumulator() = default;
  explicit Accumulator(Reduce kind) : kind_(kind) {}
  Reduce kind() const { return kind_; }
  void clear();
  void add(const double* values, int count);
  void merge(const Accumulator& other);
  /// Adds the value of a device's tally (exec/tally.hpp).
  void add_tally(std::int64_t key, std::span<const std::int64_t> bins);
  /// NaN if any value was NaN; max and min of no values are -inf and +inf.
  double value() const;

  /// The data of an all-reduce: one key, reduced by maximum, and numbers to be summed (sums only).
  std::int64_t key() const;
  int words() const { return kind_ == Reduce::sum ? BinnedSum::words : 0; }
  void pack(std::span<std::int64_t> out) const;
  void unpack(std::int64_t key, std::span<const std::int64_t> in);

 private:
  Reduce kind_ = Reduce::none;
  std::int64_t key_ = std::numeric_limits<std::int64_t>::min();
  BinnedSum sum_;
};

/// Empty accumulators of the same kinds, and the addition of others into them, one by one.
std::vector<Accumulator> like(std::span<const Accumulator> kinds);
void merge(std::span<Accumulator> into, std::span<const Accumulator> from);

}  // namespace sc
