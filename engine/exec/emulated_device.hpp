// SPDX-License-Identifier: Apache-2.0
// EmulatedDevice: a device emulated on the host. Work is postponed, then executed in an order that the events
// allow but that differs from program order. The host cannot access device memory in between. So a missing
// wait changes the result or causes a fault, without a GPU.
#pragma once

#include <cstdint>
#include <deque>
#include <map>

#include "engine/base/device.hpp"

namespace sc {

/// `late`: work is executed when a wait needs it, and no more than that. `shuffled`: streams take turns in a
/// fixed random order.
enum class Disorder { late, shuffled };

struct EmulatedOptions {
  Disorder disorder = Disorder::shuffled;
  std::uint64_t seed = 1;
  bool host_reaches_memory =
      false;  ///< as on a device that MPI can read from: the host can access device memory
  /// Bytes a second of copies on the streams `in` and `out`, each way; 0: no limit.
  double link_bytes_per_second = 0;
};

class EmulatedDevice final : public Device {
 public:
  explicit EmulatedDevice(EmulatedOptions options = {}) : options_(options), state_(options.seed) {}
  EmulatedDevice(const EmulatedDevice&) = delete;
  EmulatedDevice& operator=(const EmulatedDevice&) = delete;

  std::string describe() const override { return "emulated device"; }
  Memory allocate(std::size_t bytes) override;
  Memory pinned(std::size_t bytes) override;
  void copy(Stream stream, std::byte* to, const std::byte* from, std::size_t bytes) override;
  Event record(Stream stream) override;
  void after(Stream stream, const Event& event) override;
  bool reached(const Event& event) override;
  void wait(const Event& event) override;
  void finish() override;
  bool runs_on_host() const override { return true; }
  void enqueue(Stream stream, std::function<void()> work) override;
  bool host_reaches_memory() const override { return options_.host_reaches_memory; }

 private:
  /// An event: the tasks recorded in its stream before it.
  struct StreamPosition {
    Stream stream;
    std::int64_t number;  ///< number of tasks that the stream must have executed
  };
  struct Task {
    std::function<void()> work;            // empty for a wait
    std::shared_ptr<StreamPosition> wait;  // empty for work
    double due = 0;                        // time at which the link has copied it
  };
  struct Queue {
    std::deque<Task> tasks;
    std::int64_t done = 0;
    double due = 0;  // of the last copy over the link
  };
  static const StreamPosition& position(const Event& event) {
    return *static_cast<const StreamPosition*>(event.get());
  }
  Queue& queue(Stream stream) { return streams_[static_cast<std::size_t>(stream)]; }
  bool passed(const StreamPosition& position) const {
    return streams_[static_cast<std::size_t>(position.stream)].done >= position.number;
  }
  /// Whether the first task of a stream may be executed now.
  bool ready(const Queue& queue) const;
  void do_first(Queue& queue);
  /// Executes until the stream has executed `number` tasks, and no more than that needs.
  void advance(Stream stream, std::int64_t number);
  /// Executes some tasks of any stream.
  void wander();
  void open_memory(bool open);
  std::uint64_t next_number();

  EmulatedOptions options_;
  std::uint64_t state_;
  std::array<Queue, stream_count> streams_;
  std::map<std::byte*, std::size_t> memory_;  // whole pages
  bool open_ = false;
};

}  // namespace sc
