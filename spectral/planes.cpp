// SPDX-License-Identifier: Apache-2.0
// Planes in memory, and in files.
#include "spectral/planes.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "engine/base/align.hpp"
#include "engine/base/error.hpp"
#include "engine/base/large_pages.hpp"

namespace sc::spectral {

namespace {

std::vector<FarArray> far_planes(const PlaneShape& shape, int count, FarMemory& memory, int pieces) {
  std::vector<FarArray> arrays;
  for (int k = 0; k < count - Planes::near_arrays; ++k)
    arrays.emplace_back(memory, "planes " + std::to_string(k), shape.cells.z, shape.bytes(true), pieces);
  return arrays;
}

class InFiles final : public Planes {
 public:
  InFiles(const PlaneShape& shape, int count, FarMemory& memory, SlabStream& ring, int pieces)
      : Planes(count),
        shape_(shape),
        memory_(memory),
        ring_(ring),
        plane_(shape.bytes(true)),
        far_(far_planes(shape, count, memory, pieces)) {
    const std::size_t bytes = plane_ * static_cast<std::size_t>(shape.cells.z);
    for (FarMemory::Buffer& buffer : near_) {
      buffer = memory.allocate(bytes);
      std::memset(buffer.get(), 0, bytes);  // the padding of rows and planes is written to files too
    }
  }
  ~InFiles() override {
    for (const Way way : {Way::in, Way::out}) try {
        memory_.wait(way);  // the near arrays are freed next
      } catch (const Error&) {
        continue;  // destructors do not report errors; finish() does
      }
  }

  void fill(int array, const Action& action) override {
    const std::size_t here = home(array);
    end(Way::out, writing_[here]);
    action(cells(here));
    if (!stays(array)) writing_[here] = copy(Way::out, array, here);
  }

  void prefetch(const std::vector<Use>& uses) override {
    end_writes();
    ring_.prefetch(phase(uses));
  }

  void each_slab(const std::vector<Use>& uses, const SlabAction& action) override {
    finish();
    holds_.fill(none);
    for (int k = count() - near_arrays; k < count(); ++k) {
      planes_[static_cast<std::size_t>(k)] = cells(home(k));
      holds_[home(k)] = k;
    }
    const StreamPhase far = phase(uses);
    if (far.empty()) return action({0, shape_.cells.z, planes_});
    ring_.run(far, [&](const Slot& slot) {
      std::size_t n = 0;
      for (const Use& use : uses)
        if (!stays(use.array))
          planes_[static_cast<std::size_t>(use.array)] = shape_.at(slot.plane(n++, 0), plane_);
      action({slot.lo(), slot.hi(), planes_});
    });
  }

  void take(int array, int next, const Action& action) override {
    if (place_of(array) == near_.size()) start_read(array);
    const std::size_t here = place_of(array);
    end(Way::in, reading_);
    if (next >= 0 && place_of(next) == near_.size()) start_read(next);
    action(cells(here));
    holds_[here] = none;
  }

  void finish() override {
    end(Way::in, reading_);
    end_writes();
  }

  StreamPhase phase(const std::vector<Use>& uses) override {
    StreamPhase phase;
    for (const Use& use : uses)
      if (!stays(use.array)) phase.push_back({&far_[static_cast<std::size_t>(use.array)], use.mode});
    return phase;
  }

 private:
  bool stays(int array) const { return array >= count() - near_arrays; }
  /// The near array in which it is filled: while one is written, the next array is filled in another.
  static std::size_t home(int array) { return static_cast<std::size_t>(array % near_arrays); }
  PlaneBytes cells(std::size_t near) const { return shape_.at(near_[near].get(), plane_); }
  /// The near array that holds an array, or the first one that holds `none`; their number if there is none.
  std::size_t place_of(int array) const {
    return static_cast<std::size_t>(std::find(holds_.begin(), holds_.end(), array) - holds_.begin());
  }

  void start_read(int array) {
    ring_.finish();  // writes of each_slab() must be complete
    const std::size_t to = place_of(none);
    holds_[to] = array;
    reading_ = copy(Way::in, array, to);
  }
  std::int64_t copy(Way way, int array, std::size_t near) {
    const FarArray& far = far_[static_cast<std::size_t>(array)];
    parts_.clear();
    for (int piece = 0; piece < far.pieces(); ++piece) {
      std::size_t lead = 0;
      const int lo = far.first(piece), hi = far.first(piece + 1);
      parts_.push_back(far.part({piece, lo, hi}, lead));
      parts_.back().near = near_[near].get() + static_cast<std::size_t>(lo) * plane_;
    }
    return memory_.start(way, parts_);
  }
  void end_writes() {
    for (std::int64_t& batch : writing_) end(Way::out, batch);
  }
  /// Waits for a batch, if it is in progress.
  void end(Way way, std::int64_t& batch) {
    if (batch > 0) memory_.wait(way, std::exchange(batch, 0));
  }

  PlaneShape shape_;
  FarMemory& memory_;
  SlabStream& ring_;
  std::size_t plane_;
  std::vector<FarArray> far_;
  std::array<FarMemory::Buffer, near_arrays> near_;
  std::vector<FarPart> parts_;
  static constexpr int none = -1;
  std::array<int, near_arrays> holds_{};             ///< for take(): arrays that have not been taken yet
  std::array<std::int64_t, near_arrays> writing_{};  ///< the batch that is written from each; 0: none
  std::int64_t reading_ = 0;                         ///< the batch that is read; 0: none
};

}  // namespace

std::size_t PlaneShape::row_bytes() const {
  return round_up(static_cast<std::size_t>(cells.x) * element, cache_line);
}

std::size_t PlaneShape::bytes(bool in_files) const {
  const std::size_t all = row_bytes() * static_cast<std::size_t>(cells.y);
  // An odd number of pages, so that the elements of a line along z fall into different cache sets.
  return in_files ? (round_up(all, memory_page) / memory_page | 1U) * memory_page : all;
}

std::size_t PlaneShape::slot_bytes(int pieces) const {
  return PlaneCut{cells.z, bytes(true), pieces, memory_page}.slot_bytes(0);
}

Planes::Planes(const PlaneShape& shape, int count, bool untouched) : depth_(shape.cells.z) {
  const std::size_t plane = shape.bytes(false), bytes = plane * static_cast<std::size_t>(depth_);
  // Offsets of the arrays differ by a few cache lines modulo the page size, so that a point of all arrays
  // fits into the cache.
  constexpr std::size_t stagger = 5 * cache_line;
  const std::size_t all = static_cast<std::size_t>(count) * (bytes + stagger) + cache_line;
  if (untouched)
    memory_ = address_space(all);
  else
    memory_.reset(new std::byte[all](), std::default_delete<std::byte[]>());
  if (!memory_) throw Error(Exit::storage, "no room in the address space for planes");
  auto address = round_up(reinterpret_cast<std::uintptr_t>(memory_.get()), cache_line);
  for (int k = 0; k < count; ++k, address += bytes + stagger)
    planes_.push_back(shape.at(reinterpret_cast<std::byte*>(address), plane));
}

std::unique_ptr<Planes> planes_in_files(const PlaneShape& shape, int count, FarMemory& memory,
                                        SlabStream& ring, int pieces) {
  return std::make_unique<InFiles>(shape, count, memory, ring, pieces);
}

}  // namespace sc::spectral
