// SPDX-License-Identifier: Apache-2.0
// The parcels of the halo plans of all items.
#include "engine/move/parcels/halo_parcels.hpp"

#include <algorithm>

#include "engine/base/error.hpp"
#include "engine/field/far.hpp"
#include "engine/move/parcels/route.hpp"

namespace sc {

namespace {

void check_item(const Grid& grid, const HaloItem& item) {
  const std::string name = "field \"" + item.storage->name() + "\"";
  if (!(item.storage->grid() == grid))
    refuse(name + " lives on another grid than the others of its halo exchange");
  if (item.reach.width > grid.halo())
    refuse(name + " is read " + std::to_string(item.reach.width) + " cells away, its grid has a halo of " +
           std::to_string(grid.halo()));
}

/// Whether data for a neighbour passes through this node's memory only. Small pieces gain nothing there.
bool within_node(Context& context, const HaloItem& item, int peer) {
  if (item.storage->space() == Space::device) return false;
  return context.options().transport != TransportPolicy::delayed && context.node_rank_of(peer) >= 0;
}

/// Whether slabs of a field in far memory contain the cells beyond both faces across an axis.
bool found_in_slab(const Grid& grid, int axis) { return axis < 2 && grid.split()[axis] == 1; }

/// The regions of an item that are sent, or received.
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

/// One route for each item; for a field in far memory one for each face, from strip to strip.
struct Legs {
  std::vector<Route> routes;
  std::vector<std::vector<Region>> arrivals, departures;
  std::vector<std::size_t> cell_bytes;

  void add(const Grid& grid, const HaloItem& item, Corners corners, Storage& from, Storage& to, int face) {
    routes.emplace_back(from, to);
    cell_bytes.push_back(static_cast<std::size_t>(item.storage->components()) * from.cell_bytes());
    for (const bool leaving : {false, true}) {
      std::vector<Region> regions = regions_of(grid, item, corners, leaving);
      if (face >= 0)
        std::erase_if(regions, [&](const Region& r) {
          return 2 * r.face.axis + r.face.side != face || found_in_slab(grid, r.face.axis);
        });
      (leaving ? departures : arrivals).push_back(std::move(regions));
    }
  }
};

}  // namespace

Parcels halo_parcels(const Grid& grid, std::vector<HaloItem> items, const HaloOptions& options) {
  const bool on_device = !items.empty() && items.front().storage->space() == Space::device;
  // Staged corners are impossible: a strip does not hold cells that an earlier phase brought to another
  // strip.
  const bool by_strips = std::ranges::any_of(items, [](const HaloItem& item) { return item.storage->far(); });
  const Corners corners = by_strips ? Corners::direct : options.corners;
  Parcels all;
  Legs legs;
  for (HaloItem& item : items) {
    check_item(grid, item);
    // A device copies whole boxes: the cells of other colours have the same values at both ends.
    if (on_device) item.lattice = {};
    const Far* far = item.storage->far();
    if (!far) legs.add(grid, item, corners, *item.storage, *item.storage, -1);
    // The halo beyond a face comes from own cells beside the peer's opposite face.
    for (int face = 0; far && face < 6; ++face)
      legs.add(grid, item, corners, *far->own()[static_cast<std::size_t>(face ^ 1)].cells,
               *far->halo()[static_cast<std::size_t>(face)].cells, face);
  }
  all.routes = std::move(legs.routes);
  const auto near = [&](const Region& region) {
    return std::ranges::all_of(
        items, [&](const HaloItem& item) { return within_node(grid.context(), item, region.peer); });
  };
  for (auto* both : {&legs.arrivals, &legs.departures})
    for (std::size_t item = 0; item < both->size(); ++item)
      for (Region& region : (*both)[item])
        if (near(region) && !narrow(region.source, legs.cell_bytes[item]))
          region.piece_bytes = options.near_piece_bytes;
  const std::size_t piece_bytes = on_device ? options.device_piece_bytes : options.piece_bytes;
  all.departures = make_parcels(legs.departures, legs.cell_bytes, piece_bytes);
  all.arrivals = make_parcels(legs.arrivals, legs.cell_bytes, piece_bytes);
  return all;
}

}  // namespace sc
