// SPDX-License-Identifier: Apache-2.0
// bytes_of: a BoxCopy on the host; on a device, a kernel that writes the cells to pinned memory.
#include "engine/move/excerpt.hpp"

#include "engine/move/parcels/box_copy.hpp"

namespace sc {

std::vector<std::byte> bytes_of(Storage& storage, const Box& box) {
  const std::size_t size = size_of(storage.type());
  const int components = storage.components();
  std::vector<std::byte> bytes(static_cast<std::size_t>(box.cells() * components) * size);
  if (bytes.empty()) return bytes;
  const auto copy_to = [&](std::byte* to) {
    return BoxCopy(CellMemory::of(storage), box, CellMemory::dense(to, box, size), box, components, size);
  };
  Device* device = storage.device();
  if (!device) {
    copy_to(bytes.data()).run();
    return bytes;
  }
  storage.use_on_device(false);
  const Device::Memory staged = device->pinned(bytes.size());
  const CellCopy copy = copy_to(staged.get()).for_device();
  copy_cells(*device, Stream::edge, {&copy, 1});
  device->finish();
  std::copy_n(staged.get(), bytes.size(), bytes.data());
  return bytes;
}

}  // namespace sc
