// SPDX-License-Identifier: Apache-2.0
// As much of CUDA's runtime as Subcurrent calls, for a machine without a card: preloaded, it takes the place
// of libcudart.so. Kernels run as the PTX that nvcc wrote for them. What a card would not do, or not always
// do alike, ends as cudaErrorIllegalAddress with a sentence on stderr.
#include <cuda_runtime_api.h>
#include <fatbinary_section.h>

#include <cstdio>
#include <functional>

#include "tests/ptx_card/card.hpp"

namespace {

using sc::ptx::Card;
using sc::ptx::Configuration;
using sc::ptx::Event;
using sc::ptx::Function;
using sc::ptx::Module;

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
/// The same of what can only fail by a fault.
cudaError_t done(const std::function<void(Card&)>& f) {
  return guarded([&](Card& c) {
    f(c);
    return cudaSuccess;
  });
}

Event& event_of(cudaEvent_t event) { return *reinterpret_cast<Event*>(event); }

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
    const bool launched =
        c.launch(*reinterpret_cast<Function*>(kernel), {blocks, threads, shared, stream}, arguments);
    return launched ? cudaSuccess : cudaErrorInvalidConfiguration;
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
  return done([=](Card& c) { *stream = c.open_stream(); });
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return done([=](Card& c) { c.close_stream(stream); });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return done([=](Card& c) { c.after(stream, event_of(event)); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = reinterpret_cast<cudaEvent_t>(new Event);
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete &event_of(event);
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return done([=](Card& c) { event_of(event) = c.record(stream); });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return guarded([=](Card& c) { return c.reached(event_of(event)) ? cudaSuccess : cudaErrorNotReady; });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return done([=](Card& c) { c.wait(event_of(event)); });
}
cudaError_t cudaDeviceSynchronize() {
  return done([](Card& c) { c.finish(); });
}

cudaError_t cudaMalloc(void** data, size_t bytes) {
  return done([=](Card& c) { *data = c.allocate(bytes); });
}
cudaError_t cudaHostAlloc(void** data, size_t bytes, unsigned) {
  return done([=](Card& c) { *data = c.allocate_pinned(bytes); });
}
cudaError_t cudaFree(void* data) {
  return guarded([=](Card& c) { return !data || c.free(data) ? cudaSuccess : cudaErrorInvalidValue; });
}
cudaError_t cudaFreeHost(void* data) { return cudaFree(data); }
cudaError_t cudaMemset(void* data, int value, size_t bytes) {
  return guarded([=](Card& c) { return c.fill(data, value, bytes) ? cudaSuccess : cudaErrorInvalidValue; });
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
  return done([=](Card& c) {
    if (bytes > 0) c.copy(stream, to, from, bytes);
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
