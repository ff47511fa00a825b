// SPDX-License-Identifier: Apache-2.0
// As much of CUDA's runtime as Subcurrent calls, for a machine without a card: preloaded, it takes the place
// of libcudart.so. Kernels run as the PTX that nvcc wrote for them; streams and events are lanes and marks of
// the emulated device, which does the work late and in disorder. A card has four streams here, and whatever a
// real one would not do, or not always do alike, ends as cudaErrorIllegalAddress with a sentence on stderr.
#include <cuda_runtime_api.h>
#include <fatbinary_section.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/exec/emulated_device.hpp"
#include "tests/ptx_card/fat_binary.hpp"
#include "tests/ptx_card/kernel.hpp"

namespace {

using namespace sc;

/// What nvcc left in the program for one source: its PTX, found when the first of its kernels is launched.
struct Module {
  const std::byte* fat_binary = nullptr;
  std::string_view text;
};
struct Function {
  Module* module = nullptr;
  std::string name;
  std::unique_ptr<ptx::Kernel> kernel;
};
struct Configuration {
  dim3 blocks, threads;
  std::size_t shared = 0;
  cudaStream_t stream = nullptr;
};
struct Event {
  Device::Mark mark;
  ptx::Clock clock{};
};
void join(ptx::Clock& clock, const ptx::Clock& other) {
  for (std::size_t s = 0; s < ptx::streams; ++s) clock[s] = std::max(clock[s], other[s]);
}

struct Card {
  std::shared_ptr<EmulatedDevice> device = std::make_shared<EmulatedDevice>();
  ptx::Memory memory;
  std::map<void*, Device::Memory> owned;
  std::array<bool, lane_count> streams{};
  std::array<ptx::Clock, lane_count> clocks{};  // of each stream, what its next task follows
  ptx::Clock host{};                            // what the host has seen the end of
  std::deque<Module> modules;
  std::map<const void*, Function> functions;
  std::vector<Configuration> configurations;
  cudaError_t last = cudaSuccess, broken = cudaSuccess;  // `broken` stays, as a card's faults do

  ptx::Task next_task(Lane lane) {
    const auto stream = static_cast<std::size_t>(lane);
    join(clocks[stream], host);
    ++clocks[stream][stream];
    return {stream, clocks[stream]};
  }
  void give(Lane lane, std::function<void()> work) {
    device->give(lane, [this, task = next_task(lane), work = std::move(work)] {
      memory.begin(task);
      work();
    });
  }
  void finish() {
    device->finish();
    for (const ptx::Clock& clock : clocks) join(host, clock);
  }

  /// True for memory of the card and pinned memory, false for the host's other memory. Throws Fault for bytes
  /// that begin in one of its allocations and end outside.
  bool may_touch(const void* data, std::size_t bytes) {
    const auto address = reinterpret_cast<std::uint64_t>(data);
    ptx::Region* found = nullptr;
    if (memory.holds(address)) memory.find(address, bytes, 1, found);
    return memory.holds(address);
  }
};
Card& card() {
  static Card* const one = new Card;  // never destroyed: kernels are unregistered after the last destructor
  return *one;
}

cudaError_t result(cudaError_t code) {
  if (code != cudaSuccess && code != cudaErrorNotReady) card().last = code;
  return code;
}
/// f(card), whose faults break the card.
cudaError_t guarded(const std::function<cudaError_t(Card&)>& f) {
  Card& c = card();
  if (c.broken != cudaSuccess) return result(c.broken);
  try {
    return result(f(c));
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "ptx card: %s\n", fault.what());
    c.broken = cudaErrorIllegalAddress;
    return result(c.broken);
  }
}

/// Handles of streams are lanes, counted from 1; the default stream is the lane of the least urgency.
Lane lane_of(cudaStream_t stream) {
  const auto number = reinterpret_cast<std::uintptr_t>(stream);
  return number == 0 ? Lane::core : static_cast<Lane>(number - 1);
}
Event& event_of(cudaEvent_t event) { return *reinterpret_cast<Event*>(event); }

const ptx::Kernel& kernel_of(Function& function) {
  if (!function.kernel) {
    Module& module = *function.module;
    if (module.text.empty()) module.text = ptx::text_of(module.fat_binary);
    function.kernel = std::make_unique<ptx::Kernel>(ptx::read_kernel(module.text, function.name));
  }
  return *function.kernel;
}

/// The limits of a card of compute capability 9.0.
bool can_launch(const ptx::Kernel& kernel, dim3 blocks, dim3 threads, std::size_t shared) {
  const std::uint64_t of_block = std::uint64_t{threads.x} * threads.y * threads.z;
  return blocks.x > 0 && blocks.y > 0 && blocks.z > 0 && of_block > 0 && blocks.x <= 0x7fffffffU &&
         blocks.y <= 65535 && blocks.z <= 65535 && threads.x <= 1024 && threads.y <= 1024 &&
         threads.z <= 64 && of_block <= std::uint64_t(std::min(kernel.most_threads, 1024)) &&
         kernel.shared_bytes + shared <= 48 * 1024 && kernel.parameter_bytes <= 32764;
}

cudaError_t give_launch(Card& c, Function& function, const Configuration& how, void** arguments) {
  const ptx::Kernel& kernel = kernel_of(function);
  if (!can_launch(kernel, how.blocks, how.threads, how.shared)) return cudaErrorInvalidConfiguration;
  if (how.shared > 0) throw ptx::Fault("shared memory given at the launch is not known here");
  std::vector<std::byte> parameters(kernel.parameter_bytes);
  for (std::size_t n = 0; n < kernel.parameters.size(); ++n)
    std::memcpy(parameters.data() + kernel.parameters[n].offset, arguments[n], kernel.parameters[n].bytes);
  const ptx::Extent blocks{how.blocks.x, how.blocks.y, how.blocks.z};
  const ptx::Extent threads{how.threads.x, how.threads.y, how.threads.z};
  c.give(lane_of(how.stream), [&kernel, &c, blocks, threads, parameters] {
    ptx::launch(kernel, blocks, threads, parameters, c.memory);
  });
  return cudaSuccess;
}

cudaError_t own(Card& c, Device::Memory memory, std::size_t bytes, void** data) {
  *data = memory.get();
  c.memory.add(*data, bytes);
  c.owned[*data] = std::move(memory);
  return cudaSuccess;
}
cudaError_t disown(void* data) {
  return guarded([data](Card& c) {
    if (!data) return cudaSuccess;
    if (!c.owned.contains(data)) return cudaErrorInvalidValue;
    c.finish();
    c.memory.remove(data);
    c.owned.erase(data);
    return cudaSuccess;
  });
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  const auto* const fat = static_cast<const __fatBinC_Wrapper_t*>(wrapper);
  card().modules.push_back({reinterpret_cast<const std::byte*>(fat->data), {}});
  return reinterpret_cast<void**>(&card().modules.back());
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void** module, const char* host, char*, const char* name, int, uint3*, uint3*,
                            dim3*, dim3*, int*) {
  card().functions[host] = {reinterpret_cast<Module*>(module), name, nullptr};
}
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host) {
  return guarded([=](Card& c) {
    const auto found = c.functions.find(host);
    if (found == c.functions.end()) return cudaErrorInvalidDeviceFunction;
    *kernel = reinterpret_cast<cudaKernel_t>(&found->second);
    return cudaSuccess;
  });
}
unsigned __cudaPushCallConfiguration(dim3 blocks, dim3 threads, size_t shared, CUstream_st* stream) {
  card().configurations.push_back({blocks, threads, shared, stream});
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* blocks, dim3* threads, size_t* shared, void* stream) {
  const Configuration how = card().configurations.back();
  card().configurations.pop_back();
  *blocks = how.blocks;
  *threads = how.threads;
  *shared = how.shared;
  *static_cast<cudaStream_t*>(stream) = how.stream;
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 blocks, dim3 threads, void** arguments,
                               size_t shared, cudaStream_t stream) {
  return guarded([=](Card& c) {
    return give_launch(c, *reinterpret_cast<Function*>(kernel), {blocks, threads, shared, stream}, arguments);
  });
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) { return result(device == 0 ? cudaSuccess : cudaErrorInvalidDevice); }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  std::snprintf(properties->name, sizeof properties->name, "PTX carried out by the host");
  properties->major = 9;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  return guarded([=](Card& c) {
    for (std::size_t lane = 0; lane < lane_count; ++lane) {
      if (c.streams[lane]) continue;
      c.streams[lane] = true;
      *stream = reinterpret_cast<cudaStream_t>(lane + 1);
      return cudaSuccess;
    }
    throw ptx::Fault("more streams at once than " + std::to_string(lane_count));
  });
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return guarded([=](Card& c) {
    c.finish();
    c.streams[static_cast<std::size_t>(lane_of(stream))] = false;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return guarded([=](Card& c) {
    if (!event_of(event).mark) return cudaSuccess;
    c.device->after(lane_of(stream), event_of(event).mark);
    join(c.clocks[static_cast<std::size_t>(lane_of(stream))], event_of(event).clock);
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = reinterpret_cast<cudaEvent_t>(new Event);
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete &event_of(event);
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return guarded([=](Card& c) {
    event_of(event) = {c.device->mark(lane_of(stream)), c.clocks[static_cast<std::size_t>(lane_of(stream))]};
    return cudaSuccess;
  });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return guarded([=](Card& c) {
    const Device::Mark& mark = event_of(event).mark;
    if (mark && !c.device->reached(mark)) return cudaErrorNotReady;
    join(c.host, event_of(event).clock);
    return cudaSuccess;
  });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return guarded([=](Card& c) {
    if (event_of(event).mark) c.device->wait(event_of(event).mark);
    join(c.host, event_of(event).clock);
    return cudaSuccess;
  });
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  return guarded([=](Card& c) {
    if (!event_of(from).mark || !event_of(to).mark) return cudaErrorInvalidResourceHandle;
    *milliseconds = float(1e3 * c.device->seconds(event_of(from).mark, event_of(to).mark));
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceSynchronize() {
  return guarded([](Card& c) {
    c.finish();
    return cudaSuccess;
  });
}

// New memory holds no zeros.
cudaError_t cudaMalloc(void** data, size_t bytes) {
  return guarded([=](Card& c) {
    own(c, c.device->allocate(bytes), bytes, data);
    c.give(Lane::core, [to = *data, bytes] { std::memset(to, 0xa5, bytes); });
    return cudaSuccess;
  });
}
cudaError_t cudaFree(void* data) { return disown(data); }
cudaError_t cudaHostAlloc(void** data, size_t bytes, unsigned) {
  return guarded([=](Card& c) { return own(c, c.device->pinned(bytes), bytes, data); });
}
cudaError_t cudaFreeHost(void* data) { return disown(data); }
cudaError_t cudaMemset(void* data, int value, size_t bytes) {
  return guarded([=](Card& c) {
    if (!c.may_touch(data, bytes)) return cudaErrorInvalidValue;
    c.give(Lane::core, [=] { std::memset(data, value, bytes); });
    return cudaSuccess;
  });
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
  return guarded([=](Card& c) {
    if (bytes == 0) return cudaSuccess;
    const bool late = c.may_touch(to, bytes) & c.may_touch(from, bytes);
    c.give(lane_of(stream), [=, &c] { c.memory.copy(to, from, bytes); });
    if (!late) c.finish();  // the host waits for copies of memory that is not pinned
    return cudaSuccess;
  });
}

cudaError_t cudaGetLastError() {
  const cudaError_t code = card().last;
  card().last = card().broken;
  return code;
}
const char* cudaGetErrorName(cudaError_t code) {
  return code == cudaSuccess                      ? "cudaSuccess"
         : code == cudaErrorNotReady              ? "cudaErrorNotReady"
         : code == cudaErrorIllegalAddress        ? "cudaErrorIllegalAddress"
         : code == cudaErrorInvalidConfiguration  ? "cudaErrorInvalidConfiguration"
         : code == cudaErrorInvalidDeviceFunction ? "cudaErrorInvalidDeviceFunction"
         : code == cudaErrorMemoryAllocation      ? "cudaErrorMemoryAllocation"
                                                  : "cudaError";
}
const char* cudaGetErrorString(cudaError_t code) {
  return code == cudaErrorIllegalAddress ? "the ptx card said why" : cudaGetErrorName(code);
}

}  // extern "C"
#pragma GCC visibility pop
