// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 4 6 8
// optimise: no
// The halo plan, which is geometry only: every rank computes the plans of all ranks, without messages.
#include <map>
#include <set>
#include <tuple>

#include "engine/move/parcels/halo_plan.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

/// The regions from one rank to another, as the receiver or the owner lists them.
using Pairs = std::map<std::tuple<int, int>, std::vector<Region>>;

void add(Pairs& pairs, int from, int to, Region region) {
  region.peer = 0;
  pairs[{from, to}].push_back(region);
}

void expect_both_ends_agree(const Grid& grid, Reach reach, Corners corners) {
  Pairs seen_by_owners, seen_by_receivers;
  for (int rank = 0; rank < grid.context().size(); ++rank) {
    for (const Region& region : halo_departures(grid, rank, reach, corners))
      add(seen_by_owners, rank, region.peer, region);
    for (const Region& region : halo_arrivals(grid, rank, reach, corners)) {
      add(seen_by_receivers, region.peer, rank, region);
      EXPECT_EQ(region.source.extent(), region.sink.extent());
      EXPECT_FALSE(region.sink.empty());
    }
  }
  EXPECT_EQ(seen_by_owners, seen_by_receivers);
}

/// Every halo cell within reach that belongs to some rank is received exactly once, from the right cell of
/// its owner.
void expect_every_cell_once(const Grid& grid, Reach reach) {
  std::set<std::tuple<int, int, int>> brought;
  const Int3 n = grid.cells();
  for (const Region& region : halo_arrivals(grid, grid.context().rank(), reach, Corners::direct)) {
    const Int3 shift = region.source.lo - region.sink.lo;
    each_cell(region.sink, [&](Int3 c) {
      EXPECT_TRUE(brought.insert({c.x, c.y, c.z}).second) << to_string(c) << " comes twice";
      const Int3 at_owner = grid.box_of(region.peer).lo + c + shift;
      const Int3 here = grid.origin() + c;
      for (int a = 0; a < 3; ++a) EXPECT_EQ(at_owner[a], (here[a] % n[a] + n[a]) % n[a]);
      EXPECT_TRUE(grid.box_of(region.peer).contains(at_owner));
    });
  }
  std::size_t wanted = 0;
  const int h = grid.halo();
  if (!grid.own().empty())
    each_cell(grid.own().grown({h, h, h}), [&](Int3 c) {
      Int3 global;
      if (!grid.own().contains(c) && reached(grid, c, reach, global)) ++wanted;
    });
  EXPECT_EQ(brought.size(), wanted);
}

TEST(HaloPlan, OwnersAndReceiversFindTheSameRegionsInTheSameOrder) {
  TestContext context;
  for (Int3 split : splits(context.size()))
    for (Bool3 periodic : {Bool3{}, Bool3{true, false, true}, Bool3{true, true, true}}) {
      const Grid grid(context, {.cells = {3 * split.x + 1, 3 * split.y + 2, 3 * split.z},
                                .periodic = periodic,
                                .halo = 3,
                                .split = split});
      for (const Grid& some : {grid, grid.coarsen({4, 4, 4}, 3), grid.coarsen({1, 5, 3}, 2), grid.on(2)})
        for (int width = 0; width <= some.halo(); ++width)
          for (int diagonal = 0; diagonal <= width; ++diagonal) {
            expect_both_ends_agree(some, {width, diagonal}, Corners::direct);
            expect_both_ends_agree(some, {width, diagonal}, Corners::staged);
            expect_every_cell_once(some, {width, diagonal});
          }
    }
}

TEST(HaloPlan, StagedFacesAreWidenedByWhatEarlierPhasesBrought) {
  TestContext context;
  const int ranks = context.size();
  const Grid grid(
      context,
      {.cells = {5, 6, 7 * ranks}, .periodic = {true, false, true}, .halo = 2, .split = {1, 1, ranks}});
  const auto count = [&](Reach reach, Corners corners) {
    return halo_arrivals(grid, context.rank(), reach, corners).size();
  };
  EXPECT_EQ(count(star(2), Corners::direct), 4U);  // the faces of x and z
  EXPECT_EQ(count(box(2), Corners::direct), 8U);   // and the four edges along y
  EXPECT_EQ(count(box(2), Corners::staged), 4U);
  EXPECT_EQ(count(point, Corners::direct), 0U);
  const Region last = halo_arrivals(grid, context.rank(), box(1), Corners::staged).back();
  EXPECT_EQ(last.sink, (Box{{-1, 0, 7}, {6, 6, 8}}));
  EXPECT_EQ(last.source, (Box{{-1, 0, 0}, {6, 6, 1}}));
  EXPECT_EQ(last.phase, 2);
  EXPECT_EQ(last.face, z_high);
}

}  // namespace
}  // namespace sc::test
