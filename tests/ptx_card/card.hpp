// SPDX-License-Identifier: Apache-2.0
// Card: what CUDA's runtime keeps between its calls: memory, streams, events, kernels and the last error.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/exec/emulated_device.hpp"
#include "tests/ptx_card/kernel.hpp"

namespace sc::ptx {

/// What nvcc left in the program for one source: its PTX, found when the first of its kernels is launched.
struct Module {
  const std::byte* fat_binary = nullptr;
  std::string_view text;
};
struct Function {
  Module* module = nullptr;
  std::string name;
  std::unique_ptr<Kernel> kernel;
};
struct Configuration {
  dim3 blocks, threads;
  std::size_t shared = 0;
  cudaStream_t stream = nullptr;
};
struct Event {
  Device::Event event;
  Clock clock{};
};

/// Streams and events are those of an emulated device, which does the work late and in disorder.
class Card {
 public:
  std::deque<Module> modules;
  std::map<const void*, Function> functions;
  std::vector<Configuration> configurations;             // pushed, and not yet popped
  cudaError_t last = cudaSuccess, broken = cudaSuccess;  // `broken` stays, as a card's faults do

  cudaStream_t open_stream();
  void close_stream(cudaStream_t stream);
  /// What the stream is given from now on follows the event.
  void after(cudaStream_t stream, const Event& event);
  Event record(cudaStream_t stream);
  bool reached(const Event& event);
  void wait(const Event& event);
  /// Until all streams are empty.
  void finish();

  void* allocate(std::size_t bytes);
  void* allocate_pinned(std::size_t bytes);
  /// False for what was never allocated.
  bool free(void* data);
  void copy(cudaStream_t stream, void* to, const void* from, std::size_t bytes);
  /// False for memory that the card may not touch.
  bool fill(void* data, int value, std::size_t bytes);
  /// False for what a card of compute capability 9.0 would refuse.
  bool launch(Function& function, const Configuration& how, void** arguments);

 private:
  /// Handles are the streams of the emulated device, counted from 1. The default stream is the one of the
  /// least urgency, and is in no order with the others, which do not block: as a stream of its own it is the
  /// last one.
  static Stream stream_of(cudaStream_t stream);
  static std::size_t number_of(cudaStream_t stream);
  void enqueue(cudaStream_t stream, std::function<void()> work);
  bool may_touch(const void* data, std::size_t bytes);
  void* own(Device::Memory memory, std::size_t bytes);

  std::shared_ptr<EmulatedDevice> device_ = std::make_shared<EmulatedDevice>();
  Memory memory_;
  std::map<void*, Device::Memory> owned_;
  std::array<bool, stream_count> open_{};
  std::array<Clock, streams> clocks_{};  // of each stream, what its next task follows
  Clock host_{};                         // what the host has seen the end of
};

}  // namespace sc::ptx
