// SPDX-License-Identifier: Apache-2.0
// SlabPlace: arrays, strips and slots of a storage.
#include "engine/move/stream/slab_place.hpp"

#include <algorithm>
#include <span>

#include "engine/base/error.hpp"
#include "engine/move/stream/host_memory.hpp"

namespace sc {

namespace {

/// Offset in bytes of own cell (0, 0) from the beginning of its plane.
std::ptrdiff_t lead_of(const Grid& grid, ElementType type) {
  return (grid.layout().origin - grid.halo(2) * grid.layout().sz) *
         static_cast<std::ptrdiff_t>(size_of(type));
}

/// Makes a slab accessible to the host, for its lifetime.
class Shown {
 public:
  Shown(Storage& storage, std::byte* base, std::ptrdiff_t component_stride) : storage_(storage) {
    storage.show(base, component_stride);
  }
  Shown(const Shown&) = delete;
  Shown& operator=(const Shown&) = delete;
  ~Shown() { storage_.show(nullptr); }

 private:
  Storage& storage_;
};

CellMemory near_cells(const Storage& storage) {
  const auto size = static_cast<std::ptrdiff_t>(size_of(storage.type()));
  const Layout& layout = storage.grid().layout();
  return {storage.base(), layout.sy * size, layout.sz * size, storage.component_stride() * size};
}

/// Copies between a storage whose planes [lo, hi) are in near memory, and a part of its strips.
std::vector<BoxCopy> copies_of(const Storage& storage, std::span<const Strip> strips, int lo, int hi,
                               bool into_strips, HaloPart part) {
  const CellMemory near = near_cells(storage);
  std::vector<BoxCopy> copies;
  for (const Strip& strip : strips) {
    Box box = strip.box;
    box.lo.z = std::max(box.lo.z, lo);
    box.hi.z = std::min(box.hi.z, hi);
    if (box.empty()) continue;
    const CellMemory kept = CellMemory::of(*strip.cells);
    for (const Box& cells : part_of(storage.grid(), box, part))
      copies.emplace_back(into_strips ? near : kept, cells, into_strips ? kept : near, cells,
                          storage.components(), size_of(storage.type()));
  }
  return copies;
}

/// Copies that fill both halos across an undivided periodic axis, in the planes [lo, hi). They include halos
/// of earlier axes, which must be filled before.
std::vector<BoxCopy> wrapped(const Storage& storage, int axis, int lo, int hi, HaloPart part) {
  const Grid& grid = storage.grid();
  if (!grid.periodic()[axis] || grid.split()[axis] > 1) return {};
  const int h = grid.halo(axis), n = grid.own().hi[axis];
  const CellMemory near = near_cells(storage);
  std::vector<BoxCopy> copies;
  for (const int to : {-h, n}) {
    Box halo = grid.own();
    halo.lo.z = lo;
    halo.hi.z = hi;
    for (int earlier = 0; earlier < axis; ++earlier) {
      halo.lo[earlier] -= grid.halo(earlier);
      halo.hi[earlier] += grid.halo(earlier);
    }
    halo.lo[axis] = to;
    halo.hi[axis] = to + h;
    for (const Box& box : part_of(grid, halo, part)) {
      Box own = box;
      own.lo[axis] += to < 0 ? n : -n;
      own.hi[axis] += to < 0 ? n : -n;
      copies.emplace_back(near, own, near, box, storage.components(), size_of(storage.type()));
    }
  }
  return copies;
}

/// Both source and destination are in near memory.
void copy_slab(std::span<const BoxCopy> copies, const std::shared_ptr<Device>& device) {
  if (!device) {
    for (const BoxCopy& copy : copies) copy.run();
    return;
  }
  std::vector<CellCopy> cells;
  for (const BoxCopy& copy : copies) cells.push_back(copy.for_device());
  copy_cells(*device, Stream::edge, cells);
}

}  // namespace

std::shared_ptr<Storage> SlabPlace::storage(const Grid& grid, const std::string& name, ElementType type,
                                            int components) {
  memory_.record_in(grid.context());
  ExternalCells nowhere;
  nowhere.cell_bytes = size_of(type);
  const auto storage = std::make_shared<Storage>(grid, name, type, components, nowhere);
  grid.context().together([&] {
    storage->set_far(std::make_shared<FarCells>(shared_from_this(), grid, name, type, components),
                     memory_.device());
  });
  return storage;
}

void SlabPlace::plan(std::size_t slot_bytes, int ahead, bool held) {
  slot_bytes_ = slot_bytes;
  planned_ = true;
  ring_ = std::make_unique<SlabStream>(memory_, slot_bytes, ahead, held);
}

SlabStream& SlabPlace::ring(std::size_t slot_bytes, bool held) {
  const bool holds = ring_ && ring_->holds();
  if (!planned_ && (slot_bytes > slot_bytes_ || (held && !holds))) {
    finish();
    ring_.reset();
    slot_bytes_ = std::max(slot_bytes_, slot_bytes);
    const int ahead = memory_.batches_ahead(slot_bytes_);
    ring_ = std::make_unique<SlabStream>(memory_, slot_bytes_, ahead, held || holds);
  }
  return *ring_;
}

void SlabPlace::finish() {
  if (ring_) ring_->finish();
}

std::shared_ptr<SlabPlace> in_host_memory_of(std::shared_ptr<Device> device, int pieces) {
  if (!device)
    refuse("fields are to lie in the host's memory beside a device, and the context has none open");
  return std::make_shared<SlabPlace>(std::make_unique<HostMemory>(std::move(device)), pieces);
}

FarCells::FarCells(const std::shared_ptr<SlabPlace>& place, const Grid& grid, const std::string& name,
                   ElementType type, int components)
    : Far(grid, name, type, components, [&](std::size_t bytes) { return place->memory().strips(bytes); }),
      place_(place),
      where_(place->memory().where()) {
  const std::size_t plane = static_cast<std::size_t>(grid.layout().sz) * size_of(type);
  for (int k = 0; k < components; ++k)
    arrays_.emplace_back(place->memory(), components == 1 ? name : name + " " + std::to_string(k),
                         grid.own().hi.z, plane, place->pieces(), place->together());
}

void FarCells::each_slab(Storage& storage, bool read, bool written,
                         const std::function<void(int lo, int hi)>& use) {
  if (const auto place = place_.lock()) place->finish();
  const FarArray& first = arrays_[0];
  const std::size_t component = static_cast<std::size_t>(first.most_planes()) * first.plane_bytes();
  std::vector<std::byte> near(component * arrays_.size());
  const auto size = static_cast<std::ptrdiff_t>(size_of(storage.type()));
  const std::ptrdiff_t plane = storage.grid().layout().sz * size;
  for (int piece = 0; piece < first.pieces(); ++piece) {
    const int lo = first.first(piece), hi = first.first(piece + 1);
    for (std::size_t k = 0; read && k < arrays_.size(); ++k)
      arrays_[k].load(lo, hi, near.data() + k * component);
    const Shown shown(storage, near.data() + lead_of(storage.grid(), storage.type()) - lo * plane,
                      static_cast<std::ptrdiff_t>(component) / size);
    use(lo, hi);
    if (written)
      for (const BoxCopy& strip : copies_of(storage, own(), lo, hi, true, HaloPart::all)) strip.run();
    for (std::size_t k = 0; written && k < arrays_.size(); ++k)
      arrays_[k].store(lo, hi, near.data() + k * component);
  }
}

void FarCells::keep_strips(const Storage& storage, int lo, int hi) const {
  if (const auto place = place_.lock())
    place->memory().copy(Way::out, copies_of(storage, own(), lo, hi, true, HaloPart::all));
}

void FarCells::bring_strips(const Storage& storage, int lo, int hi, HaloPart part) const {
  const auto place = place_.lock();
  if (!place) return;
  place->memory().copy(Way::in, copies_of(storage, halo(), lo, hi, false, part));
  for (int axis = 0; axis < 2; ++axis)
    copy_slab(wrapped(storage, axis, lo, hi, part), place->memory().device());
}

void each_slab_ahead(Storage& storage, const std::function<void(int lo, int hi)>& use) {
  if (!storage.far()) return storage.each_slab(true, false, use);
  const bool rehearses = storage.grid().context().rehearses();  // slots are then only address space
  StreamPhase phase;
  for (FarArray& array : far_cells(storage).arrays()) phase.push_back({&array, Mode::read});
  far_cells(storage).place()->ring(SlabStream::slot_bytes(phase)).run(phase, [&](const Slot& slot) {
    if (rehearses) return;
    show_in(slot, 0, storage);
    use(slot.lo(), slot.hi());
    storage.show(nullptr);
  });
}

void show_in(const Slot& slot, std::size_t use, Storage& storage) {
  std::byte* first = slot.plane(use, 0);
  const std::ptrdiff_t distance = storage.components() > 1 ? slot.plane(use + 1, 0) - first : 0;
  storage.show(first + lead_of(storage.grid(), storage.type()),
               distance / static_cast<std::ptrdiff_t>(size_of(storage.type())));
}

}  // namespace sc
