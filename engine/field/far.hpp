// SPDX-License-Identifier: Apache-2.0
// Far: what a storage has that lies in far memory (files). Its cells come near slab by slab, whole planes
// normal to z, while a stage or the host works on them; near stay only its surfaces, by which its halo
// travels as that of any other storage.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/grid/grid.hpp"

namespace sc {

class Storage;
enum class ElementType;

/// Cells kept near, addressed as those of the grid are.
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
  /// By face, 2 * axis + side: own cells that somebody has in its halo, and the halo that somebody fills.
  /// Edges and corners belong to the later axis.
  const std::array<Strip, 6>& own() const { return own_; }
  const std::array<Strip, 6>& halo() const { return halo_; }

 protected:
  Far(const Grid& grid, const std::string& name, ElementType type, int components);

 private:
  std::array<Strip, 6> own_, halo_;
  std::vector<std::vector<std::byte>> memory_;
};

/// Where fields lie that are made with it.
class FarPlace {
 public:
  virtual ~FarPlace() = default;
  virtual std::shared_ptr<Storage> storage(const Grid& grid, const std::string& name, ElementType type,
                                           int components) = 0;
};

}  // namespace sc
