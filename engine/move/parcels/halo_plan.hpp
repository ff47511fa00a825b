// SPDX-License-Identifier: Apache-2.0
// The halo plan: which cells of which rank are copied to which halo cells of which other. It is pure
// geometry; owner and receiver compute the regions in the same order, so the plan itself is never sent.
#pragma once

#include <vector>

#include "engine/grid/grid.hpp"
#include "engine/grid/reach.hpp"
#include "engine/move/parcels/region.hpp"

namespace sc {

/// How edges and corners are sent: directly from up to 26 neighbours, or in three phases x, y, z whose faces
/// include cells received in previous phases (6 neighbours; if the diagonal reach is less than the width,
/// some cells more than needed).
enum class Corners { direct, staged };

/// Layers of halo at the low and high end of every axis, if fewer than the reach.
struct Sides {
  Int3 low, high;
};

/// The regions that `rank` receives; `peer` is the owner. No region contains cells beyond a physical
/// boundary.
std::vector<Region> halo_arrivals(const Grid& grid, int rank, Reach reach, Corners corners,
                                  const Sides* sides = nullptr);
/// The regions that `rank` sends; `peer` is the receiver. For every pair of ranks in the same order as the
/// arrivals.
std::vector<Region> halo_departures(const Grid& grid, int rank, Reach reach, Corners corners,
                                    const Sides* sides = nullptr);

}  // namespace sc
