// SPDX-License-Identifier: Apache-2.0
// Tasks of streams with the clocks that say what they follow, and the launch of a kernel.
#include "tests/ptx_card/card.hpp"

#include <algorithm>
#include <cstring>

#include "tests/ptx_card/fat_binary.hpp"

namespace sc::ptx {

namespace {

static_assert(streams == stream_count + 1);

void join(Clock& clock, const Clock& other) {
  for (std::size_t s = 0; s < streams; ++s) clock[s] = std::max(clock[s], other[s]);
}

const Kernel& kernel_of(Function& function) {
  if (!function.kernel) {
    Module& module = *function.module;
    if (module.text.empty()) module.text = text_of(module.fat_binary);
    function.kernel = std::make_unique<Kernel>(read_kernel(module.text, function.name));
  }
  return *function.kernel;
}

bool can_launch(const Kernel& kernel, dim3 blocks, dim3 threads, std::size_t shared) {
  const std::uint64_t of_block = std::uint64_t{threads.x} * threads.y * threads.z;
  return blocks.x > 0 && blocks.y > 0 && blocks.z > 0 && of_block > 0 && blocks.x <= 0x7fffffffU &&
         blocks.y <= 65535 && blocks.z <= 65535 && threads.x <= 1024 && threads.y <= 1024 &&
         threads.z <= 64 && of_block <= std::uint64_t(std::min(kernel.most_threads, 1024)) &&
         kernel.shared_bytes + shared <= 48 * 1024 && kernel.parameter_bytes <= 32764;
}

}  // namespace

Stream Card::stream_of(cudaStream_t stream) {
  return stream ? static_cast<Stream>(number_of(stream)) : Stream::core;
}
std::size_t Card::number_of(cudaStream_t stream) {
  return stream ? reinterpret_cast<std::uintptr_t>(stream) - 1 : streams - 1;
}

cudaStream_t Card::open_stream() {
  for (std::size_t stream = 0; stream < stream_count; ++stream) {
    if (open_[stream]) continue;
    open_[stream] = true;
    return reinterpret_cast<cudaStream_t>(stream + 1);
  }
  throw Fault("more streams at once than " + std::to_string(stream_count));
}
void Card::close_stream(cudaStream_t stream) {
  finish();
  open_[number_of(stream)] = false;
}

void Card::after(cudaStream_t stream, const Event& event) {
  if (!event.event) return;
  device_->after(stream_of(stream), event.event);
  join(clocks_[number_of(stream)], event.clock);
}
Event Card::record(cudaStream_t stream) {
  return {device_->record(stream_of(stream)), clocks_[number_of(stream)]};
}
bool Card::reached(const Event& event) {
  if (event.event && !device_->reached(event.event)) return false;
  join(host_, event.clock);
  return true;
}
void Card::wait(const Event& event) {
  if (event.event) device_->wait(event.event);
  join(host_, event.clock);
}
void Card::finish() {
  device_->finish();
  for (const Clock& clock : clocks_) join(host_, clock);
}

void Card::enqueue(cudaStream_t stream, std::function<void()> work) {
  const std::size_t number = number_of(stream);
  join(clocks_[number], host_);
  ++clocks_[number][number];
  device_->enqueue(stream_of(stream), [this, task = Task{number, clocks_[number]}, work = std::move(work)] {
    memory_.begin(task);
    work();
  });
}

void* Card::own(Device::Memory memory, std::size_t bytes) {
  void* const data = memory.get();
  memory_.add(data, bytes);
  owned_[data] = std::move(memory);
  return data;
}
void* Card::allocate(std::size_t bytes) {
  void* const data = own(device_->allocate(bytes), bytes);
  device_->enqueue(Stream::core, [=] { std::memset(data, 0xa5, bytes); });  // new memory holds no zeros
  return data;
}
void* Card::allocate_pinned(std::size_t bytes) { return own(device_->pinned(bytes), bytes); }
bool Card::free(void* data) {
  if (!owned_.contains(data)) return false;
  finish();
  memory_.remove(data);
  owned_.erase(data);
  return true;
}

/// True for memory of the card and pinned memory, false for the host's other memory. Throws Fault for bytes
/// that begin in one of its allocations and end outside.
bool Card::may_touch(const void* data, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uint64_t>(data);
  Region* found = nullptr;
  if (memory_.holds(address)) memory_.find(address, bytes, 1, found);
  return memory_.holds(address);
}
void Card::copy(cudaStream_t stream, void* to, const void* from, std::size_t bytes) {
  const bool to_late = may_touch(to, bytes), from_late = may_touch(from, bytes);
  enqueue(stream, [=, this] { memory_.copy(to, from, bytes); });
  if (!to_late || !from_late) finish();  // the host waits for copies of memory that is not pinned
}
bool Card::fill(void* data, int value, std::size_t bytes) {
  if (!may_touch(data, bytes)) return false;
  enqueue(nullptr, [=, this] { memory_.fill(data, value, bytes); });
  return true;
}

bool Card::launch(Function& function, const Configuration& how, void** arguments) {
  const Kernel& kernel = kernel_of(function);
  if (!can_launch(kernel, how.blocks, how.threads, how.shared)) return false;
  if (how.shared > 0) throw Fault("shared memory given at the launch is not known here");
  std::vector<std::byte> parameters(kernel.parameter_bytes);
  for (std::size_t n = 0; n < kernel.parameters.size(); ++n)
    std::memcpy(parameters.data() + kernel.parameters[n].offset, arguments[n], kernel.parameters[n].bytes);
  const Extent blocks{how.blocks.x, how.blocks.y, how.blocks.z};
  const Extent threads{how.threads.x, how.threads.y, how.threads.z};
  enqueue(how.stream, [&kernel, this, blocks, threads, parameters] {
    ptx::launch(kernel, blocks, threads, parameters, memory_);
  });
  return true;
}

}  // namespace sc::ptx
