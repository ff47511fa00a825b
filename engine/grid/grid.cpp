// SPDX-License-Identifier: Apache-2.0
// Grid: decomposition, memory layout, and the owners of halo layers.
#include "engine/grid/grid.hpp"

#include "engine/base/align.hpp"
#include "engine/base/error.hpp"

namespace sc {

namespace {

constexpr int row_alignment = 8;  // elements; 64 bytes of doubles
constexpr const char* axis_names = "xyz";

std::vector<int> even_cuts(int cells, int blocks) {
  std::vector<int> cuts(static_cast<std::size_t>(blocks) + 1);
  for (int b = 0; b <= blocks; ++b)
    cuts[static_cast<std::size_t>(b)] = static_cast<int>(std::int64_t{cells} * b / blocks);
  return cuts;
}

Layout make_layout(Int3 n, Int3 halo) {
  const auto round_up = [](int v) { return sc::round_up(v, row_alignment); };
  Layout layout;
  // The left halo of a row lies in the padding behind the previous row.
  layout.sy = round_up(n.x + 2 * halo.x);
  layout.sz = layout.sy * (n.y + 2 * halo.y);
  layout.origin = round_up(halo.x) + halo.y * layout.sy + halo.z * layout.sz;
  layout.elements = round_up(halo.x) + layout.sz * (n.z + 2 * halo.z);
  return layout;
}

void check_options(const GridOptions& options, int ranks) {
  for (int a = 0; a < 3; ++a)
    if (options.cells[a] < 1)
      refuse("cells is " + to_string(options.cells) + "; every axis needs at least 1 cell");
  if (options.halo < 0 || options.halo > 64)
    refuse("halo is " + std::to_string(options.halo) + "; allowed is 0 to 64");
  if (options.wall_halo > options.halo)
    refuse("wall_halo is " + std::to_string(options.wall_halo) + "; allowed is up to the halo of " +
           std::to_string(options.halo));
  const Int3 s = options.split;
  if (s.x < 1 || s.y < 1 || s.z < 1 || std::int64_t{s.x} * s.y * s.z != ranks)
    refuse("split is " + to_string(s) + ", which does not multiply to the " + std::to_string(ranks) +
           " ranks of this run");
}

void check_cuts(const GridOptions& options) {
  for (int a = 0; a < 3; ++a) {
    const std::vector<int>& c = options.cuts[static_cast<std::size_t>(a)];
    if (c.empty()) continue;
    if (c.size() != static_cast<std::size_t>(options.split[a]) + 1 || c.front() != 0 ||
        c.back() != options.cells[a] || !std::is_sorted(c.begin(), c.end()))
      refuse(std::string("cuts along ") + axis_names[a] + " must be " + std::to_string(options.split[a] + 1) +
             " ascending numbers from 0 to " + std::to_string(options.cells[a]));
  }
}

void check_blocks(const GridOptions& options, const std::array<std::vector<int>, 3>& cuts) {
  for (int a = 0; a < 3; ++a) {
    const auto& c = cuts[static_cast<std::size_t>(a)];
    // Without a halo no neighbour's cells are read, so that a block may even be empty.
    const bool has_neighbour = options.halo > 0 && (options.split[a] > 1 || options.periodic[a]);
    for (std::size_t b = 0; has_neighbour && b + 1 < c.size(); ++b)
      if (c[b + 1] - c[b] < options.halo)
        refuse("split is " + to_string(options.split) + ": block " + std::to_string(b) + " along " +
               axis_names[a] + " has " + std::to_string(c[b + 1] - c[b]) + " cells, fewer than the halo of " +
               std::to_string(options.halo) + " its neighbour needs");
  }
}

}  // namespace

Int3 choose_split(Int3 cells, int ranks, int halo) {
  Int3 best{1, 1, ranks};
  double best_cost = -1;
  for (int px = 1; px <= ranks; ++px) {
    for (int py = 1; ranks % px == 0 && py <= ranks / px; ++py) {
      if (ranks / px % py != 0) continue;
      const Int3 p{px, py, ranks / px / py};
      bool fits = true;
      for (int a = 0; a < 3; ++a) fits = fits && (p[a] == 1 || cells[a] / p[a] >= std::max(1, halo));
      if (!fits) continue;
      const double nx = double(cells.x) / p.x, ny = double(cells.y) / p.y, nz = double(cells.z) / p.z;
      const double cost =
          (p.x > 1 ? 4 * ny * nz : 0) + (p.y > 1 ? 1.01 * nx * nz : 0) + (p.z > 1 ? nx * ny : 0);
      if (best_cost < 0 || cost < best_cost) {
        best = p;
        best_cost = cost;
      }
    }
  }
  return best;
}

Grid::Grid(Context& context, const GridOptions& options) {
  auto shape = std::make_shared<Shape>();
  shape->context = &context;
  shape->options = options;
  Int3& split = shape->options.split;
  if (split == Int3{0, 0, 0}) split = choose_split(options.cells, context.size(), options.halo);
  check_options(shape->options, context.size());
  check_cuts(shape->options);
  for (std::size_t a = 0; a < 3; ++a)
    shape->cuts[a] = options.cuts[a].empty()
                         ? even_cuts(options.cells[static_cast<int>(a)], split[static_cast<int>(a)])
                         : options.cuts[a];
  check_blocks(shape->options, shape->cuts);
  *this = Grid(shape);
}

Grid::Grid(std::shared_ptr<Shape> shape) : shape_(shape) {
  const GridOptions& options = shape->options;
  for (int a = 0; a < 3; ++a) {
    const bool beside_neighbours = options.split[a] > 1 || options.periodic[a] || options.wall_halo < 0;
    shape->halos[a] = beside_neighbours ? options.halo : options.wall_halo;
  }
  shape->layout = make_layout(own().hi, halos());
  shape->arena = std::make_shared<Arena>(context());
}

Int3 Grid::coords_of(int rank) const {
  Int3 coords;
  for (const int axis : shape_->options.rank_order) {
    coords[axis] = rank % split()[axis];
    rank /= split()[axis];
  }
  return coords;
}

int Grid::rank_of(Int3 c) const {
  const auto& order = shape_->options.rank_order;
  return c[order[0]] + split()[order[0]] * (c[order[1]] + split()[order[1]] * c[order[2]]);
}

Box Grid::box_of(int rank) const {
  const Int3 c = coords_of(rank);
  Box box;
  for (int a = 0; a < 3; ++a) {
    box.lo[a] = cuts(a)[static_cast<std::size_t>(c[a])];
    box.hi[a] = cuts(a)[static_cast<std::size_t>(c[a]) + 1];
  }
  return box;
}

bool Grid::physical(Face face) const {
  const Box box = global_box();
  if (periodic()[face.axis] || box.empty()) return false;
  return face.side == 0 ? box.lo[face.axis] == 0 : box.hi[face.axis] == cells()[face.axis];
}

std::vector<Segment> Grid::segments(int rank, int axis, int low, int high) const {
  std::vector<Segment> result;
  const Box theirs = box_of(rank);
  if (theirs.empty()) return result;
  const auto& cut = cuts(axis);
  const int n = cells()[axis];
  const int lo = theirs.lo[axis];
  for (int cell = lo - low; cell < theirs.hi[axis] + high; ++cell) {
    Segment s{.block = coords_of(rank)[axis], .lo = cell - lo, .hi = cell - lo + 1};
    s.side = cell < lo ? -1 : cell >= theirs.hi[axis] ? 1 : 0;
    s.physical = (cell < 0 || cell >= n) && !periodic()[axis];
    if (s.side != 0 && !s.physical) {
      const int inside = ((cell % n) + n) % n;
      s.block = static_cast<int>(std::upper_bound(cut.begin(), cut.end(), inside) - cut.begin()) - 1;
      s.shift = inside - cut[static_cast<std::size_t>(s.block)] - (cell - lo);
    }
    Segment* last = result.empty() ? nullptr : &result.back();
    const bool goes_on = last && last->side == s.side && last->physical == s.physical &&
                         last->block == s.block && last->shift == s.shift;
    if (goes_on)
      last->hi = s.hi;
    else
      result.push_back(s);
  }
  return result;
}

Layout Grid::layout_of(int rank) const { return make_layout(box_of(rank).extent(), halos()); }

Grid Grid::coarsen(Int3 factor, int halo, int wall_halo) const {
  auto shape = std::make_shared<Shape>(*shape_);
  shape->options.halo = halo;
  shape->options.wall_halo = wall_halo;
  for (int a = 0; a < 3; ++a) {
    shape->options.cells[a] = (cells()[a] + factor[a] - 1) / factor[a];
    for (int& cut : shape->cuts[static_cast<std::size_t>(a)]) cut = (cut + factor[a] - 1) / factor[a];
  }
  return Grid(shape);
}

Grid Grid::on(int ranks) const {
  auto shape = std::make_shared<Shape>(*shape_);
  // Halve the number of blocks along the axis with most of them until they fit. The remaining blocks come
  // first along each axis; the others are empty.
  Int3 used = split();
  while (std::int64_t{used.x} * used.y * used.z > std::max(1, ranks)) {
    int axis = 0;
    for (int a = 1; a < 3; ++a)
      if (used[a] >= used[axis]) axis = a;
    used[axis] = (used[axis] + 1) / 2;
  }
  for (int a = 0; a < 3; ++a) {
    auto& cuts = shape->cuts[static_cast<std::size_t>(a)];
    const auto some = even_cuts(cells()[a], used[a]);
    for (std::size_t b = 0; b < cuts.size(); ++b) cuts[b] = b < some.size() ? some[b] : cells()[a];
  }
  return Grid(shape);
}

}  // namespace sc
