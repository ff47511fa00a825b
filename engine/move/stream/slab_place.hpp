// SPDX-License-Identifier: Apache-2.0
// SlabPlace: the place of fields that are accessed slab by slab: files, or host memory beside a device. Each
// component is an array of its own, divided into pieces along z; all fields of a place share its slots.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/field/far.hpp"
#include "engine/field/storage.hpp"
#include "engine/grid/boxes.hpp"
#include "engine/move/stream/slab_stream.hpp"

namespace sc {

/// The fields of a place must be destroyed before its far memory.
class SlabPlace final : public FarPlace, public std::enable_shared_from_this<SlabPlace> {
 public:
  /// Groups of `together` planes are never divided, see PlaneCut.
  SlabPlace(FarMemory& memory, int pieces, int together = 1)
      : memory_(memory), pieces_(pieces), together_(together) {}
  /// Keeps the memory.
  SlabPlace(std::unique_ptr<FarMemory> memory, int pieces)
      : kept_(std::move(memory)), memory_(*kept_), pieces_(pieces) {}
  /// Creates slots of this fixed size; see SlabStream.
  void plan(std::size_t slot_bytes, int ahead, bool held = false);

  /// Throws Error (bad_input) for more pieces than this rank has planes, Error (storage) if the memory cannot
  /// be allocated.
  std::shared_ptr<Storage> storage(const Grid& grid, const std::string& name, ElementType type,
                                   int components) override;
  FarMemory& memory() const { return memory_; }
  int pieces() const { return pieces_; }
  int together() const { return together_; }
  /// Unless its size was planned, it is recreated when a phase needs larger slots, with as many as keep the
  /// memory busy.
  SlabStream& ring(std::size_t slot_bytes = 0, bool held = false);
  /// Waits until all results of stages are in far memory.
  void finish();

 private:
  std::unique_ptr<FarMemory> kept_;
  FarMemory& memory_;
  int pieces_, together_ = 1;
  std::size_t slot_bytes_ = 0;
  bool planned_ = false;
  std::unique_ptr<SlabStream> ring_;
};

/// For .place of FieldOptions; all fields of a stage in far memory must have the same place.
inline std::shared_ptr<SlabPlace> in_files(FarMemory& memory, int pieces, int together = 1) {
  return std::make_shared<SlabPlace>(memory, pieces, together);
}
/// The same for fields that `device` computes but cannot store. Throws Error (bad_input) without a device.
std::shared_ptr<SlabPlace> in_host_memory_of(std::shared_ptr<Device> device, int pieces);

/// The far part of a storage in such a place.
class FarCells final : public Far {
 public:
  FarCells(const std::shared_ptr<SlabPlace>& place, const Grid& grid, const std::string& name,
           ElementType type, int components);
  void each_slab(Storage& storage, bool read, bool written,
                 const std::function<void(int lo, int hi)>& use) override;
  const char* where() const override { return where_; }

  std::vector<FarArray>& arrays() { return arrays_; }
  std::shared_ptr<SlabPlace> place() const { return place_.lock(); }
  /// Copies own cells of planes [lo, hi) from a slot to the strips that contain them.
  void keep_strips(const Storage& storage, int lo, int hi) const;
  /// Copies strips to the halo of these planes, then own cells around undivided periodic axes.
  void bring_strips(const Storage& storage, int lo, int hi, HaloPart part = HaloPart::all) const;

 private:
  std::weak_ptr<SlabPlace> place_;  // runners may keep a storage longer than its field
  const char* where_;
  std::vector<FarArray> arrays_;
};

inline FarCells& far_cells(const Storage& storage) { return static_cast<FarCells&>(*storage.far()); }

/// Sets a storage to its planes in a slot, from array `use` on.
void show_in(const Slot& slot, std::size_t use, Storage& storage);

/// As Storage::each_slab(), for reading only, for a storage anywhere: slabs are read through the slots of
/// their place, the next one during the use of the previous one.
void each_slab_ahead(Storage& storage, const std::function<void(int lo, int hi)>& use);

}  // namespace sc
