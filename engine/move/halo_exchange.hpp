// SPDX-License-Identifier: Apache-2.0
// HaloExchange: own cells of every rank into the halos of its neighbours, for any set of fields of one grid.
// It moves what other ranks own; what lies beyond a physical boundary is left to the boundary conditions.
#pragma once

#include <vector>

#include "engine/grid/reach.hpp"
#include "engine/move/exchange.hpp"
#include "engine/move/halo_plan.hpp"

namespace sc {

struct HaloItem {
  Storage* storage;
  Reach reach;
  /// Of one colour only: what a coloured sweep has just written.
  Lattice lattice = {};
};

struct HaloOptions {
  Corners corners = Corners::direct;
  /// Most bytes of one piece; under the eager limit of the transport (64 KiB for Open MPI over TCP).
  std::size_t piece_bytes = std::size_t{60} * 1024;
  /// The same where a neighbour's cells are read in place: there nothing is gained by pieces, and each costs
  /// two flags on their way between cores.
  std::size_t near_piece_bytes = std::size_t{1} << 30;
  /// The same on a device, where a piece costs a launch and a message and nothing is gained by many.
  std::size_t device_piece_bytes = std::size_t{4} << 20;
};

class HaloExchange final : public Exchange {
 public:
  /// Collective on the ranks of the grid. Throws Error (bad_input) for a storage of another grid or a reach
  /// wider than the grid's halo. The storages must outlive every round under way.
  HaloExchange(const Grid& grid, std::vector<HaloItem> items, HaloOptions options = {});

  const std::vector<HaloItem>& items() const { return items_; }

 private:
  std::vector<HaloItem> items_;
};

}  // namespace sc
