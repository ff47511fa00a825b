// SPDX-License-Identifier: Apache-2.0
// Far: what a storage has that lies in far memory: files, or the host's memory seen from a device. Its cells
// come near slab by slab, whole planes normal to z, while a stage or the host works on them; the host keeps
// its surfaces, by which its halo travels as that of any other storage.
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

/// Cells that the host keeps, addressed as those of the grid are.
struct Strip {
  Box box;
  std::shared_ptr<Storage> cells;
};

class Far {
 public:
  virtual ~Far() = default;
  /// For the host: use(lo, hi) with planes [lo, hi) at storage.base(), slab by slab; `read`: with what they
  /// hold, `written`: what use() leaves there is kept.
  virtual void each_slab(Storage& storage, bool read, bool written,
                         const std::function<void(int lo, int hi)>& use) = 0;
  /// Where that is, for sentences.
  virtual const char* where() const = 0;
  /// As strip_boxes() says.
  const std::array<Strip, 6>& own() const { return own_; }
  const std::array<Strip, 6>& halo() const { return halo_; }

 protected:
  using Allocate = std::function<std::shared_ptr<std::byte>(std::size_t bytes)>;
  /// The strips lie in memory of `allocate`.
  Far(const Grid& grid, const std::string& name, ElementType type, int components, const Allocate& allocate);

 private:
  std::shared_ptr<std::byte> memory_;
  std::array<Strip, 6> own_, halo_;
};

/// Where fields lie that are made with it.
class FarPlace {
 public:
  virtual ~FarPlace() = default;
  virtual std::shared_ptr<Storage> storage(const Grid& grid, const std::string& name, ElementType type,
                                           int components) = 0;
};

}  // namespace sc
