// SPDX-License-Identifier: Apache-2.0
// Reduction: one non-blocking reduction of the order-free accumulators of all ranks: integer keys whose
// largest counts, and integers that are added. Both are exact, so the result does not depend on the split.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/context.hpp"
#include "engine/field/storage.hpp"

namespace sc {

class Reduction final : public Pending {
 public:
  /// To all ranks, or to `root` alone.
  explicit Reduction(Context& context, int root = everybody);
  static constexpr int everybody = -1;
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

  /// The results of the last reduction, on the ranks it goes to; valid after wait() (or a true test()) until
  /// the next start().
  std::span<const std::int64_t> max_keys() const { return {values_.data(), keys_}; }
  std::span<const std::int64_t> sums() const { return {values_.data() + keys_, values_.size() - keys_}; }

 private:
  void begin(std::int64_t* values, std::size_t count, MPI_Op op, MPI_Request& request);

  Context& context_;
  int root_;
  std::vector<std::int64_t> values_;  // keys, then sums
  std::size_t keys_ = 0;
  std::array<MPI_Request, 2> requests_{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  std::shared_ptr<Reduction*> alive_;  // what close() finds us by
};

}  // namespace sc
