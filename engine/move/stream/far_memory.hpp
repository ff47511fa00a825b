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
  /// What is started and waited for from now on is booked on this context's timeline and account.
  void book_on(Context& context) { context_ = &context; }
  /// Starts a batch and returns its number, counted from 1 in each way. The near memory stays untouched (in)
  /// or unchanged (out) until the batch is done.
  std::int64_t start(Way way, std::span<const FarPart> parts);
  /// Until this batch and all before it in this way are done; then throws Error (storage) if one of them
  /// failed.
  void wait(Way way, std::int64_t batch);
  /// The same, calling drive() until it says that nothing else is on its way.
  void wait(Way way, std::int64_t batch, const std::function<bool()>& drive);
  /// Until nothing is under way.
  void wait(Way way) { wait(way, begun(way)); }
  /// Whether this batch is done. Throws as wait() does.
  bool ended(Way way, std::int64_t batch) { return test(way) || ended(way) >= batch; }
  /// Makes progress without blocking; true when nothing is under way. Throws as wait() does.
  virtual bool test(Way way) = 0;

  /// Whether a stream should copy its next piece with nothing else under way, so that M is known: at most a
  /// fiftieth of the time goes to that.
  bool sample_due() const;
  /// Ends all that is under way; what is started and waited for until end_sample() is a sample.
  void begin_sample();
  void end_sample();

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

  /// That computes on near memory; nullptr: the host does.
  virtual std::shared_ptr<Device> device() const { return nullptr; }
  /// The host's memory for strips: cells that copy() brings to slots and back.
  virtual std::shared_ptr<std::byte> strips(std::size_t bytes) {
    return {new std::byte[bytes], std::default_delete<std::byte[]>()};
  }
  /// Before what is computed next, and after what has been.
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
  /// Bytes that went by the side of the batches.
  void book(std::int64_t bytes) {
    if (context_) context_->accounts()[resource_].bytes += bytes;
  }

 private:
  /// What is known of one way: batches that were copied with nothing else under way.
  struct Measured {
    std::int64_t bytes = 0;
    double seconds = 0;
    std::int64_t unpriced = 0;  ///< bytes that went before any was measured
  };
  template <class Action>
  void timed(Way way, Phase phase, Action&& action);
  /// Bytes that go take as long as those that were measured.
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
