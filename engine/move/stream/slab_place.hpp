// SPDX-License-Identifier: Apache-2.0
// SlabPlace: where fields lie that come near slab by slab: files, or the host's memory beside a device. Each
// component is an array of its own, cut into pieces along z; all fields of a place share the ring through
// which they come.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/field/far.hpp"
#include "engine/field/storage.hpp"
#include "engine/move/stream/slab_stream.hpp"

namespace sc {

/// The fields of a place must go before its far memory.
class SlabPlace final : public FarPlace, public std::enable_shared_from_this<SlabPlace> {
 public:
  /// `together` planes are never cut apart, see PlaneCut.
  SlabPlace(FarMemory& memory, int pieces, int together = 1)
      : memory_(memory), pieces_(pieces), together_(together) {}
  /// Keeps the memory.
  SlabPlace(std::unique_ptr<FarMemory> memory, int pieces)
      : kept_(std::move(memory)), memory_(*kept_), pieces_(pieces) {}
  /// Makes the ring with slots of this size, which does not grow any more; see SlabStream.
  void plan(std::size_t slot_bytes, int ahead, bool held = false);

  /// Throws Error (bad_input) for more pieces than this rank has planes, Error (storage) where the memory
  /// cannot be had.
  std::shared_ptr<Storage> storage(const Grid& grid, const std::string& name, ElementType type,
                                   int components) override;
  FarMemory& memory() const { return memory_; }
  int pieces() const { return pieces_; }
  int together() const { return together_; }
  /// Unless its size is planned, made anew when a phase needs larger slots, as many as keep the memory busy.
  SlabStream& ring(std::size_t slot_bytes = 0, bool held = false);
  /// Until all that stages have computed lies in far memory.
  void finish();

 private:
  std::unique_ptr<FarMemory> kept_;
  FarMemory& memory_;
  int pieces_, together_ = 1;
  std::size_t slot_bytes_ = 0;
  bool planned_ = false;
  std::unique_ptr<SlabStream> ring_;
};

/// For .place of FieldOptions; stages need all their fields in far memory in the same one.
inline std::shared_ptr<SlabPlace> in_files(FarMemory& memory, int pieces, int together = 1) {
  return std::make_shared<SlabPlace>(memory, pieces, together);
}
/// The same for fields that `device` computes and has no room for. Throws Error (bad_input) without a device.
std::shared_ptr<SlabPlace> in_host_memory_of(std::shared_ptr<Device> device, int pieces);

/// What a storage of such a place has.
class FarCells final : public Far {
 public:
  FarCells(const std::shared_ptr<SlabPlace>& place, const Grid& grid, const std::string& name,
           ElementType type, int components);
  void each_slab(Storage& storage, bool read, bool written,
                 const std::function<void(int lo, int hi)>& use) override;
  const char* where() const override { return where_; }

  std::vector<FarArray>& arrays() { return arrays_; }
  std::shared_ptr<SlabPlace> place() const { return place_.lock(); }
  /// Own cells of planes [lo, hi), which are in a slot, into the strips that hold them too.
  void keep_strips(const Storage& storage, int lo, int hi) const;
  /// The other way: into the halo of these planes.
  void bring_strips(const Storage& storage, int lo, int hi) const;

 private:
  std::weak_ptr<SlabPlace> place_;  // runners may keep a storage longer than its field
  const char* where_;
  std::vector<FarArray> arrays_;
};

inline FarCells& far_cells(const Storage& storage) { return static_cast<FarCells&>(*storage.far()); }

/// Shows a storage where its planes lie in a slot, from array `use` on.
void show_in(const Slot& slot, std::size_t use, Storage& storage);

/// Storage::each_slab() for reading alone, of a storage anywhere: slabs come by the ring of their place, the
/// next while one is used.
void each_slab_ahead(Storage& storage, const std::function<void(int lo, int hi)>& use);

}  // namespace sc
