// SPDX-License-Identifier: Apache-2.0
// HostMemory: batches as copies on two lanes.
#include "engine/move/stream/host_memory.hpp"

namespace sc {

void HostMemory::start(Way way, std::span<const FarPart> parts) {
  const Lane lane = way == Way::in ? Lane::in : Lane::out;
  for (const Lane computing : {Lane::core, Lane::edge}) device_->after(lane, device_->mark(computing));
  for (const FarPart& part : parts) {
    std::byte* far = arrays_[static_cast<std::size_t>(part.array)].get() + part.offset;
    if (way == Way::in)
      device_->copy(lane, part.near, far, part.bytes);
    else
      device_->copy(lane, far, part.near, part.bytes);
    started_[index(way)] += static_cast<std::int64_t>(part.bytes);
  }
  under_way_[index(way)] = device_->mark(lane);
}

bool HostMemory::test(Way way) {
  if (under_way_[index(way)] && !device_->reached(under_way_[index(way)])) return false;
  done(way);
  return true;
}

void HostMemory::wait(Way way) {
  if (under_way_[index(way)]) device_->wait(under_way_[index(way)]);
  done(way);
}

void HostMemory::done(Way way) {
  under_way_[index(way)].reset();
  bytes_[index(way)] = started_[index(way)];
}

int HostMemory::add(const std::string& /*name*/, std::int64_t bytes) {
  arrays_.push_back(device_->pinned(static_cast<std::size_t>(bytes)));
  return static_cast<int>(arrays_.size()) - 1;
}

int HostMemory::adopt(std::byte* first, std::shared_ptr<void> owner) {
  arrays_.push_back(Device::Memory(std::move(owner), first));
  return static_cast<int>(arrays_.size()) - 1;
}

FarMemory::Buffer HostMemory::allocate(std::size_t bytes) {
  const Device::Memory memory = device_->allocate(bytes);
  return {memory.get(), [memory](std::byte*) {}};
}

void HostMemory::copy_near(std::byte* to, const std::byte* from, std::size_t bytes) {
  device_->finish();
  device_->copy(Lane::in, to, from, bytes);
  device_->finish();
}

}  // namespace sc
