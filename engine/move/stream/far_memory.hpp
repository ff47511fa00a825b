// SPDX-License-Identifier: Apache-2.0
// FarMemory: where arrays lie that do not fit near the computation: files of a disk, or (seen from a device)
// the host's memory. A SlabStream knows only this: batches of copies, which end in the order of their start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace sc {

/// Towards the slots of a ring, or back.
enum class Way : std::uint8_t { in, out };

/// A run of bytes of one array and the near memory it is copied to or from. Offset, address and length are
/// multiples of the far memory's alignment.
struct FarPart {
  int array = 0;
  std::int64_t offset = 0;
  std::byte* near = nullptr;
  std::size_t bytes = 0;
};

class FarMemory {
 public:
  using Buffer = std::unique_ptr<std::byte, std::function<void(std::byte*)>>;

  virtual ~FarMemory() = default;
  /// Starts a batch and returns its number, counted from 1 in each way. The near memory stays untouched (in)
  /// or unchanged (out) until the batch is done.
  virtual std::int64_t start(Way way, std::span<const FarPart> parts) = 0;
  /// Until this batch and all before it in this way are done; then throws Error (storage) if one of them
  /// failed.
  virtual void wait(Way way, std::int64_t batch) = 0;
  /// Until nothing is under way.
  virtual void wait(Way way) = 0;
  /// Makes progress without blocking; true when nothing is under way. Throws as wait() does.
  virtual bool test(Way way) = 0;

  /// A new array of so many bytes, its content undefined; returns its number.
  virtual int add(const std::string& name, std::int64_t bytes) = 0;
  /// 1 where near memory is not the host's: what lies beside a piece is then never filled up.
  virtual std::size_t alignment() const = 0;
  /// Batches of so many bytes, each way, that keep it busy.
  virtual int batches_ahead(std::size_t /*bytes*/) const { return 1; }
  /// Near memory that batches may use.
  virtual Buffer allocate(std::size_t bytes) = 0;
  /// At once, where either is near memory or the caller's: near memory may be beyond the host's reach.
  virtual void copy_near(std::byte* to, const std::byte* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
  }
  /// Copied so far, successfully.
  virtual std::int64_t bytes(Way way) const = 0;
};

}  // namespace sc
