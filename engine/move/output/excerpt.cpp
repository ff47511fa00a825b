// SPDX-License-Identifier: Apache-2.0
// bytes_of: BoxCopies on the host, from far memory through the planes that contain the cells; on a device, a
// kernel that writes the cells to pinned memory.
#include "engine/move/output/excerpt.hpp"

#include "engine/move/parcels/box_copy.hpp"
#include "engine/move/stream/slab_place.hpp"

namespace sc {

namespace {

std::size_t bytes_in(const Storage& storage, const Box& box) {
  return static_cast<std::size_t>(box.cells() * storage.components()) * size_of(storage.type());
}

BoxCopy copy_of(const Storage& storage, const CellMemory& cells, const Box& box, std::byte* to) {
  const std::size_t size = size_of(storage.type());
  return {cells, box, CellMemory::dense(to, box, size), box, storage.components(), size};
}

/// Of far memory only the planes of each box are read.
void copy_far(Storage& storage, std::span<const Box> boxes, std::byte* to) {
  const Grid& grid = storage.grid();
  if (grid.context().rehearses()) return;
  FarCells& far = far_cells(storage);
  if (const auto place = far.place()) place->finish();
  const auto element = static_cast<std::ptrdiff_t>(size_of(storage.type()));
  const Layout& layout = grid.layout();
  for (const Box& box : boxes) {
    const auto plane = layout.sz * element, component = plane * box.extent().z;
    std::vector<std::byte> near(static_cast<std::size_t>(component * storage.components()));
    for (std::size_t k = 0; k < far.arrays().size() && !box.empty(); ++k)
      far.arrays()[k].load(box.lo.z, box.hi.z, near.data() + static_cast<std::ptrdiff_t>(k) * component);
    const std::ptrdiff_t lead =
        (layout.origin - grid.halo(2) * layout.sz) * element;  // of cell (0, 0) in a plane
    const CellMemory cells{near.data() + lead - box.lo.z * plane, layout.sy * element, plane, component};
    if (!box.empty()) copy_of(storage, cells, box, to).run();
    to += bytes_in(storage, box);
  }
}

void copy_from_device(Storage& storage, std::span<const Box> boxes, std::vector<std::byte>& bytes) {
  Device& device = *storage.device();
  storage.use_on_device(false);
  const Device::Memory staged = device.pinned(bytes.size());
  std::vector<CellCopy> copies;
  std::byte* at = staged.get();
  for (const Box& box : boxes) {
    if (!box.empty()) copies.push_back(copy_of(storage, CellMemory::of(storage), box, at).for_device());
    at += bytes_in(storage, box);
  }
  copy_cells(device, Stream::edge, copies);
  device.finish();
  std::copy_n(staged.get(), bytes.size(), bytes.data());
}

}  // namespace

std::vector<std::byte> bytes_of(Storage& storage, const Box& box) {
  return bytes_of_boxes(storage, {&box, 1});
}

std::vector<std::byte> bytes_of_boxes(Storage& storage, std::span<const Box> boxes) {
  std::size_t count = 0;
  for (const Box& box : boxes) count += bytes_in(storage, box);
  std::vector<std::byte> bytes(count);
  if (bytes.empty()) return bytes;
  if (storage.far()) {
    copy_far(storage, boxes, bytes.data());
  } else if (storage.device()) {
    copy_from_device(storage, boxes, bytes);
  } else {
    std::byte* at = bytes.data();
    for (const Box& box : boxes) {
      if (!box.empty()) copy_of(storage, CellMemory::of(storage), box, at).run();
      at += bytes_in(storage, box);
    }
  }
  return bytes;
}

}  // namespace sc
