// SPDX-License-Identifier: Apache-2.0
// Storage: placement in the arena, and settling before it is overwritten.
#include "engine/field/storage.hpp"

#include <algorithm>

#include "engine/base/error.hpp"

namespace sc {

Storage::Storage(const Grid& grid, std::string name, ElementType type, int components,
                 std::shared_ptr<Arena> arena)
    : grid_(grid), name_(std::move(name)), type_(type), components_(components), arena_(std::move(arena)) {
  if (components < 1)
    refuse("field \"" + name_ + "\" has " + std::to_string(components) + " components; at least 1 is needed");
  const Layout& layout = grid.layout();
  component_stride_ = layout.elements;
  // A slot is one component of 8-byte elements; smaller and larger elements take what they need of as many
  // slots.
  const auto slot_bytes = static_cast<std::size_t>(layout.elements) * 8;
  const int slots = static_cast<int>((static_cast<std::size_t>(components) * size_of(type) + 7) / 8);
  block_ = arena_->allocate(slot_bytes, slots);
  base_ = block_.data + static_cast<std::size_t>(layout.origin) * size_of(type);
}

Storage::Storage(const Grid& grid, std::string name, ElementType type, int components,
                 const ExternalCells& cells)
    : grid_(grid),
      name_(std::move(name)),
      type_(type),
      components_(components),
      base_(cells.base),
      external_(cells) {}

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

void Storage::settle() {
  if (in_flight_) in_flight_->finish();
  while (!readers_.empty()) {
    Pending* reader = readers_.back();
    readers_.pop_back();
    reader->finish();
  }
}

void Storage::begin_host_write() {
  settle();
  set_fresh(point);
  ++host_writes_;
}

}  // namespace sc
