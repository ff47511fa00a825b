// SPDX-License-Identifier: Apache-2.0
// ThroughDevice: planes of the fields become arrays of a ring, slots become their places.
#include "engine/stage/through_device.hpp"

#include <algorithm>

#include "engine/base/error.hpp"

namespace sc {

namespace {

/// Bytes from the first cell of a plane, a corner of its halo, to own cell (0, 0). All cells of a plane lie
/// within the distance of two from there; from plane_of(), which keeps lines of the cache, the last row may
/// reach beyond it.
std::ptrdiff_t lead_of(const Storage& storage) {
  const Grid& grid = storage.grid();
  return (grid.layout().sy + 1) * grid.halo() * static_cast<std::ptrdiff_t>(size_of(storage.type()));
}

}  // namespace

ThroughDevice::ThroughDevice(Stage& inner, std::shared_ptr<Device> device, int pieces)
    : Stage(inner.name(), {}, 1, inner.flops()),
      inner_(inner),
      device_(std::move(device)),
      pieces_(pieces),
      memory_(device_) {
  const auto where = "stage \"" + name() + "\" cannot pass through a device: ";
  if (inner.colours() > 1 || !inner.accumulators().empty() || !inner.runs_on_devices())
    refuse(where + "it reduces, runs in colours or on the host only");
  for (const Access& a : accesses()) {
    const std::string field = "field \"" + a.field->name() + "\"";
    if (a.across() || a.mode == Mode::update) refuse(where + field + " is updated or of another grid");
    for (int level = 0; level < a.field->levels(); ++level)
      if (!a.field->storage(level).external().base) refuse(where + field + " is not of Space::pinned");
  }
  check_accesses();
  memory_.book_on(grid().context());
  if (inner.watched()) watch();
  const StreamPhase first = phase();
  grid().context().together([&] {
    stream_ =
        std::make_unique<SlabStream>(memory_, SlabStream::slot_bytes(memory_, first), SlabStream::Mode::ring);
  });
}

std::string ThroughDevice::refusal(const Strategy& strategy) const {
  if (!strategy.parts) return "";
  return "engine.strategy \"" + std::string(strategy.name) + "\" divides stage \"" + name() +
         "\", which passes through a device in whole planes; allowed there is blocking";
}

const std::vector<std::unique_ptr<FarArray>>& ThroughDevice::arrays_of(const Access& access) {
  Storage& storage = access.storage();
  auto& arrays = arrays_[&storage];
  const auto plane = static_cast<std::size_t>(grid().layout().sz) * size_of(storage.type());
  const auto component = storage.component_stride() * static_cast<std::ptrdiff_t>(size_of(storage.type()));
  for (int k = static_cast<int>(arrays.size()); k < storage.components(); ++k)
    arrays.push_back(std::make_unique<FarArray>(
        memory_, memory_.adopt(storage.base() + k * component - lead_of(storage), storage.shared_from_this()),
        storage.name(), grid().own().hi.z, plane, pieces_));
  return arrays;
}

StreamPhase ThroughDevice::phase() {
  StreamPhase phase;
  for (const Access& a : accesses())
    for (const auto& array : arrays_of(a))
      phase.push_back({array.get(), a.mode == Mode::read ? StreamUse::Mode::reads : StreamUse::Mode::writes,
                       a.reach.width});
  return phase;
}

void ThroughDevice::compute(const Box& box, int /*threads*/, std::span<Accumulator> /*into*/) {
  if (box != grid().own())
    throw Error(Exit::failure, "stage \"" + name() + "\" was given a part of its cells");
  inner_.bind_to(device_.get());
  inner_.choose_lane(Lane::core);
  stream_->run(phase(), [&](const Slot& slot) { compute_slot(slot); });
  stream_->finish();  // the host goes on with the halos
  inner_.bind({});
  inner_.bind_to(nullptr);
}

void ThroughDevice::compute_slot(const Slot& slot) {
  std::vector<Place> places;
  std::size_t use = 0;
  for (const Access& a : accesses()) {
    const Storage& storage = a.storage();
    std::byte* first = slot.plane(use, 0);
    const std::ptrdiff_t next = storage.components() > 1 ? slot.plane(use + 1, 0) - first : 0;
    places.push_back({first + lead_of(storage), next / static_cast<std::ptrdiff_t>(size_of(storage.type()))});
    use += static_cast<std::size_t>(storage.components());
  }
  inner_.bind(places);
  Box planes = grid().own();
  planes.lo.z = slot.lo();
  planes.hi.z = slot.hi();
  inner_.compute(planes, 1, {});
}

}  // namespace sc
