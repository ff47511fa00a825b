// SPDX-License-Identifier: Apache-2.0
// Table: numbers that kernels look up, such as weights along an axis, in the memory where the kernels run. A
// kernel holds data(), a plain pointer; the caller keeps the table alive.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/base/context.hpp"
#include "engine/base/error.hpp"
#include "engine/field/storage.hpp"

namespace sc {

template <class T>
class Table {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Table() = default;
  /// For kernels over fields of `space`; collective for a device. Throws Error (bad_input) if the context has
  /// no device.
  Table(Context& context, Space space, std::vector<T> values) : values_(std::move(values)) {
    if (space != Space::device) return;
    const std::shared_ptr<Device>& device = context.device();
    if (!device) refuse("a table is to lie on a device, and the context has none open");
    const std::size_t bytes = values_.size() * sizeof(T);
    Device::Memory staged;
    context.together([&] {
      on_device_ = device->allocate(bytes);
      staged = device->pinned(bytes);
    });
    if (bytes > 0) std::memcpy(staged.get(), values_.data(), bytes);
    device->copy(Stream::in, on_device_.get(), staged.get(), bytes);
    device->finish();
  }

  /// The same numbers in host memory.
  const std::vector<T>& values() const { return values_; }
  /// Address of number 0 for kernels.
  const T* data() const { return on_device_ ? reinterpret_cast<const T*>(on_device_.get()) : values_.data(); }

 private:
  std::vector<T> values_;
  Device::Memory on_device_;  // shared by copies of the table
};

}  // namespace sc
