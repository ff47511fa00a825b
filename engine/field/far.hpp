// SPDX-License-Identifier: Apache-2.0
// Far: the part of a storage in far memory, that is, in files, or in host memory beside a device. Its cells
// are copied to near memory slab by slab (whole planes normal to z) while a stage or the host uses them. The
// host keeps its surfaces (strips), between which halos are exchanged.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>

#include "engine/grid/grid.hpp"

namespace sc {

class Storage;
enum class ElementType;

/// By face, 2 * axis + side: own cells that are in a neighbour's halo, and the halo that a neighbour fills.
/// Edges and corners belong to the later axis.
struct StripBoxes {
  std::array<Box, 6> own, halo;
};
StripBoxes strip_boxes(const Grid& grid);

/// Cells that stay in host memory, with the indices of the grid.
struct Strip {
  Box box;
  std::shared_ptr<Storage> cells;
};

class Far {
 public:
  virtual ~Far() = default;
  /// For the host: calls use(lo, hi) for planes [lo, hi) at storage.base(), slab by slab. `read`: the planes
  /// contain their values; `written`: values that use() sets are kept.
  virtual void each_slab(Storage& storage, bool read, bool written,
                         const std::function<void(int lo, int hi)>& use) = 0;
  /// Name of the memory, for messages.
  virtual const char* where() const = 0;
  /// The boxes of strip_boxes().
  const std::array<Strip, 6>& own() const { return own_; }
  const std::array<Strip, 6>& halo() const { return halo_; }

 protected:
  using Allocate = std::function<std::shared_ptr<std::byte>(std::size_t bytes)>;
  /// `allocate` provides the memory of the strips.
  Far(const Grid& grid, const std::string& name, ElementType type, int components, const Allocate& allocate);

 private:
  std::shared_ptr<std::byte> memory_;
  std::array<Strip, 6> own_, halo_;
};

/// The place of the fields that are created with it.
class FarPlace {
 public:
  virtual ~FarPlace() = default;
  virtual std::shared_ptr<Storage> storage(const Grid& grid, const std::string& name, ElementType type,
                                           int components) = 0;
};

}  // namespace sc
