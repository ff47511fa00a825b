// SPDX-License-Identifier: Apache-2.0
// The CUDA device: streams, events and memory.
#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/exec/cuda_check.hpp"
#include "engine/exec/open_device.hpp"

namespace sc {

namespace {

using cuda::check;

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(int number) : number_(number) {
    check(cudaSetDevice(number_), "cudaSetDevice");
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, number_), "cudaGetDeviceProperties");
    name_ = properties.name;
    int least = 0, greatest = 0;  // the highest priority has the lowest number
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
    for (std::size_t stream = 0; stream < stream_count; ++stream) {
      const bool first = stream == static_cast<std::size_t>(Stream::edge);
      check(cudaStreamCreateWithPriority(&streams_[stream], cudaStreamNonBlocking, first ? greatest : least),
            "cudaStreamCreateWithPriority");
    }
  }
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;
  // A destructor cannot report errors, and at the end of a program the driver may already be unloaded.
  ~CudaDevice() override {
    for (const cudaEvent_t made : free_events_) std::ignore = cudaEventDestroy(made);
    for (const cudaStream_t made : streams_) std::ignore = cudaStreamDestroy(made);
  }

  std::string describe() const override { return name_ + " (device " + std::to_string(number_) + ")"; }

  Memory allocate(std::size_t bytes) override {
    void* data = nullptr;
    check(cudaMalloc(&data, std::max<std::size_t>(bytes, 1)),
          ("cudaMalloc of " + std::to_string(bytes >> 20) + " MiB").c_str());
    Memory memory(static_cast<std::byte*>(data), [alive = shared_from_this()](std::byte* p) {
      std::ignore = cudaFree(p);  // synchronises with the device
    });
    check(cudaMemset(data, 0, bytes), "cudaMemset");
    // cudaMemset runs on the default stream, which the streams of this device do not wait for.
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    return memory;
  }

  Memory pinned(std::size_t bytes) override {
    void* data = nullptr;
    check(cudaHostAlloc(&data, std::max<std::size_t>(bytes, 1), cudaHostAllocPortable | cudaHostAllocMapped),
          ("cudaHostAlloc of " + std::to_string(bytes >> 20) + " MiB").c_str());
    std::fill_n(static_cast<std::byte*>(data), bytes, std::byte{});
    return {static_cast<std::byte*>(data), [alive = shared_from_this()](std::byte* p) {
              std::ignore = cudaDeviceSynchronize();
              std::ignore = cudaFreeHost(p);
            }};
  }

  void copy(Stream stream, std::byte* to, const std::byte* from, std::size_t bytes) override {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, cuda(stream)), "cudaMemcpyAsync");
  }

  Event record(Stream stream) override {
    cudaEvent_t made = nullptr;
    if (free_events_.empty()) {
      check(cudaEventCreateWithFlags(&made, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    } else {
      made = free_events_.back();
      free_events_.pop_back();
    }
    // cudaStreamWaitEvent refers to the record at the time of the call, so that an event may be recorded
    // again.
    Event event(static_cast<void*>(made), [this, alive = shared_from_this()](void* e) {
      free_events_.push_back(static_cast<cudaEvent_t>(e));
    });
    check(cudaEventRecord(made, cuda(stream)), "cudaEventRecord");
    return event;
  }
  void after(Stream stream, const Event& event) override {
    check(cudaStreamWaitEvent(cuda(stream), cuda(event), 0), "cudaStreamWaitEvent");
  }
  bool reached(const Event& event) override {
    const cudaError_t code = cudaEventQuery(cuda(event));
    if (code == cudaErrorNotReady) {
      std::ignore = cudaGetLastError();  // clears the error, which the check of the next launch would report
      return false;
    }
    check(code, "cudaEventQuery");
    return true;
  }
  void wait(const Event& event) override { check(cudaEventSynchronize(cuda(event)), "cudaEventSynchronize"); }
  void finish() override { check(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); }

  void* native(Stream stream) const override { return cuda(stream); }

 private:
  static cudaEvent_t cuda(const Event& event) { return static_cast<cudaEvent_t>(event.get()); }
  cudaStream_t cuda(Stream stream) const { return streams_[static_cast<std::size_t>(stream)]; }

  int number_;
  std::string name_;
  std::array<cudaStream_t, stream_count> streams_{};
  std::vector<cudaEvent_t> free_events_;
};

}  // namespace

std::string why_no_cuda() {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess) {
    std::ignore = cudaGetLastError();  // clears the error for the next check
    return std::string("this machine has no CUDA device (") + cudaGetErrorString(code) + ")";
  }
  return count > 0 ? "" : "this machine has no CUDA device";
}

std::shared_ptr<Device> make_cuda_device(int number) {
  int count = 0;
  check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  return std::make_shared<CudaDevice>(number % std::max(1, count));
}

}  // namespace sc
