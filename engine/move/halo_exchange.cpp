// SPDX-License-Identifier: Apache-2.0
// HaloExchange: the halo plan of every item, handed to a Carrier.
#include "engine/move/halo_exchange.hpp"

#include <algorithm>

#include "engine/base/error.hpp"
#include "engine/move/carrier.hpp"

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

}  // namespace

HaloExchange::HaloExchange(const Grid& grid, std::vector<HaloItem> items, HaloOptions options)
    : items_(std::move(items)) {
  const int rank = grid.context().rank();
  const bool on_device = !items_.empty() && items_.front().storage->space() == Space::device;
  // A device copies whole boxes: cells of the other colours are the same at both ends.
  if (on_device)
    for (HaloItem& item : items_) item.lattice = {};
  std::vector<Route> routes;
  std::vector<std::size_t> cell_bytes;
  std::vector<std::vector<Region>> arrivals, departures;
  const auto near = [&](int peer) {
    return std::all_of(items_.begin(), items_.end(),
                       [&](const HaloItem& item) { return in_place(grid.context(), item, peer); });
  };
  for (const HaloItem& item : items_) {
    check_item(grid, item);
    routes.emplace_back(*item.storage, *item.storage);
    cell_bytes.push_back(static_cast<std::size_t>(item.storage->components()) * item.storage->cell_bytes());
    const ExternalCells& external = item.storage->external();
    const Sides sides{external.low, external.high};
    const Sides* there_are = external.base ? &sides : nullptr;
    arrivals.push_back(halo_arrivals(grid, rank, item.reach, options.corners, there_are));
    departures.push_back(halo_departures(grid, rank, item.reach, options.corners, there_are));
    for (Region& region : arrivals.back()) {
      region.lattice = item.lattice;
      if (near(region.peer)) region.piece_bytes = options.near_piece_bytes;
      region.global = grid.box_of(region.peer).lo + region.source.lo;
    }
    for (Region& region : departures.back()) {
      region.lattice = item.lattice;
      if (near(region.peer)) region.piece_bytes = options.near_piece_bytes;
      region.global = grid.origin() + region.source.lo;
    }
  }
  const std::size_t piece_bytes =
      std::min(on_device ? options.device_piece_bytes : options.piece_bytes, largest_piece);
  carrier_ = std::make_unique<Carrier>(grid.context(), *this, std::move(routes),
                                       make_parcels(departures, cell_bytes, piece_bytes),
                                       make_parcels(arrivals, cell_bytes, piece_bytes));
}

HaloExchange::~HaloExchange() = default;

int HaloExchange::pieces() const { return carrier_->pieces(); }
void HaloExchange::start(int piece) { carrier_->start(piece); }
Box HaloExchange::source(int piece) const { return carrier_->source(piece); }
Box HaloExchange::sink(int piece) const { return carrier_->sink(piece); }
bool HaloExchange::test_others() { return carrier_->test_others(); }
void HaloExchange::wait_others() { carrier_->wait_others(); }
bool HaloExchange::to_self(int piece) const { return carrier_->to_self(piece); }
bool HaloExchange::copies_at_once() const { return carrier_->copies_at_once(); }
bool HaloExchange::test() { return carrier_->test(); }
void HaloExchange::wait() { carrier_->wait(); }
void HaloExchange::finish() { carrier_->finish(); }
std::int64_t HaloExchange::bytes() const { return carrier_->bytes(); }
bool HaloExchange::arrived(int piece) const { return carrier_->arrived(piece); }
std::string HaloExchange::describe() const { return carrier_->describe(); }
Traffic HaloExchange::traffic(Transport transport) const { return carrier_->traffic(transport); }

}  // namespace sc
