// SPDX-License-Identifier: Apache-2.0
// Where regions lie, and the sentences of faults.
#include "tests/ptx_card/memory.hpp"

#include <cstdio>

namespace sc::ptx {

namespace {
std::string hexadecimal(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}
std::uint64_t address_of(const Region& region) { return reinterpret_cast<std::uint64_t>(region.data); }
}  // namespace

void Touches::meet(std::size_t word, const char* does, std::uint32_t thread, const char* done,
                   std::uint32_t by) {
  const std::string who = by == several   ? "other threads"
                          : by == atomics ? "an atomic"
                                          : "thread " + std::to_string(by);
  throw Fault("a race: thread " + std::to_string(thread) + " of the grid " + does + " byte " +
              std::to_string(4 * word) + " of its memory, " + done + " by " + who +
              " in the same launch with nothing between that orders them");
}

void StreamTouches::unordered(std::size_t word, Kind kind, const Task& task, Kind other, std::size_t stream) {
  constexpr const char* names[] = {"reads", "writes", "changes"};
  throw Fault("two streams that nothing orders: stream " + std::to_string(task.stream) + " " + names[kind] +
              " byte " + std::to_string(4 * word) + " of its memory, which stream " + std::to_string(stream) +
              " " + names[other]);
}

void Memory::touch_all(StreamTouches::Kind kind, const void* data, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uint64_t>(data);
  if (!holds(address)) return;  // the host's other memory, which is not watched
  Region* last = nullptr;
  Region& region = find(address, bytes, 1, last);
  region.streams.touch(kind, address - address_of(region), bytes, task_);
}
void Memory::copy(void* to, const void* from, std::size_t bytes) {
  touch_all(StreamTouches::reads, from, bytes);
  touch_all(StreamTouches::writes, to, bytes);
  std::memcpy(to, from, bytes);
}
void Memory::fill(void* data, int value, std::size_t bytes) {
  touch_all(StreamTouches::writes, data, bytes);
  std::memset(data, value, bytes);
}

void Memory::add(void* data, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uint64_t>(data);
  regions_[begin] = {static_cast<std::byte*>(data), bytes, Touches(bytes), StreamTouches(bytes)};
}

void Memory::remove(void* data) { regions_.erase(reinterpret_cast<std::uint64_t>(data)); }

bool Memory::holds(std::uint64_t address) const {
  const auto after = regions_.upper_bound(address);
  return after != regions_.begin() && address - std::prev(after)->first < std::prev(after)->second.bytes;
}

Region& Memory::find(std::uint64_t address, std::size_t bytes, std::size_t alignment, Region*& last) {
  if ((address & (alignment - 1)) != 0)
    throw Fault("an address that is no multiple of " + std::to_string(alignment) + ": " +
                hexadecimal(address));
  const auto holds = [&](const Region& region) {
    return address >= address_of(region) && address - address_of(region) + bytes <= region.bytes;
  };
  if (last && holds(*last)) return *last;
  auto after = regions_.upper_bound(address);
  if (after == regions_.begin() || !holds(std::prev(after)->second)) {
    std::string where = "no allocation lies below it";
    if (after != regions_.begin()) {
      const Region& below = std::prev(after)->second;
      where = std::to_string(address - address_of(below)) + " bytes into an allocation of " +
              std::to_string(below.bytes);
    }
    throw Fault("an access outside what the card may touch: " + std::to_string(bytes) + " bytes at " +
                hexadecimal(address) + ", " + where);
  }
  last = &std::prev(after)->second;
  return *last;
}

}  // namespace sc::ptx
