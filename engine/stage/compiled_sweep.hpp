// SPDX-License-Identifier: Apache-2.0
// CompiledSweep: a sweep whose kernel was compiled at run time, such as one written in Python. Its properties
// are values instead of types.
#pragma once

#include "engine/exec/compiled_rows.hpp"
#include "engine/stage/sweep.hpp"

namespace sc {

class CompiledSweep final : public Stage {
 public:
  /// `values`: number of values that the kernel returns for options.reduce. Throws Error (bad_input) for
  /// invalid declarations, as Sweep does.
  CompiledSweep(std::string name, CompiledRows rows, int values, SweepOptions options,
                std::vector<Access> accesses);

  /// The kernel's members for the next run.
  void set(std::span<const std::byte> kernel) { rows_.kernel.assign(kernel.begin(), kernel.end()); }

  void compute(const Box& box, int threads, std::span<Accumulator> into) override;
  Captured capture() const override;
  bool runs_on_devices() const override { return rows_.on_device != nullptr; }
  void collect() override {
    if (tally_) tally_->collect(accumulators());
  }

 private:
  CompiledRows rows_;
  Reduce reduce_;
  std::unique_ptr<DeviceTally> tally_;  // if a device computes the fields
};

}  // namespace sc
