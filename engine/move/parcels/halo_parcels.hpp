// SPDX-License-Identifier: Apache-2.0
// The parcels of a halo exchange.
#pragma once

#include <vector>

#include "engine/field/storage.hpp"
#include "engine/grid/reach.hpp"
#include "engine/move/parcels/halo_plan.hpp"

namespace sc {

struct Parcels;

struct HaloItem {
  Storage* storage;
  Reach reach;
  /// Only the cells of one colour, which a coloured sweep has just written.
  Lattice lattice = {};
};

struct HaloOptions {
  Corners corners = Corners::direct;
  std::size_t piece_bytes = eager_piece;  ///< largest size of a piece to another node
  /// The same within a node, for rows that are not narrow(): there smaller pieces gain nothing, and each
  /// costs flags or a handshake between cores.
  std::size_t near_piece_bytes = std::size_t{1} << 30;
  /// The same on a device, where each piece costs a launch and a message.
  std::size_t device_piece_bytes = std::size_t{4} << 20;
};

/// The parcels that copy own cells of every rank into the halos of its neighbours, for any set of fields of
/// one grid, the same on all ranks except for their cells. The halo beyond physical boundaries is left to the
/// boundary conditions. Throws Error (bad_input) for a storage of another grid or a reach wider than the
/// grid's halo. The storages must outlive every round of an exchange of these parcels.
Parcels halo_parcels(const Grid& grid, std::vector<HaloItem> items, const HaloOptions& options = {});

}  // namespace sc
