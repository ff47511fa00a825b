// SPDX-License-Identifier: Apache-2.0
// in_files: the place of fields that lie in far memory, cut into pieces along z, each component an array of
// its own; and the ring through which they come near, which all fields of a place share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/field/far.hpp"
#include "engine/field/storage.hpp"
#include "engine/move/stream/slab_stream.hpp"

namespace sc {

/// The fields of a place must go before its far memory.
class InFiles final : public FarPlace, public std::enable_shared_from_this<InFiles> {
 public:
  InFiles(FarMemory& memory, int pieces) : memory_(memory), pieces_(pieces) {}
  /// Makes the ring with slots of this size, which does not grow any more; see SlabStream.
  void plan(std::size_t slot_bytes, int ahead);

  /// Throws Error (bad_input) for more pieces than this rank has planes, Error (storage) where the files
  /// cannot be had.
  std::shared_ptr<Storage> storage(const Grid& grid, const std::string& name, ElementType type,
                                   int components) override;
  FarMemory& memory() const { return memory_; }
  int pieces() const { return pieces_; }
  /// Unless its size is planned, made anew when a phase needs larger slots, as many as keep the memory busy.
  SlabStream& ring(std::size_t slot_bytes = 0);
  /// Until all that stages have computed lies in far memory.
  void finish();

 private:
  FarMemory& memory_;
  int pieces_;
  std::size_t slot_bytes_ = 0;
  bool planned_ = false;
  std::unique_ptr<SlabStream> ring_;
};

/// For .place of FieldOptions; stages need all their fields in files in the same one.
inline std::shared_ptr<InFiles> in_files(FarMemory& memory, int pieces) {
  return std::make_shared<InFiles>(memory, pieces);
}

/// What a storage of such a place has.
class FarCells final : public Far {
 public:
  FarCells(const std::shared_ptr<InFiles>& place, const Grid& grid, const std::string& name, ElementType type,
           int components);
  void each_slab(Storage& storage, bool read, bool written,
                 const std::function<void(int lo, int hi)>& use) override;

  std::vector<FarArray>& arrays() { return arrays_; }
  std::shared_ptr<InFiles> place() const { return place_.lock(); }
  /// Own cells of planes [lo, hi), which are near, into the strips that hold them too.
  void keep_strips(const Storage& storage, int lo, int hi) const;
  /// The other way: into the halo of these planes.
  void bring_strips(const Storage& storage, int lo, int hi) const;

 private:
  std::weak_ptr<InFiles> place_;  // runners may keep a storage longer than its field
  std::vector<FarArray> arrays_;
};

inline FarCells& far_cells(const Storage& storage) { return static_cast<FarCells&>(*storage.far()); }

/// Shows a storage where its planes lie in a slot, from array `use` on.
void show_in(const Slot& slot, std::size_t use, Storage& storage);

}  // namespace sc
