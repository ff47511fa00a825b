// SPDX-License-Identifier: Apache-2.0
// HaloExchange: the parcels of the halo plan of every item.
#include "engine/move/halo_exchange.hpp"

#include <algorithm>

#include "engine/base/error.hpp"

namespace sc {

namespace {

constexpr std::size_t largest_piece = std::size_t{1} << 30;  // MPI counts are int

void check_item(const Grid& grid, const HaloItem& item) {
  const std::string name = "field \"" + item.storage->name() + "\"";
  if (!(item.storage->grid() == grid))
    refuse(name + " lives on another grid than the others of its halo exchange");
  if (item.reach.width > grid.halo())
    refuse(name + " is read " + std::to_string(item.reach.width) + " cells away, its grid has a halo of " +
           std::to_string(grid.halo()));
}

/// Whether a neighbour's halo is copied straight out of this rank's cells.
bool in_place(Context& context, const HaloItem& item, int peer) {
  if (item.storage->space() == Space::device || item.storage->external().base) return false;
  if (peer == context.rank()) return true;
  return context.options().transport == TransportPolicy::automatic && context.shared_memory() &&
         context.node_rank_of(peer) >= 0;
}

/// What of an item travels in one direction.
std::vector<Region> regions_of(const Grid& grid, const HaloItem& item, Corners corners, bool leaving) {
  const ExternalCells& external = item.storage->external();
  const Sides sides{external.low, external.high};
  std::vector<Region> regions = (leaving ? halo_departures : halo_arrivals)(
      grid, grid.context().rank(), item.reach, corners, external.base ? &sides : nullptr);
  for (Region& region : regions) {
    region.lattice = item.lattice;
    region.global = (leaving ? grid.origin() : grid.box_of(region.peer).lo) + region.source.lo;
  }
  return regions;
}

Parcels parcels_of(const Grid& grid, std::vector<HaloItem>& items, const HaloOptions& options) {
  const bool on_device = !items.empty() && items.front().storage->space() == Space::device;
  Parcels all;
  std::vector<std::size_t> cell_bytes;
  std::vector<std::vector<Region>> arrivals, departures;
  for (HaloItem& item : items) {
    check_item(grid, item);
    // A device copies whole boxes: cells of the other colours are the same at both ends.
    if (on_device) item.lattice = {};
    all.routes.emplace_back(*item.storage, *item.storage);
    cell_bytes.push_back(static_cast<std::size_t>(item.storage->components()) * item.storage->cell_bytes());
    arrivals.push_back(regions_of(grid, item, options.corners, false));
    departures.push_back(regions_of(grid, item, options.corners, true));
  }
  for (auto* both : {&arrivals, &departures})
    for (std::vector<Region>& regions : *both)
      for (Region& region : regions)
        if (std::all_of(items.begin(), items.end(),
                        [&](const HaloItem& item) { return in_place(grid.context(), item, region.peer); }))
          region.piece_bytes = options.near_piece_bytes;
  const std::size_t piece_bytes =
      std::min(on_device ? options.device_piece_bytes : options.piece_bytes, largest_piece);
  all.departures = make_parcels(departures, cell_bytes, piece_bytes);
  all.arrivals = make_parcels(arrivals, cell_bytes, piece_bytes);
  return all;
}

}  // namespace

HaloExchange::HaloExchange(const Grid& grid, std::vector<HaloItem> items, HaloOptions options)
    : Exchange(grid.context(), parcels_of(grid, items, options)), items_(std::move(items)) {}

}  // namespace sc
