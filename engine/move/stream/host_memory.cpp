// SPDX-License-Identifier: Apache-2.0
// HostMemory: each batch is a set of copies on one of two streams.
#include "engine/move/stream/host_memory.hpp"

#include <utility>

namespace sc {

std::int64_t HostMemory::start_batch(Way way, std::span<const FarPart> parts) {
  const Stream stream = way == Way::in ? Stream::in : Stream::out;
  Batch batch;
  for (const Stream computing : {Stream::core, Stream::edge})
    device_->after(stream, device_->record(computing));
  for (const FarPart& part : parts) {
    std::byte* far = arrays_[static_cast<std::size_t>(part.array)].get() + part.offset;
    if (way == Way::in)
      device_->copy(stream, part.near, far, part.bytes);
    else
      device_->copy(stream, far, part.near, part.bytes);
    batch.bytes += static_cast<std::int64_t>(part.bytes);
  }
  batch.done = device_->record(stream);
  under_way_[way].push_back(std::move(batch));
  return ++begun_[way];
}

bool HostMemory::test(Way way) {
  std::deque<Batch>& batches = under_way_[way];
  while (!batches.empty() && device_->reached(batches.front().done)) end(way);
  return batches.empty();
}

void HostMemory::wait_batch(Way way, std::int64_t batch) {
  std::deque<Batch>& batches = under_way_[way];
  while (!batches.empty() && ended_[way] < batch) {
    device_->wait(batches.front().done);
    end(way);
  }
}

void HostMemory::end(Way way) {
  ++ended_[way];
  bytes_[way] += under_way_[way].front().bytes;
  under_way_[way].pop_front();
}

int HostMemory::add(const std::string& /*name*/, std::int64_t bytes) {
  arrays_.push_back(device_->pinned(static_cast<std::size_t>(bytes)));
  return static_cast<int>(arrays_.size()) - 1;
}

void HostMemory::copy(Way way, std::span<const BoxCopy> copies) {
  std::vector<CellCopy> cells;
  std::int64_t sum = 0;
  for (const BoxCopy& copy : copies) {
    const CellCopy& c = cells.emplace_back(copy.for_device());
    sum += std::int64_t{c.row} * c.word * c.ny * c.nz * c.components;
  }
  copy_cells(*device_, Stream::edge, cells);
  bytes_[way] += sum;
  add_bytes(sum);
}

FarMemory::Buffer HostMemory::allocate(std::size_t bytes) {
  const Device::Memory memory = device_->allocate(bytes);
  return {memory.get(), [memory](std::byte*) {}};
}

void HostMemory::copy_near(std::byte* to, const std::byte* from, std::size_t bytes) {
  device_->finish();
  device_->copy(Stream::in, to, from, bytes);
  device_->finish();
}

}  // namespace sc
