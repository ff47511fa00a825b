// SPDX-License-Identifier: Apache-2.0
// Reduction: one non-blocking all-reduce of the order-free accumulators of all ranks: integer keys whose
// largest counts, and integers that are added. Both are exact, so the result does not depend on the split.
#pragma once

#include <mpi.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "engine/base/context.hpp"
#include "engine/field/storage.hpp"

namespace sc {

/// The order of doubles as integers: a < b exactly when max_key(a) < max_key(b), and NaN above everything.
inline std::int64_t max_key(double value) {
  if (std::isnan(value)) return std::numeric_limits<std::int64_t>::max();
  // -0.0 and 0.0 must be one key, or a maximum would depend on who brings it first.
  const auto bits = std::bit_cast<std::int64_t>(value + 0.0);
  return bits >= 0 ? bits : std::numeric_limits<std::int64_t>::min() - bits;
}
inline double max_value(std::int64_t key) {
  if (key == std::numeric_limits<std::int64_t>::max()) return std::numeric_limits<double>::quiet_NaN();
  return std::bit_cast<double>(key >= 0 ? key : std::numeric_limits<std::int64_t>::min() - key);
}
/// Keys of a minimum, reduced like those of a maximum; NaN wins here too.
inline std::int64_t min_key(double value) { return max_key(-value); }
inline double min_value(std::int64_t key) { return -max_value(key); }

class Reduction final : public Pending {
 public:
  explicit Reduction(Context& context) : context_(context) {}
  Reduction(const Reduction&) = delete;
  Reduction& operator=(const Reduction&) = delete;
  ~Reduction() override;

  /// Collective: all ranks bring as many keys and as many sums. The values are taken over, the caller's
  /// memory is free at once. One reduction at a time: the one before is ended first.
  void start(std::span<const std::int64_t> max_keys, std::span<const std::int64_t> sums);
  /// Without blocking; true once the results are there (or nothing was started).
  bool test();
  void wait();
  void finish() override { wait(); }

  /// The results of the last reduction; valid after wait() (or a true test()) until the next start().
  std::span<const std::int64_t> max_keys() const { return {values_.data(), keys_}; }
  std::span<const std::int64_t> sums() const { return {values_.data() + keys_, values_.size() - keys_}; }

 private:
  Context& context_;
  std::vector<std::int64_t> values_;  // keys, then sums
  std::size_t keys_ = 0;
  std::array<MPI_Request, 2> requests_{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
};

}  // namespace sc
