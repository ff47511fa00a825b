// SPDX-License-Identifier: Apache-2.0
// Reduction: one non-blocking reduction of the order-free accumulators of all ranks: integer keys, reduced by
// maximum, and integers that are summed. Both are exact, so the result does not depend on the decomposition.
// It is in the account and on the timeline of the context.
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
  explicit Reduction(Context& context);
  Reduction(const Reduction&) = delete;
  Reduction& operator=(const Reduction&) = delete;
  ~Reduction() override;

  /// Collective: all ranks pass equally many keys and sums. The values are copied, so the caller may reuse
  /// its memory. There is one reduction at a time: a previous one is completed first. A sample (see Sampling)
  /// is awaited at once. `name`: of the wait on the timeline, a literal.
  void start(std::span<const std::int64_t> max_keys, std::span<const std::int64_t> sums,
             const char* name = "reduction");
  /// Does not block; true if the results are complete (or nothing was started).
  bool test();
  /// Waits for the results, and records the wait.
  void wait();
  void finish() override { wait(); }

  /// The results of the last reduction; valid after wait() (or a true test())
  /// until the next start().
  std::span<const std::int64_t> max_keys() const { return {values_.data(), keys_}; }
  std::span<const std::int64_t> sums() const { return {values_.data() + keys_, values_.size() - keys_}; }

 private:
  void begin(std::int64_t* values, std::size_t count, MPI_Op op, MPI_Request& request);
  void note(bool begins) const;
  std::int64_t bytes() const { return static_cast<std::int64_t>(values_.size() * sizeof(std::int64_t)); }

  Context& context_;
  std::vector<std::int64_t> values_;  // keys, then sums
  std::size_t keys_ = 0;
  std::array<MPI_Request, 2> requests_{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  const char* name_ = "";
  bool under_way_ = false;
  Sampled sampled_;
  bool sample_ = false;
  double begun_ = 0;
  std::shared_ptr<Reduction*> alive_;  // what close() finds us by
};

}  // namespace sc
