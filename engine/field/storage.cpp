// SPDX-License-Identifier: Apache-2.0
// Storage: placement in the arena, state of halos and of copies on a device, pending transfers.
#include "engine/field/storage.hpp"

#include <algorithm>

#include "engine/base/error.hpp"
#include "engine/field/far.hpp"

namespace sc {

Storage::Storage(const Grid& grid, std::string name, ElementType type, int components,
                 std::shared_ptr<Arena> arena)
    : grid_(grid), name_(std::move(name)), type_(type), components_(components), arena_(std::move(arena)) {
  if (components < 1)
    refuse("field \"" + name_ + "\" has " + std::to_string(components) + " components; at least 1 is needed");
  const Layout& layout = grid.layout();
  component_stride_ = layout.elements;
  // A segment holds one component of 8-byte elements. Other element sizes use as many segments as their bytes
  // need.
  const auto segment_bytes = static_cast<std::size_t>(layout.elements) * 8;
  const int segments = static_cast<int>((static_cast<std::size_t>(components) * size_of(type) + 7) / 8);
  block_ = arena_->allocate(segment_bytes, segments);
  base_ = block_.data + static_cast<std::size_t>(layout.origin) * size_of(type);
}

Storage::Storage(const Grid& grid, std::string name, ElementType type, int components,
                 const ExternalCells& cells)
    : grid_(grid),
      name_(std::move(name)),
      type_(type),
      components_(components),
      component_stride_(cells.component / static_cast<std::ptrdiff_t>(size_of(type))),
      base_(cells.base),
      external_(cells) {}

Storage::Storage(const Grid& grid, std::string name, ElementType type, int components, Space space)
    : grid_(grid),
      name_(std::move(name)),
      type_(type),
      components_(components),
      component_stride_(grid.layout().elements),
      device_(grid.context().device()) {
  if (components < 1)
    refuse("field \"" + name_ + "\" has " + std::to_string(components) + " components; at least 1 is needed");
  if (space != Space::device || !device_)
    refuse("field \"" + name_ + "\" asks for the memory of a device, and the context has none open");
  grid_.context().together([&] { device_memory_ = device_->allocate(all_bytes()); });
  base_ = device_memory_.get() + lead_bytes();
}

std::size_t Storage::all_bytes() const {
  return static_cast<std::size_t>(component_stride_ * components_) * size_of(type_);
}

void Storage::update_host() const {
  if (!host_copy_) host_copy_ = device_->pinned(all_bytes());
  if (newest_ != Newest::device) return;
  device_->finish();
  device_->copy(Stream::out, host_copy_.get(), device_memory_.get(), all_bytes());
  device_->finish();
  newest_ = Newest::both;
}

void Storage::use_on_device(bool written) {
  if (!device_memory_) return;  // fields in slabs copy their slabs themselves
  if (newest_ == Newest::host) {
    device_->finish();
    device_->copy(Stream::in, device_memory_.get(), host_copy_.get(), all_bytes());
    device_->finish();
    newest_ = Newest::both;
  }
  if (written) newest_ = Newest::device;
}

Reach Storage::fresh() const {
  Reach all = fresh_[0];
  for (std::size_t c = 1; c < static_cast<std::size_t>(colours_); ++c)
    all = {std::min(all.width, fresh_[c].width), std::min(all.diagonal, fresh_[c].diagonal)};
  return all;
}

Reach Storage::fresh(const Lattice& lattice) const {
  return lattice.colours == colours_ ? fresh_[static_cast<std::size_t>(lattice.colour)] : fresh();
}

void Storage::set_fresh(Reach reach, const Lattice& lattice) {
  if (lattice.colours != colours_) {
    fresh_.fill(fresh());
    colours_ = lattice.colours;
  }
  fresh_[static_cast<std::size_t>(lattice.colour)] = reach;
  if (reach == point) ahead_.reset();
}

Lattice Storage::stale(Reach reach) const {
  Lattice one;
  for (int c = 0; c < colours_; ++c) {
    if (fresh_[static_cast<std::size_t>(c)].covers(reach)) continue;
    if (one.colours > 1) return {};
    one = {colours_, c};
  }
  return one;
}

void Storage::add_reader(Pending* reader) {
  if (std::find(readers_.begin(), readers_.end(), reader) == readers_.end()) readers_.push_back(reader);
}

void Storage::remove_reader(Pending* reader) { std::erase(readers_, reader); }

bool Storage::busy() const {
  const auto strip_busy = [](const Strip& strip) { return strip.cells->busy(); };
  return in_flight_ || !readers_.empty() || (far_ && std::ranges::any_of(far_->own(), strip_busy));
}

void Storage::refuse_whole() const {
  throw Error(Exit::failure,
              "field \"" + name_ + "\" lies " + far_->where() +
                  " and is not resident in host memory; allowed are stages, fill() and each_slab()");
}

void Storage::each_slab(bool read, bool written, const std::function<void(int lo, int hi)>& use) {
  if (grid_.context().rehearses()) return;
  if (far_) return far_->each_slab(*this, read, written, use);
  use(0, grid_.own().hi.z);
}

void Storage::refuse_recorded() const {
  throw Error(Exit::failure, "field \"" + name_ +
                                 "\" is read while steps that compute it are still being recorded; allowed "
                                 "there is reading after Runner::close_pass(), or after Runner::steps()");
}

void Storage::settle() {
  if (far_)
    for (const Strip& strip : far_->own()) strip.cells->settle();
  if (in_flight_) in_flight_->finish();
  while (!readers_.empty()) {
    Pending* reader = readers_.back();
    readers_.pop_back();
    reader->finish();
  }
}

bool Storage::filled(const Boundary& condition, Face face, const Box& columns) const {
  return std::ranges::any_of(filled_, [&](const Filled& one) {
    return one.face == face && one.condition.lock().get() == &condition &&
           intersect(one.columns, columns) == columns;
  });
}

void Storage::set_filled(const Boundary& condition, Face face, const Box& columns) {
  std::erase_if(filled_, [&](const Filled& one) {
    return one.face == face &&
           (one.condition.lock().get() != &condition || intersect(one.columns, columns) == one.columns);
  });
  // Slots change, and so may cells in a caller's memory.
  if (condition.constant() && !far_ && !external_.base)
    filled_.push_back({condition.weak_from_this(), face, columns});
}

void Storage::begin_host_write() {
  settle();
  forget_filled();
  if (device_memory_) {
    update_host();  // elements that are not written keep their values
    newest_ = Newest::host;
  }
  set_fresh(point);
  ++host_writes_;
}

}  // namespace sc
