// SPDX-License-Identifier: Apache-2.0
// The halo plan, from the segments of a rank's box including its halo.
#include "engine/move/parcels/halo_plan.hpp"

#include <array>

namespace sc {

namespace {

using Axes = std::array<std::vector<Segment>, 3>;

/// The region that is the product of three segments.
Region product(const Grid& grid, const std::array<Segment, 3>& s) {
  Region region;
  Int3 owner;
  for (int a = 2; a >= 0; --a) {
    const Segment& segment = s[static_cast<std::size_t>(a)];
    owner[a] = segment.block;
    region.sink.lo[a] = segment.lo;
    region.sink.hi[a] = segment.hi;
    region.source.lo[a] = segment.lo + segment.shift;
    region.source.hi[a] = segment.hi + segment.shift;
  }
  for (int a = 0; a < 3; ++a)
    if (const int side = s[static_cast<std::size_t>(a)].side; side != 0) region.face = {a, side > 0 ? 1 : 0};
  region.peer = grid.rank_of(owner);
  return region;
}

std::vector<Segment> segments_of(const Grid& grid, int rank, int axis, int width, const Sides* sides) {
  if (!sides) return grid.segments(rank, axis, width);
  return grid.segments(rank, axis, std::min(width, sides->low[axis]), std::min(width, sides->high[axis]));
}

Axes segments_of(const Grid& grid, int rank, int width, const Sides* sides) {
  return {segments_of(grid, rank, 0, width, sides), segments_of(grid, rank, 1, width, sides),
          segments_of(grid, rank, 2, width, sides)};
}

/// Adds the products with `least` to `most` segments outside the own cells.
void add_direct(const Grid& grid, const Axes& axes, int least, int most, std::vector<Region>& out) {
  for (const Segment& z : axes[2])
    for (const Segment& y : axes[1])
      for (const Segment& x : axes[0]) {
        const int outside = (x.side != 0) + (y.side != 0) + (z.side != 0);
        if (x.physical || y.physical || z.physical || outside < least || outside > most) continue;
        out.push_back(product(grid, {x, y, z}));
      }
}

/// Along an axis: the own cells, or (`widened`) all cells that earlier phases have brought there. They are
/// one segment of the own block, because neighbours along another axis have the same cuts here.
Segment across(const std::vector<Segment>& segments, bool widened) {
  Segment whole{};
  for (const Segment& s : segments)
    if (s.side == 0) whole = s;
  for (const Segment& s : segments)
    if (widened && !s.physical) {
      whole.lo = std::min(whole.lo, s.lo);
      whole.hi = std::max(whole.hi, s.hi);
    }
  return whole;
}

void add_staged(const Grid& grid, const Axes& axes, std::vector<Region>& out) {
  for (int phase = 0; phase < 3; ++phase)
    for (const Segment& beyond : axes[static_cast<std::size_t>(phase)]) {
      if (beyond.side == 0 || beyond.physical) continue;
      std::array<Segment, 3> s;
      for (int a = 0; a < 3; ++a)
        s[static_cast<std::size_t>(a)] = across(axes[static_cast<std::size_t>(a)], a < phase);
      s[static_cast<std::size_t>(phase)] = beyond;
      out.push_back(product(grid, s));
      out.back().phase = phase;
    }
}

/// The blocks along an axis that have cells of this rank's block in their halo or among their own cells.
std::vector<int> blocks_in_reach(const Grid& grid, int rank, int axis, int width, const Sides* sides) {
  std::vector<int> blocks;
  Int3 coords = grid.coords_of(rank);
  const int mine = coords[axis];
  for (int block = 0; block < grid.split()[axis]; ++block) {
    coords[axis] = block;
    for (const Segment& s : segments_of(grid, grid.rank_of(coords), axis, width, sides))
      if (!s.physical && s.block == mine) {
        blocks.push_back(block);
        break;
      }
  }
  return blocks;
}

}  // namespace

std::vector<Region> halo_arrivals(const Grid& grid, int rank, Reach reach, Corners corners,
                                  const Sides* sides) {
  std::vector<Region> regions;
  if (grid.box_of(rank).empty()) return regions;
  const Axes axes = segments_of(grid, rank, reach.width, sides);
  if (corners == Corners::staged && reach.diagonal > 0) {
    add_staged(grid, axes, regions);
  } else {
    add_direct(grid, axes, 1, 1, regions);
    if (reach.diagonal > 0) add_direct(grid, segments_of(grid, rank, reach.diagonal, sides), 2, 3, regions);
  }
  return regions;
}

std::vector<Region> halo_departures(const Grid& grid, int rank, Reach reach, Corners corners,
                                    const Sides* sides) {
  std::vector<Region> regions;
  if (grid.box_of(rank).empty()) return regions;
  std::array<std::vector<int>, 3> near;
  for (int a = 0; a < 3; ++a)
    near[static_cast<std::size_t>(a)] = blocks_in_reach(grid, rank, a, reach.width, sides);
  for (int z : near[2])
    for (int y : near[1])
      for (int x : near[0]) {
        const int receiver = grid.rank_of({x, y, z});
        for (Region region : halo_arrivals(grid, receiver, reach, corners, sides))
          if (region.peer == rank) {
            region.peer = receiver;
            regions.push_back(region);
          }
      }
  return regions;
}

}  // namespace sc
