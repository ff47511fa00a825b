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
  /// Freed when the last owner lets go of it, after all work given so far.
  using Memory = std::shared_ptr<std::byte>;
  /// A place in a stream: all that the stream had been given when it was asked for.
  using Event = std::shared_ptr<void>;

  virtual ~Device() = default;
  /// What it calls itself, for summaries.
  virtual std::string describe() const = 0;

  /// Zeroed memory of the device, 256-byte aligned; only its own work may touch it. Throws Error (storage).
  virtual Memory allocate(std::size_t bytes) = 0;
  /// Memory of the host that the device reaches too.
  virtual Memory pinned(std::size_t bytes) = 0;

  /// Asynchronous, between any two of both kinds of memory; ranges do not overlap. The host's other memory is
  /// allowed where finish() follows before it changes or goes.
  virtual void copy(Stream stream, std::byte* to, const std::byte* from, std::size_t bytes) = 0;
  virtual Event record(Stream stream) = 0;
  /// What `stream` is given from now on waits for the event.
  virtual void after(Stream stream, const Event& event) = 0;
  /// Without blocking. Throws Error (failure) where earlier work has failed.
  virtual bool reached(const Event& event) = 0;
  virtual void wait(const Event& event) = 0;
  /// Until all streams are empty.
  virtual void finish() = 0;
  /// Seconds between two marks, both reached.
  virtual double seconds(const Event& from, const Event& to) const = 0;

  /// Whether work is given as functions for the host to run; a kernel's launch (exec/launch.hpp) asks.
  virtual bool runs_on_host() const { return false; }
  virtual void give(Stream stream, std::function<void()> work);
  /// A stream as the vendor's library knows it (a cudaStream_t).
  virtual void* native(Stream /*stream*/) const { return nullptr; }
  /// Whether the host, and so any MPI, may touch the device's memory.
  virtual bool host_reaches_memory() const { return false; }

  /// Both streams of a stage wait for what the other one has been given so far.
  void join() {
    const Event core = record(Stream::core), edge = record(Stream::edge);
    after(Stream::edge, core);
    after(Stream::core, edge);
  }
};

}  // namespace sc
