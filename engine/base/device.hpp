// SPDX-License-Identifier: Apache-2.0
// Device: memory of an accelerator, and streams of asynchronous work. The engine uses accelerators only
// through this interface. CUDA is one implementation, the emulated device another (engine/exec).
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace sc {

/// Work of one stream runs in the order in which it was enqueued. Streams wait for each other only through
/// events. `edge` (high priority) runs the shell, packing, unpacking and boundary conditions, `core` all
/// other computation, `in` and `out` the copies of slots.
enum class Stream : unsigned char { core, edge, in, out };
constexpr std::size_t stream_count = 4;

enum class DeviceKind {
  none,
  cuda,
  emulated  ///< the host, which executes work in another order that a device may choose: for tests without a
            ///< device
};
/// "cpu", "cuda" or "emulated"; throws Error (bad_input) for anything else.
DeviceKind device_of(std::string_view name);

class Device : public std::enable_shared_from_this<Device> {
 public:
  /// Freed with its last owner, after all work enqueued before.
  using Memory = std::shared_ptr<std::byte>;
  /// A position in a stream, after all work enqueued before it.
  using Event = std::shared_ptr<void>;

  virtual ~Device() = default;
  /// Name of the device, for summaries.
  virtual std::string describe() const = 0;

  /// Zeroed device memory, 256-byte aligned, for use by the device only. Throws Error (storage).
  virtual Memory allocate(std::size_t bytes) = 0;
  /// Pinned host memory, which the device can access too.
  virtual Memory pinned(std::size_t bytes) = 0;

  /// Asynchronous copy of `bytes` between device and pinned memory, in any direction; the ranges must not
  /// overlap. Other host memory is allowed if finish() is called before it changes or is freed.
  virtual void copy(Stream stream, std::byte* to, const std::byte* from, std::size_t bytes) = 0;
  virtual Event record(Stream stream) = 0;
  /// Later work of `stream` waits for the event.
  virtual void after(Stream stream, const Event& event) = 0;
  /// Does not block. Throws Error (failure) if earlier work has failed.
  virtual bool reached(const Event& event) = 0;
  virtual void wait(const Event& event) = 0;
  /// Waits until all streams are empty.
  virtual void finish() = 0;

  /// Whether the host executes the work, as functions; used by the launch of a kernel (exec/launch.hpp).
  virtual bool runs_on_host() const { return false; }
  virtual void enqueue(Stream stream, std::function<void()> work);
  /// The stream as a type of the vendor's library (a cudaStream_t).
  virtual void* native(Stream /*stream*/) const { return nullptr; }
  /// Whether the host, and so any MPI, can access the device's memory.
  virtual bool host_reaches_memory() const { return false; }

  /// `core` and `edge` each wait for all earlier work of the other.
  void join() {
    const Event core = record(Stream::core), edge = record(Stream::edge);
    after(Stream::edge, core);
    after(Stream::core, edge);
  }
};

}  // namespace sc
