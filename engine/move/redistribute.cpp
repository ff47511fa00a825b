// SPDX-License-Identifier: Apache-2.0
// Redistribute: the intersections of two decompositions.
#include "engine/move/redistribute.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "engine/base/error.hpp"

namespace sc {

namespace {

void check_pair(const Storage& from, const Storage& to) {
  const std::string what = "\"" + from.name() + "\" cannot be redistributed to \"" + to.name() + "\": ";
  if (&from == &to) refuse(what + "they are the same");
  if (&from.grid().context() != &to.grid().context()) refuse(what + "their grids are of different contexts");
  if (from.type() != to.type() || from.components() != to.components())
    refuse(what + "the element types or the numbers of components differ");
}

void check_cells(const Storage& from, const Storage& to) {
  check_pair(from, to);
  if (from.grid().cells() == to.grid().cells()) return;
  refuse("\"" + from.name() + "\" cannot be redistributed to \"" + to.name() + "\": the grids have " +
         to_string(from.grid().cells()) + " and " + to_string(to.grid().cells()) + " cells");
}

/// The cells of `mine`, a part of `giver`'s box in `from`, that lie in `theirs`, a part of `taker`'s box in
/// `to`.
Region overlap(const Grid& from, int giver, const Box& mine, const Grid& to, int taker, const Box& theirs,
               int peer) {
  const Box both = intersect(mine, theirs);
  const Int3 zero;
  return {.peer = peer,
          .source = both.shifted(zero - from.box_of(giver).lo),
          .sink = both.shifted(zero - to.box_of(taker).lo),
          .face = {}};
}

/// Cells of a slab, all of its planes, as a range of a flat array: a slab after the other, in a slab the rows
/// of each y, plane by plane.
Box flat(const Box& cells, const Grid& grid, int rank, int row) {
  if (cells.empty()) return {};
  const Int3 n = cells.extent();
  const int first = row * (cells.lo.z * grid.box_of(rank).extent().y + cells.lo.y * n.z);
  return {{first, 0, 0}, {first + row * n.y * n.z, 1, 1}};
}

/// Divides the regions of one chunk, for all peers, into parcels.
void add_parcels(const Context& context, const std::vector<Region>& regions, std::size_t cell_bytes,
                 const ChunkBytes& bytes, std::vector<Parcel>& out) {
  std::array<std::vector<Region>, 1> near, far;
  for (const Region& region : regions) {
    const bool same_node = context.shared_memory() && context.node_rank_of(region.peer) >= 0;
    if (!region.source.empty()) (same_node ? near : far)[0].push_back(region);
  }
  for (Parcel& parcel : make_parcels(near, {&cell_bytes, 1}, bytes.near)) out.push_back(std::move(parcel));
  for (Parcel& parcel : make_parcels(far, {&cell_bytes, 1}, bytes.far)) out.push_back(std::move(parcel));
}

/// Numbers the parcels of each pair of ranks, in the order in which both ends list them.
void number(std::vector<Parcel>& parcels) {
  std::map<int, int> count;
  for (Parcel& parcel : parcels) parcel.order = count[parcel.peer]++;
}

}  // namespace

Box Chunks::slab(Box box, int chunk) const {
  const int lo = box.lo[axis];
  const std::int64_t n = std::max(0, box.hi[axis] - lo);
  box.lo[axis] = lo + static_cast<int>(n * chunk / count);
  box.hi[axis] = lo + static_cast<int>(n * (chunk + 1) / count);
  return box;
}

Redistribute::Redistribute(Storage& from, Storage& to, std::size_t piece_bytes)
    : Redistribute(
          to, from.grid().context(),
          (check_cells(from, to),
           plan(from, to, {.leaving = {}, .arriving = {}, .piece_bytes = {piece_bytes, piece_bytes}}))) {}

Redistribute::Redistribute(Storage& from, Storage& to, const InChunks& chunks)
    : Redistribute(to, from.grid().context(), plan(from, to, chunks)) {}

Redistribute::Redistribute(Storage& to, Context& context, Plan plan)
    : Exchange(context, std::move(plan.parcels)),
      to_(to),
      leaves_(std::move(plan.leaves)),
      arrivals_(std::move(plan.arrivals)) {}

Redistribute::Plan Redistribute::plan(Storage& from, Storage& to, const InChunks& chunks) {
  check_pair(from, to);
  Context& context = from.grid().context();
  const int rank = context.rank();
  const auto leaving = [&](int giver, int i) { return chunks.leaving.slab(from.grid().box_of(giver), i); };
  const auto arriving = [&](int taker, int j) { return chunks.arriving.slab(to.grid().box_of(taker), j); };
  const std::size_t cell_bytes = static_cast<std::size_t>(from.components()) * size_of(from.type());
  const int row = chunks.slab_major_row;
  for (int peer = 0; row > 0 && peer < context.size(); ++peer)
    for (const Storage* one : {&from, &to})
      if (one->grid().layout_of(peer).elements > std::numeric_limits<int>::max())
        refuse("\"" + one->name() + "\" has more than 2^31 - 1 cells on rank " + std::to_string(peer) +
               ": use more ranks");
  Plan plan;
  plan.parcels.routes.emplace_back(from, to);
  std::vector<Parcel>&departures = plan.parcels.departures, &arrivals = plan.parcels.arrivals;
  plan.arrivals.resize(static_cast<std::size_t>(chunks.arriving.count));
  for (int i = 0; i < chunks.leaving.count; ++i) {
    for (int j = 0; j < chunks.arriving.count; ++j) {
      plan.leaves.push_back(static_cast<int>(departures.size()));
      std::vector<Region> out, in;
      for (int peer = 0; peer < context.size(); ++peer) {
        out.push_back(overlap(from.grid(), rank, leaving(rank, i), to.grid(), peer, arriving(peer, j), peer));
        in.push_back(overlap(from.grid(), peer, leaving(peer, i), to.grid(), rank, arriving(rank, j), peer));
        if (row == 0) continue;
        for (Region* one : {&out.back(), &in.back()}) {
          const bool leaves = one == &out.back();
          one->source = flat(one->source, from.grid(), leaves ? rank : peer, row);
          one->sink = flat(one->sink, to.grid(), leaves ? peer : rank, row);
          if (peer == rank) one->source = {};  // both ends take them from one place
        }
      }
      add_parcels(context, out, cell_bytes, chunks.piece_bytes, departures);
      auto first = static_cast<int>(arrivals.size());
      add_parcels(context, in, cell_bytes, chunks.piece_bytes, arrivals);
      while (first < static_cast<int>(arrivals.size()))
        plan.arrivals[static_cast<std::size_t>(j)].push_back(first++);
    }
  }
  plan.leaves.push_back(static_cast<int>(departures.size()));
  number(departures);
  number(arrivals);
  return plan;
}

/// Arrivals overwrite own cells of `to`, so reads of the old values must complete first.
void Redistribute::before_round() {
  to_.settle();
  to_.set_fresh(point);
}

void Redistribute::start_chunk(int chunk, int arriving) {
  begin();
  const auto [first, last] = departures_of(chunk, arriving);
  for (int piece = first; piece < last; ++piece) start(piece);
}

bool Redistribute::take_chunk(int chunk) {
  if (!under_way()) return false;
  const auto& arrivals = arrivals_of(chunk);
  progress(arrivals);
  return std::ranges::all_of(arrivals, [&](int n) { return arrived(n); });
}

void Redistribute::push() {
  if (under_way()) progress({});
}

}  // namespace sc
