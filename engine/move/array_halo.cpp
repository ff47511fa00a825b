// SPDX-License-Identifier: Apache-2.0
// ArrayHalo: regions of user arrays to send and receive, by direction.
#include "engine/move/array_halo.hpp"

#include <algorithm>
#include <limits>

#include "engine/base/index.hpp"

namespace sc {

namespace {

struct Run {
  int lo = 0, hi = 0;
};

void set(Box& box, Run& layers, int axis, Run to) {
  if (axis == most_dims - 1) {
    layers = to;
  } else {
    box.lo[axis] = to.lo;
    box.hi[axis] = to.hi;
  }
}

}  // namespace

ArrayHalo::ArrayHalo(Context& context, const ProcessGrid& processes, std::vector<UserArray> arrays,
                     std::vector<std::vector<int>> blocks, int outstanding, std::size_t piece_bytes)
    : context_(context),
      processes_(processes),
      arrays_(std::move(arrays)),
      blocks_(std::move(blocks)),
      outstanding_(outstanding),
      directions_(directions_of(processes.dims)) {
  Parcels parcels;
  std::vector<std::size_t> cell_bytes;
  for (const UserArray& a : arrays_) {
    Route& route = parcels.routes.emplace_back(CellMemory{a.own, a.strides[1], a.strides[2], a.strides[3]}, 1,
                                               a.cell_bytes);
    route.places = a.places;
    cell_bytes.push_back(a.cell_bytes);
  }
  groups_.emplace_back();
  for (const Ints4& d : directions_)
    for (int n = 0; n < outstanding_; ++n) groups_.push_back({.direction = d});
  std::vector<std::vector<Region>> departures(arrays_.size()), arrivals(arrays_.size());
  const auto add = [&](const Ints4& direction, int group) {
    add_regions(context.rank(), direction, group, true, departures);
    add_regions(context.rank(), direction, group, false, arrivals);
  };
  for (const Ints4& d : directions_) add(d, all);
  for (std::size_t g = 1; g < groups_.size(); ++g) add(groups_[g].direction, static_cast<int>(g));
  parcels.departures = make_parcels(departures, cell_bytes, piece_bytes);
  parcels.arrivals = make_parcels(arrivals, cell_bytes, piece_bytes);
  for (std::size_t i = 0; i < parcels.departures.size(); ++i)
    groups_[at(parcels.departures[i].group)].departures.push_back(static_cast<int>(i));
  for (std::size_t i = 0; i < parcels.arrivals.size(); ++i)
    groups_[at(parcels.arrivals[i].group)].arrivals.push_back(static_cast<int>(i));
  exchange_ = std::make_unique<Exchange>(context, std::move(parcels));
}

/// The regions that `rank` sends in a direction, or receives from the rank on the opposite side.
void ArrayHalo::add_regions(int rank, const Ints4& direction, int group, bool leaving,
                            std::vector<std::vector<Region>>& out) const {
  Ints4 back = direction;
  for (int& component : back) component = -component;
  const int peer = processes_.neighbour(rank, leaving ? direction : back);
  if (peer < 0) return;
  const int sender = leaving ? rank : peer;
  const bool whole = group == all && in_place(sender, peer, direction);
  for (std::size_t n = 0; n < arrays_.size(); ++n) {
    Region r = region(arrays_[n], sender, direction);
    if (r.source.empty() || r.layers.count == 0) continue;
    r.peer = peer;
    r.group = group;
    r.in_place = whole;
    if (context_.node_rank_of(peer) >= 0 && group == all && !narrow(r.source, arrays_[n].cell_bytes))
      r.piece_bytes = std::numeric_limits<std::size_t>::max();
    for (int i = 0; i < most_dims; ++i) {  // taken from the first array, so that all arrays share a message
      const int a = arrays_[0].split_over[at(i)];
      if (a >= 0 && direction[at(a)] != 0) r.face = {std::min(i, 2), direction[at(a)] > 0 ? 0 : 1};
    }
    out[n].push_back(r);
  }
}

bool ArrayHalo::in_place(int sender, int peer, const Ints4& direction) const {
  if (peer == context_.rank()) return true;
  return context_.shared_memory() && context_.node_rank_of(peer) >= 0 &&
         std::ranges::all_of(arrays_, [&](const UserArray& array) {
           return array.places[0].arena && array.places[0].arena->shared() &&
                  !narrow(region(array, sender, direction).source, array.cell_bytes);
         });
}

/// The cells that `sender` sends to its neighbour in `direction`; empty if the array has no halo there.
Region ArrayHalo::region(const UserArray& array, int sender, const Ints4& direction) const {
  const Ints4 from = processes_.coords_of(sender);
  const Ints4 to = processes_.coords_of(processes_.neighbour(sender, direction));
  Region r;
  Ints4 met{};
  Run source_layers, sink_layers;
  for (int i = 0; i < most_dims; ++i) {
    const int a = array.split_over[at(i)];
    const int d = a >= 0 ? direction[at(a)] : 0;
    const int n_from = a >= 0 ? blocks_[at(a)][at(from[at(a)])] : array.cells[at(i)];
    const int n_to = a >= 0 ? blocks_[at(a)][at(to[at(a)])] : array.cells[at(i)];
    Run source{0, n_from}, sink{0, n_to};
    if (d > 0) {
      source.lo = n_from - array.low[at(i)];
      sink = {-array.low[at(i)], 0};
    } else if (d < 0) {
      source.hi = array.high[at(i)];
      sink = {n_to, n_to + array.high[at(i)]};
    }
    if (a >= 0) met[at(a)] = 1;
    set(r.source, source_layers, i, source);
    set(r.sink, sink_layers, i, sink);
  }
  r.layers = {source_layers.lo, sink_layers.lo, source_layers.hi - source_layers.lo};
  for (int a = 0; a < processes_.dims; ++a)
    if (direction[at(a)] != 0 && !met[at(a)]) r.layers.count = 0;  // the array is not divided along it
  return r;
}

int ArrayHalo::group(const Ints4& direction, int number) const {
  const auto found = std::find(directions_.begin(), directions_.end(), direction);
  return 1 + static_cast<int>(found - directions_.begin()) * outstanding_ + number;
}

std::vector<Part> ArrayHalo::clipped(const Parcel& parcel, const Ints4& direction,
                                     const CellRange& range) const {
  std::vector<Part> parts;
  for (Part part : parcel.parts) {
    const UserArray& array = arrays_[at(part.item)];
    for (int i = 0; i < most_dims; ++i) {
      const int a = array.split_over[at(i)];
      if (a < 0 || direction[at(a)] != 0) continue;
      const bool last = i == most_dims - 1;
      const int old_lo = last ? part.layers.source : part.source.lo[i];
      const int old_hi = last ? old_lo + part.layers.count : part.source.hi[i];
      const int lo = std::max(old_lo, range.lo[at(a)]), hi = std::max(lo, std::min(old_hi, range.hi[at(a)]));
      if (last) {
        part.layers = {lo, part.layers.sink + lo - old_lo, hi - lo};
      } else {
        part.sink.lo[i] += lo - old_lo;
        part.sink.hi[i] += hi - old_hi;
        part.source.lo[i] = lo;
        part.source.hi[i] = hi;
      }
    }
    if (!part.source.empty() && part.layers.count > 0) parts.push_back(part);
  }
  return parts;
}

void ArrayHalo::isend(int group, const CellRange* range) {
  const Group& g = groups_[at(group)];
  if (!range) return exchange_->isend(g.departures);
  for (const int i : g.departures) {
    const std::vector<Part> parts = clipped(exchange_->departures()[at(i)].parcel, g.direction, *range);
    exchange_->isend(i, &parts);
  }
}

void ArrayHalo::irecv(int group, const CellRange* range) {
  const Group& g = groups_[at(group)];
  for (const int i : g.arrivals) {
    if (!range) {
      exchange_->irecv(i);
      continue;
    }
    const std::vector<Part> parts = clipped(exchange_->arrivals()[at(i)].parcel, g.direction, *range);
    exchange_->irecv(i, &parts);
  }
}

bool ArrayHalo::sent(int group) {
  bool all_sent = true;
  for (const int i : groups_[at(group)].departures) all_sent = exchange_->sent(i) && all_sent;
  return all_sent;
}

bool ArrayHalo::received(int group) {
  bool all_received = true;
  for (const int i : groups_[at(group)].arrivals) all_received = exchange_->received(i) && all_received;
  return all_received;
}

void ArrayHalo::rebind(const std::vector<std::byte*>& own) {
  std::vector<CellMemory> cells;
  for (std::size_t n = 0; n < arrays_.size(); ++n) {
    arrays_[n].own = own[n];
    cells.push_back({own[n], arrays_[n].strides[1], arrays_[n].strides[2], arrays_[n].strides[3]});
  }
  exchange_->rebind(cells);
}

}  // namespace sc
