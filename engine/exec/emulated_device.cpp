// SPDX-License-Identifier: Apache-2.0
// EmulatedDevice: queues, their order of execution, and pages that are protected while no task runs.
#include "engine/exec/emulated_device.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "engine/base/align.hpp"
#include "engine/base/error.hpp"
#include "engine/exec/noise.hpp"
#include "engine/exec/subnormals.hpp"

namespace sc {

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::size_t whole_pages(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return round_up(std::max<std::size_t>(bytes, 1), page);
}

}  // namespace

std::uint64_t EmulatedDevice::next_number() { return mixed64(state_ += 0x9e3779b97f4a7c15U); }  // SplitMix64

void EmulatedDevice::open_memory(bool open) {
  if (options_.host_reaches_memory || open == open_) return;
  // Neighbours with one call: each makes the kernel cut and join mappings, most of the time of some tests.
  for (auto piece = memory_.begin(); piece != memory_.end();) {
    std::byte* const begin = piece->first;
    std::byte* end = begin;
    for (; piece != memory_.end() && piece->first == end; ++piece) end += piece->second;
    const auto bytes = static_cast<std::size_t>(end - begin);
    if (mprotect(begin, bytes, open ? PROT_READ | PROT_WRITE : PROT_NONE) != 0)
      throw Error(Exit::failure, "mprotect refused to guard the emulated device's memory");
  }
  open_ = open;
}

Device::Memory EmulatedDevice::allocate(std::size_t bytes) {
  const std::size_t pages = whole_pages(bytes);
  const int access = options_.host_reaches_memory ? PROT_READ | PROT_WRITE : PROT_NONE;
  // After the last piece, the first far below everything: what lies together is protected together.
  constexpr std::size_t far = std::size_t{1} << 36;
  std::byte* where = memory_.empty() ? nullptr : memory_.rbegin()->first + memory_.rbegin()->second;
  void* data = mmap(where, pages, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);  // zero-initialised
  if (data != MAP_FAILED && memory_.empty()) {
    munmap(data, pages);
    data = mmap(static_cast<std::byte*>(data) - far, pages, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  if (data == MAP_FAILED)
    throw Error(Exit::storage,
                "not enough memory for " + std::to_string(bytes >> 20) + " MiB of the emulated device's");
  memory_[static_cast<std::byte*>(data)] = pages;
  return {static_cast<std::byte*>(data), [this, alive = shared_from_this()](std::byte* p) {
            finish();
            munmap(p, memory_.at(p));
            memory_.erase(p);
          }};
}

Device::Memory EmulatedDevice::pinned(std::size_t bytes) {
  const std::size_t pages = whole_pages(bytes);
  void* data = mmap(nullptr, pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED)
    throw Error(Exit::storage, "not enough memory for " + std::to_string(bytes >> 20) + " MiB beside fields");
  return {static_cast<std::byte*>(data), [this, alive = shared_from_this(), pages](std::byte* p) {
            finish();
            munmap(p, pages);
          }};
}

void EmulatedDevice::enqueue(Stream stream, std::function<void()> work) {
  queue(stream).tasks.push_back({std::move(work), nullptr, 0});
}

void EmulatedDevice::copy(Stream stream, std::byte* to, const std::byte* from, std::size_t bytes) {
  enqueue(stream, [=] { std::memcpy(to, from, bytes); });
  if (options_.link_bytes_per_second <= 0 || (stream != Stream::in && stream != Stream::out)) return;
  Queue& q = queue(stream);
  q.due = std::max(q.due, now()) + static_cast<double>(bytes) / options_.link_bytes_per_second;
  q.tasks.back().due = q.due;
}

bool EmulatedDevice::ready(const Queue& queue) const {
  if (queue.tasks.empty()) return false;
  const Task& first = queue.tasks.front();
  return (!first.wait || passed(*first.wait)) && (first.due <= 0 || now() >= first.due);
}

Device::Event EmulatedDevice::record(Stream stream) {
  Queue& q = queue(stream);
  return std::make_shared<StreamPosition>(
      StreamPosition{stream, q.done + static_cast<std::int64_t>(q.tasks.size())});
}

void EmulatedDevice::after(Stream stream, const Event& event) {
  queue(stream).tasks.push_back({nullptr, std::static_pointer_cast<StreamPosition>(event), 0});
}

void EmulatedDevice::do_first(Queue& q) {
  const Task task = std::move(q.tasks.front());
  q.tasks.pop_front();
  if (task.work) {
    open_memory(true);
    const detail::SubnormalsAreZero zero;  // as in the same kernels on the host
    task.work();
  }
  ++q.done;
}

void EmulatedDevice::advance(Stream stream, std::int64_t number) {
  Queue& q = queue(stream);
  while (q.done < number) {
    if (!ready(q)) {
      if (const std::shared_ptr<StreamPosition> wait = q.tasks.front().wait)
        advance(wait->stream, wait->number);
      continue;
    }
    do_first(q);
    if (options_.disorder == Disorder::shuffled) wander();
  }
}

void EmulatedDevice::wander() {
  for (std::uint64_t some = next_number() % 4; some > 0; --some) {
    Queue& q = streams_[next_number() % stream_count];
    if (ready(q)) do_first(q);
  }
}

bool EmulatedDevice::reached(const Event& event) {
  const StreamPosition& p = position(event);
  if (options_.disorder == Disorder::shuffled) wander();
  // Occasionally makes progress, so that polling terminates.
  if (!passed(p) && next_number() % 4 == 0) advance(p.stream, p.number);
  open_memory(false);
  return passed(p);
}

void EmulatedDevice::wait(const Event& event) {
  advance(position(event).stream, position(event).number);
  open_memory(false);
}

void EmulatedDevice::finish() {
  // The stream of lowest priority last: the worst order for a missing wait.
  for (const Stream stream : {Stream::out, Stream::in, Stream::edge, Stream::core}) {
    Queue& q = queue(stream);
    advance(stream, q.done + static_cast<std::int64_t>(q.tasks.size()));
  }
  open_memory(false);
}

}  // namespace sc
