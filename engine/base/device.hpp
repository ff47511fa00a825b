// SPDX-License-Identifier: Apache-2.0
// Device: memory beside the host's and lanes of work that runs while the host goes on. All the engine knows
// of an accelerator; CUDA is one implementation, the emulated device another (engine/exec).
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace sc {

/// Work of one lane runs in the order it was given; lanes wait for each other only where they are told to.
/// `edge`, of higher priority, has the shell, packing, unpacking and boundary conditions; `core` the rest;
/// `in` and `out` what a ring of slots copies.
enum class Lane : unsigned char { core, edge, in, out };
constexpr std::size_t lane_count = 4;

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
  /// A place in a lane: all that the lane had been given when it was asked for.
  using Mark = std::shared_ptr<void>;

  virtual ~Device() = default;
  /// What it calls itself, for summaries.
  virtual std::string describe() const = 0;

  /// Zeroed memory of the device, 256-byte aligned; only its own work may touch it. Throws Error (storage).
  virtual Memory allocate(std::size_t bytes) = 0;
  /// Memory of the host that the device reaches too.
  virtual Memory pinned(std::size_t bytes) = 0;

  /// Asynchronous, between any two of both kinds of memory; ranges do not overlap. The host's other memory is
  /// allowed where finish() follows before it changes or goes.
  virtual void copy(Lane lane, std::byte* to, const std::byte* from, std::size_t bytes) = 0;
  virtual Mark mark(Lane lane) = 0;
  /// What `lane` is given from now on waits for the mark.
  virtual void after(Lane lane, const Mark& mark) = 0;
  /// Without blocking. Throws Error (failure) where earlier work has failed.
  virtual bool reached(const Mark& mark) = 0;
  virtual void wait(const Mark& mark) = 0;
  /// Until all lanes are empty.
  virtual void finish() = 0;
  /// Seconds between two marks, both reached.
  virtual double seconds(const Mark& from, const Mark& to) const = 0;

  /// Whether work is given as functions for the host to run; a kernel's launch (exec/launch.hpp) asks.
  virtual bool runs_on_host() const { return false; }
  virtual void give(Lane lane, std::function<void()> work);
  /// A lane as the vendor's library knows it (a cudaStream_t).
  virtual void* native(Lane /*lane*/) const { return nullptr; }
  /// Whether the host, and so any MPI, may touch the device's memory.
  virtual bool host_reaches_memory() const { return false; }

  /// Both lanes of a stage wait for what the other one has been given so far.
  void join() {
    const Mark core = mark(Lane::core), edge = mark(Lane::edge);
    after(Lane::edge, core);
    after(Lane::core, edge);
  }
};

}  // namespace sc
