// SPDX-License-Identifier: Apache-2.0
// FarMemory: memory of arrays that do not fit in near memory: files, or (for a device) host memory. A
// SlabStream uses only this interface: batches of copies, which complete in the order of their start.
#pragma once

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

/// To the slots, or back.
enum class Way : std::uint8_t { in, out };

/// A value for each direction.
template <class T>
struct PerWay {
  T in{}, out{};
  T& operator[](Way way) { return way == Way::in ? in : out; }
  const T& operator[](Way way) const { return way == Way::in ? in : out; }
};

/// A run of bytes of one array and the near memory to or from which it is copied. Offset and length are
/// multiples of the far memory's alignment, the address of near_alignment().
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
  /// Later batches are recorded on this context's timeline and account.
  void record_in(Context& context) { context_ = &context; }
  /// Starts a batch and returns its number, counted from 1 in each direction. Until it is done, the near
  /// memory must not be accessed (in) or changed (out).
  std::int64_t start(Way way, std::span<const FarPart> parts);
  /// Waits until this batch and all previous ones in this direction are done; then throws Error (storage) if
  /// one of them failed.
  void wait(Way way, std::int64_t batch);
  /// The same, calling drive() until it returns that nothing else is in progress.
  void wait(Way way, std::int64_t batch, const std::function<bool()>& drive);
  /// Waits until nothing is in progress.
  void wait(Way way) { wait(way, begun_[way]); }
  /// Whether this batch is done. Throws as wait() does.
  bool ended(Way way, std::int64_t batch) { return test(way) || ended_[way] >= batch; }
  /// Makes progress without blocking; true if nothing is in progress. Throws as wait() does.
  virtual bool test(Way way) = 0;

  /// Whether a stream should copy its next piece with nothing else in progress, to measure M: at most a
  /// fiftieth of the time.
  bool sample_due() const;
  /// Waits for everything in progress; batches until end_sample() are a sample.
  void begin_sample();
  void end_sample();

  /// Creates an uninitialised array; returns its number.
  virtual int add(const std::string& name, std::int64_t bytes) = 0;
  /// Alignment in bytes; 1 if near memory is not the host's, without padding of pieces.
  virtual std::size_t alignment() const = 0;
  virtual std::size_t near_alignment() const { return alignment(); }
  /// The read-ahead depth in batches of this size, in each direction, that keeps it busy.
  virtual int batches_ahead(std::size_t /*bytes*/) const { return 1; }
  /// Allocates near memory for batches.
  virtual Buffer allocate(std::size_t bytes) = 0;
  /// Synchronous copy between near memory and the caller's, because the host may not have access to near
  /// memory.
  virtual void copy_near(std::byte* to, const std::byte* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
  }
  /// Bytes copied so far, without errors.
  std::int64_t bytes(Way way) const { return bytes_[way]; }

  /// The device that computes in near memory; nullptr: the host.
  virtual std::shared_ptr<Device> device() const { return nullptr; }
  /// Host memory for strips: cells that copy() copies to slots and back.
  virtual std::shared_ptr<std::byte> strips(std::size_t bytes) {
    return {new std::byte[bytes], std::default_delete<std::byte[]>()};
  }
  /// Copy within near memory, ordered with the computation there. For a device, one thread calls it.
  virtual void copy_within(std::byte* to, const std::byte* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
  }
  /// Copies strips, ordered before the next computation and after the last one.
  virtual void copy(Way way, std::span<const BoxCopy> copies);
  /// Address of an array, if it is in host memory.
  virtual std::byte* reached(int /*array*/) const { return nullptr; }
  /// Name of the memory, for messages.
  virtual const char* where() const = 0;

 protected:
  explicit FarMemory(Resource resource) : resource_(resource) {}
  virtual std::int64_t start_batch(Way way, std::span<const FarPart> parts) = 0;
  virtual void wait_batch(Way way, std::int64_t batch) = 0;
  /// Whether a batch is in progress during other work.
  virtual bool overlaps() const { return true; }
  /// Bytes copied outside of batches.
  void add_bytes(std::int64_t bytes) {
    if (context_) context_->accounts()[resource_].bytes += bytes;
  }
  PerWay<std::int64_t> begun_, ended_;  // the last batch that was started, and the last that was completed
  PerWay<std::int64_t> bytes_;          // copied without errors

 private:
  /// Batches of one direction that were copied with nothing else in progress.
  struct SampleSum {
    std::int64_t bytes = 0;
    double seconds = 0;
    std::int64_t unestimated = 0;  ///< bytes copied before the first sample
  };
  template <class Action>
  void timed(Way way, Phase phase, Action&& action);
  /// Adds the time of these bytes to M, estimated from the samples at their rate.
  void estimate(Way way, std::int64_t bytes);

  Resource resource_;
  Context* context_ = nullptr;
  PerWay<SampleSum> samples_;
  bool in_sample_ = false;
  PerWay<std::int64_t> sampled_bytes_;  // of the sample in progress
  PerWay<double> sampled_seconds_;
  double began_ = -1;  // start of the first batch
  double sample_began_ = 0;
  double spent_ = 0, last_ = 0;  // seconds of all samples, and of the last one
};

}  // namespace sc
