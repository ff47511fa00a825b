// SPDX-License-Identifier: Apache-2.0
// The halo plan: which cells of which rank go into which halo cells of which other. Pure geometry; the owner
// and the receiver of a region find it in the same order, so nothing about it is ever sent.
#pragma once

#include <vector>

#include "engine/grid/grid.hpp"
#include "engine/grid/reach.hpp"
#include "engine/move/parcels/region.hpp"

namespace sc {

/// How the cells of edges and corners get there: straight from up to 26 neighbours, or in three phases x, y,
/// z whose faces are widened by what the phases before brought (6 neighbours; where the diagonal reach is
/// less than the width, some cells more than asked for).
enum class Corners { direct, staged };

/// Layers of halo that there are on either side of every axis, where that is less than the reach.
struct Sides {
  Int3 low, high;
};

/// What `rank` receives; `peer` is the owner. Cells beyond a physical boundary are in no region.
std::vector<Region> halo_arrivals(const Grid& grid, int rank, Reach reach, Corners corners,
                                  const Sides* sides = nullptr);
/// What `rank` gives away; `peer` is the receiver. For every pair of ranks in the same order as the arrivals.
std::vector<Region> halo_departures(const Grid& grid, int rank, Reach reach, Corners corners,
                                    const Sides* sides = nullptr);

}  // namespace sc
