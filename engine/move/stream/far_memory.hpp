// SPDX-License-Identifier: Apache-2.0
// FarMemory: where arrays lie that do not fit near the computation: files of a disk, or (seen from a device)
// the host's memory. A SlabStream knows only this: batches of copies, which end in the order of their start.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "engine/base/context.hpp"
#include "engine/move/parcels/box_copy.hpp"

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
  /// Later batches are booked on this context's timeline and account.
  void book_on(Context& context) { context_ = &context; }
  /// Starts a batch and returns its number, counted from 1 in each way. The near memory stays untouched (in)
  /// or unchanged (out) until the batch is done.
  std::int64_t start(Way way, std::span<const FarPart> parts);
  /// Until this batch and all before it in this way are done; then throws Error (storage) if one of them
  /// failed.
  void wait(Way way, std::int64_t batch);
  /// The same, calling drive() until it returns that nothing else is under way.
  void wait(Way way, std::int64_t batch, const std::function<bool()>& drive);
  /// Until nothing is under way.
  void wait(Way way) { wait(way, begun(way)); }
  /// Whether this batch is done. Throws as wait() does.
  bool ended(Way way, std::int64_t batch) { return test(way) || ended(way) >= batch; }
  /// Makes progress without blocking; true when nothing is under way. Throws as wait() does.
  virtual bool test(Way way) = 0;

  /// Whether a stream should copy its next piece with nothing else under way, to measure M: at most a
  /// fiftieth of the time.
  bool sample_due() const;
  /// Waits for everything under way; batches until end_sample() are a sample.
  void begin_sample();
  void end_sample();

  /// A new uninitialised array; returns its number.
  virtual int add(const std::string& name, std::int64_t bytes) = 0;
  /// 1 where near memory is not the host's: pieces are then not padded.
  virtual std::size_t alignment() const = 0;
  /// The read-ahead depth in batches of this size, each way, that keeps it busy.
  virtual int batches_ahead(std::size_t /*bytes*/) const { return 1; }
  /// Near memory that batches may use.
  virtual Buffer allocate(std::size_t bytes) = 0;
  /// Synchronous, between near memory and the caller's: the host may not reach near memory.
  virtual void copy_near(std::byte* to, const std::byte* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
  }
  /// Copied so far, successfully.
  virtual std::int64_t bytes(Way way) const = 0;

  /// The device that computes on near memory; nullptr: the host.
  virtual std::shared_ptr<Device> device() const { return nullptr; }
  /// The host's memory for strips: cells that copy() brings to slots and back.
  virtual std::shared_ptr<std::byte> strips(std::size_t bytes) {
    return {new std::byte[bytes], std::default_delete<std::byte[]>()};
  }
  /// Ordered before the next computation and after the last one.
  virtual void copy(Way way, std::span<const BoxCopy> copies);
  /// Where an array begins, if it lies in the host's memory.
  virtual std::byte* reached(int /*array*/) const { return nullptr; }
  /// Where that is, for sentences.
  virtual const char* where() const = 0;

 protected:
  explicit FarMemory(Resource resource) : resource_(resource) {}
  virtual std::int64_t start_batch(Way way, std::span<const FarPart> parts) = 0;
  virtual void wait_batch(Way way, std::int64_t batch) = 0;
  /// The number of the batch that was started last.
  virtual std::int64_t begun(Way way) const = 0;
  /// The same of the last that is done.
  virtual std::int64_t ended(Way way) const = 0;
  /// Whether a batch is under way while something else is done.
  virtual bool overlaps() const { return true; }
  /// Bytes copied outside of batches.
  void book(std::int64_t bytes) {
    if (context_) context_->accounts()[resource_].bytes += bytes;
  }

 private:
  /// Batches of one way that were copied with nothing else under way.
  struct Measured {
    std::int64_t bytes = 0;
    double seconds = 0;
    std::int64_t unpriced = 0;  ///< bytes copied before the first measurement
  };
  template <class Action>
  void timed(Way way, Phase phase, Action&& action);
  /// Adds the time of these bytes at the measured rate.
  void price(Way way, std::int64_t bytes);
  Measured& measured(Way way) { return measured_[way == Way::out ? 1 : 0]; }
  const Measured& measured(Way way) const { return measured_[way == Way::out ? 1 : 0]; }

  Resource resource_;
  Context* context_ = nullptr;
  std::array<Measured, 2> measured_{};
  bool in_sample_ = false;
  std::array<std::int64_t, 2> sampled_bytes_{};  // of the sample under way
  std::array<double, 2> sampled_seconds_{};
  double began_ = -1;  // the first batch
  double sample_began_ = 0;
  double spent_ = 0, last_ = 0;  // on samples so far, on the last one
};

}  // namespace sc
