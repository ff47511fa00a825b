// SPDX-License-Identifier: Apache-2.0
// HostMemory: host memory as far memory of a device, for fields larger than the device, with the same slots
// as fields in files. Reads and writes use separate streams of the device, and overlap with computation.
#pragma once

#include <deque>
#include <vector>

#include "engine/base/device.hpp"
#include "engine/move/stream/far_memory.hpp"

namespace sc {

class HostMemory : public FarMemory {
 public:
  explicit HostMemory(std::shared_ptr<Device> device)
      : FarMemory(Resource::link), device_(std::move(device)) {}

  bool test(Way way) override;
  /// Pinned memory: a field can be as large as the host can keep resident. Throws Error (storage).
  int add(const std::string& name, std::int64_t bytes) override;
  std::size_t alignment() const override { return 1; }
  /// Allocates on the device.
  Buffer allocate(std::size_t bytes) override;
  void copy_near(std::byte* to, const std::byte* from, std::size_t bytes) override;
  void copy_within(std::byte* to, const std::byte* from, std::size_t bytes) override {
    device_->copy(Stream::edge, to, from, bytes);
  }
  std::shared_ptr<Device> device() const override { return device_; }
  /// Pinned: kernels read and write it in place.
  std::shared_ptr<std::byte> strips(std::size_t bytes) override { return device_->pinned(bytes); }
  void copy(Way way, std::span<const BoxCopy> copies) override;
  std::byte* reached(int array) const override { return arrays_[static_cast<std::size_t>(array)].get(); }
  const char* where() const override { return "in the host's memory beside a device"; }

 private:
  struct Batch {
    Device::Event done;
    std::int64_t bytes = 0;
  };
  /// Both streams follow the work enqueued on the computing streams; work enqueued there afterwards follows a
  /// read that has been waited for.
  std::int64_t start_batch(Way way, std::span<const FarPart> parts) override;
  void wait_batch(Way way, std::int64_t batch) override;
  /// The oldest batch has completed.
  void end(Way way);

  std::shared_ptr<Device> device_;
  std::vector<Device::Memory> arrays_;
  PerWay<std::deque<Batch>> under_way_;
};

}  // namespace sc
