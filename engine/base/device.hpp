// SPDX-License-Identifier: Apache-2.0
// Device: memory beside the host's and streams of work that runs while the host goes on. All the engine knows
// of an accelerator; CUDA is one implementation, the emulated device another (engine/exec).
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace sc {

/// Work of one stream runs in the order it was given; streams wait for each other only where they are told
/// to. `edge`, of higher priority, has the shell, packing, unpacking and boundary conditions; `core` the
/// rest; `in` and `out` what a ring of slots copies.
enum class Stream : unsigned char { core, edge, in, out };
constexpr std::size_t stream_count = 4;

enum class DeviceKind {
  none,
  cuda,
  emulated  ///< the host, in a disorder that a device may show: finds missing waits, and needs no device
};
std::string_view device_name(DeviceKind kind);
/// "cpu", "cuda" or "emulated"; throws Error (bad_input) for anything else.
DeviceKind device_of(std::string_view name);

class Device : public std::enable_shared_from_this<Device> {
 public:
  /// Freed with its last owner, after all work enqueued before.
  using Memory = std::shared_ptr<std::byte>;
  /// A position in a stream, after all work enqueued before.
  using Event = std::shared_ptr<void>;

  virtual ~Device() = default;
  /// Its name, for summaries.
  virtual std::string describe() const = 0;

  /// Zeroed memory of the device, 256-byte aligned; only its work may touch it. Throws Error (storage).
  virtual Memory allocate(std::size_t bytes) = 0;
  /// Memory of the host that the device reaches too.
  virtual Memory pinned(std::size_t bytes) = 0;

  /// Asynchronous, from device or pinned memory to either; ranges do not overlap. Other memory of the host is
  /// allowed if finish() follows before it changes or is freed.
  virtual void copy(Stream stream, std::byte* to, const std::byte* from, std::size_t bytes) = 0;
  virtual Event record(Stream stream) = 0;
  /// Later work of `stream` waits for the event.
  virtual void after(Stream stream, const Event& event) = 0;
  /// Without blocking. Throws Error (failure) where earlier work has failed.
  virtual bool reached(const Event& event) = 0;
  virtual void wait(const Event& event) = 0;
  /// Until all streams are empty.
  virtual void finish() = 0;
  /// Seconds between two events, both reached.
  virtual double seconds(const Event& from, const Event& to) const = 0;

  /// Whether the host runs the work, as functions; a kernel's launch (exec/launch.hpp) asks.
  virtual bool runs_on_host() const { return false; }
  virtual void enqueue(Stream stream, std::function<void()> work);
  /// A stream as the vendor's library knows it (a cudaStream_t).
  virtual void* native(Stream /*stream*/) const { return nullptr; }
  /// Whether the host, and so any MPI, may touch the device's memory.
  virtual bool host_reaches_memory() const { return false; }

  /// Both streams of a stage wait for all earlier work of the other.
  void join() {
    const Event core = record(Stream::core), edge = record(Stream::edge);
    after(Stream::edge, core);
    after(Stream::core, edge);
  }
};

}  // namespace sc
