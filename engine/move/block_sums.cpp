// SPDX-License-Identifier: Apache-2.0
// BlockSums: windows of neighbours along a line overlap; each overlap is one parcel for each group of lines.
#include "engine/move/block_sums.hpp"

#include <algorithm>
#include <map>

#include "engine/base/index.hpp"

namespace sc {

namespace {

constexpr int whole_bundle = 64;  // adjacent lines

/// Groups of lines for one piece each: as many whole rows of lines as fit, or parts of a row.
std::vector<Box> groups_of(const Box& own, int axis, std::size_t line_bytes) {
  const int across = axis == 0 ? 1 : 0, other = axis == 2 ? 1 : 2;
  const Int3 n = own.extent();
  const int lines = std::max(1, static_cast<int>(eager_piece / line_bytes));
  const int rows = std::max(1, lines / n[across]);
  const int beside =
      rows > 1 || lines >= n[across] ? n[across] : std::max(1, lines / whole_bundle) * whole_bundle;
  std::vector<Box> all;
  for (int r = 0; r < n[other]; r += rows)
    for (int b = 0; b < n[across]; b += beside) {
      Box group = own;
      group.lo[other] = r;
      group.hi[other] = std::min(n[other], r + rows);
      group.lo[across] = b;
      group.hi[across] = std::min(n[across], b + beside);
      all.push_back(group);
    }
  return all;
}

/// Consecutive blocks of one rank in the window of another, as positions in both windows.
struct Overlap {
  int source, sink, count;
};

std::vector<Overlap> overlaps(const LineSystem& system, const BlockWindow& giver, const BlockWindow& taker) {
  std::vector<Overlap> all;
  for (int n = 0; n < taker.count; ++n) {
    const int there = giver.at(taker.first + n, system);
    const bool outside = n < taker.own || n >= taker.own + taker.own_count;
    if (!outside || there < giver.own || there >= giver.own + giver.own_count) continue;
    const bool follows = !all.empty() && all.back().sink + all.back().count == n &&
                         all.back().source + all.back().count == there;
    if (follows)
      ++all.back().count;
    else
      all.push_back({there, n, 1});
  }
  return all;
}

}  // namespace

BlockWindow block_window(const LineSystem& system, const std::vector<int>& cuts, int rank) {
  const int n = system.blocks();
  const int first = system.block_at(cuts[at(rank)]), end = system.block_at(cuts[at(rank) + 1]);
  int before = system.before() + 1, after = system.after();  // plus one: the end of the previous block
  if (system.cyclic()) {
    before = std::min(before, n - (end - first));
    after = std::min(after, n - (end - first) - before);
  } else {
    before = std::min(before, first);
    after = std::min(after, n - end);
  }
  return {first - before, before + (end - first) + after, before, end - first};
}

struct BlockSums::Parts {
  BlockWindow window;
  std::shared_ptr<Storage> storage;
  std::vector<Box> groups;
  std::vector<Box> departing;
  std::vector<std::size_t> arriving;
  Parcels parcels;
};

BlockSums::BlockSums(Context& context, Parts&& parts)
    : Exchange(context, std::move(parts.parcels)),
      window_(parts.window),
      storage_(std::move(parts.storage)),
      groups_(std::move(parts.groups)),
      departing_(std::move(parts.departing)),
      arriving_(std::move(parts.arriving)) {}

std::shared_ptr<BlockSums> BlockSums::make(const Grid& grid, int axis, const LineSystem& system,
                                           int systems) {
  const std::vector<int>& cuts = grid.cuts(axis);
  std::vector<BlockWindow> windows;
  for (int r = 0; r < grid.split()[axis]; ++r) windows.push_back(block_window(system, cuts, r));

  // A grid whose cells along the axis are the positions of all ranks' windows, one after another.
  GridOptions options{
      .cells = grid.cells(), .halo = 0, .split = grid.split(), .rank_order = grid.rank_order()};
  for (int a = 0; a < 3; ++a) options.cuts[at(a)] = grid.cuts(a);
  std::vector<int>& positions = options.cuts[at(axis)];
  positions.assign(1, 0);
  for (const BlockWindow& w : windows) positions.push_back(positions.back() + w.count);
  options.cells[axis] = positions.back();
  const Grid blocks(grid.context(), options);

  Parts parts;
  const Int3 me = grid.coords();
  parts.window = windows[at(me[axis])];
  parts.storage =
      std::make_shared<Storage>(blocks, "sums of blocks", ElementType::f64, 2 * systems, blocks.arena());
  parts.parcels.routes.emplace_back(*parts.storage, *parts.storage);
  int widest = 1;
  for (const BlockWindow& w : windows) widest = std::max(widest, w.count - w.own_count);
  const std::size_t cell_bytes = sizeof(double) * at(2 * systems);
  parts.groups = groups_of(grid.own(), axis, cell_bytes * at(widest));

  std::map<int, int> sent, received;  // number of parcels, by peer
  const auto add = [&](std::vector<Parcel>& list, std::map<int, int>& count, int peer, const Overlap& o,
                       std::size_t group) {
    Parcel parcel;
    parcel.peer = peer;
    parcel.order = count[peer]++;
    parcel.source = parcel.sink = parts.groups[group];
    parcel.source.lo[axis] = o.source;
    parcel.source.hi[axis] = o.source + o.count;
    parcel.sink.lo[axis] = o.sink;
    parcel.sink.hi[axis] = o.sink + o.count;
    parcel.bytes = at(static_cast<int>(parcel.source.cells())) * cell_bytes;
    Part part;
    part.source = parcel.source;
    part.sink = parcel.sink;
    parcel.parts.push_back(std::move(part));
    list.push_back(std::move(parcel));
  };
  for (std::size_t g = 0; g < parts.groups.size(); ++g)
    for (int r = 0; r < grid.split()[axis]; ++r) {
      if (r == me[axis]) continue;
      Int3 other = me;
      other[axis] = r;
      const int peer = grid.rank_of(other);
      for (const Overlap& o : overlaps(system, parts.window, windows[at(r)])) {
        add(parts.parcels.departures, sent, peer, o, g);
        const int first = (parts.window.first + o.source + system.blocks()) % system.blocks();
        Box cells = parts.groups[g];
        cells.lo[axis] = system.begin(first) - grid.origin()[axis];
        cells.hi[axis] = system.begin(first + o.count) - grid.origin()[axis];
        parts.departing.push_back(cells);
      }
      for (const Overlap& o : overlaps(system, windows[at(r)], parts.window)) {
        add(parts.parcels.arrivals, received, peer, o, g);
        parts.arriving.push_back(g);
      }
    }
  return std::shared_ptr<BlockSums>(new BlockSums(grid.context(), std::move(parts)));
}

std::size_t BlockSums::group_of(int arrival) const {
  return at(arrival) < arriving_.size() ? arriving_[at(arrival)] : groups_.size();
}

Box BlockSums::source(int piece) const {
  return at(piece) < departing_.size() ? departing_[at(piece)] : Box{};
}

}  // namespace sc
