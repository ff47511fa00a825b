// SPDX-License-Identifier: Apache-2.0
// Poisoned: far memory whose slots, strips and, where the host reaches them, arrays contain NaN before any
// data are written: files, or host memory beside a device.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/device.hpp"
#include "engine/move/stream/file_memory.hpp"
#include "engine/move/stream/host_memory.hpp"
#include "engine/move/stream/slab_place.hpp"

namespace sc::test {

template <class Memory>
class Poisoned final : public Memory {
 public:
  using Memory::Memory;
  FarMemory::Buffer allocate(std::size_t bytes) override {
    FarMemory::Buffer buffer = Memory::allocate(bytes);
    if (const std::shared_ptr<Device> device = this->device()) {
      const std::vector<double> values(bytes / sizeof(double), nan);
      device->copy(Stream::edge, buffer.get(), reinterpret_cast<const std::byte*>(values.data()),
                   values.size() * sizeof(double));
      device->finish();
    } else {
      poison(buffer.get(), bytes);
    }
    return buffer;
  }
  std::shared_ptr<std::byte> strips(std::size_t bytes) override {
    std::shared_ptr<std::byte> cells = Memory::strips(bytes);
    poison(cells.get(), bytes);
    return cells;
  }
  int add(const std::string& name, std::int64_t bytes) override {
    const int array = Memory::add(name, bytes);
    if (std::byte* cells = this->reached(array)) poison(cells, static_cast<std::size_t>(bytes));
    return array;
  }

 private:
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  static void poison(std::byte* cells, std::size_t bytes) {
    std::fill_n(reinterpret_cast<double*>(cells), bytes / sizeof(double), nan);
  }
};

inline std::shared_ptr<SlabPlace> in_poisoned_host_memory_of(const std::shared_ptr<Device>& device,
                                                             int pieces) {
  return std::make_shared<SlabPlace>(std::make_unique<Poisoned<HostMemory>>(device), pieces);
}

}  // namespace sc::test
