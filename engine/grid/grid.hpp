// SPDX-License-Identifier: Apache-2.0
// Grid: the global cells, the decomposition over ranks, the periodic axes, the halo width, and the memory
// layout that all fields of the grid share. A value type: copies are cheap and denote the same grid.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "engine/base/arena.hpp"
#include "engine/base/context.hpp"
#include "engine/grid/box.hpp"

namespace sc {

struct GridOptions {
  Int3 cells;
  Bool3 periodic = {};
  int halo = 1;
  /// Layers beyond the boundaries of an axis that is neither divided nor periodic, where no neighbour's cells
  /// are read; as many as `halo` if negative. Passes of several steps need wide halos only beside neighbours.
  int wall_halo = -1;
  Int3 split = {0, 0, 0};  ///< ranks along each axis; 0: chosen by the engine
  /// The first cell of every block along an axis, and the number of cells at the end; if empty, blocks are as
  /// equal as possible. Needs a split. Without a halo, blocks may be empty.
  std::array<std::vector<int>, 3> cuts = {};
  /// The axes along which ranks are numbered, the fastest first.
  std::array<int, 3> rank_order = {0, 1, 2};
};

/// Offsets in elements from own cell (0, 0, 0). Own cell x = 0 of every row is on a 64-byte boundary for
/// 8-byte elements.
struct Layout {
  std::ptrdiff_t sy = 0, sz = 0;  ///< elements between neighbours along y and z
  std::ptrdiff_t origin = 0;      ///< elements before own cell (0, 0, 0)
  std::ptrdiff_t elements = 0;    ///< of one component, padding included
  constexpr std::ptrdiff_t offset(Int3 c) const { return c.x + c.y * sy + c.z * sz; }
};

/// A run of cells along one axis of a rank's box with halo, all owned by one block.
struct Segment {
  int block = 0;          ///< number of the block along the axis
  int lo = 0, hi = 0;     ///< in this rank's local coordinates
  int shift = 0;          ///< local coordinate of the owner = this rank's local coordinate + shift
  int side = 0;           ///< -1 low halo, 0 own cells, +1 high halo
  bool physical = false;  ///< beyond a physical boundary, and filled by a boundary condition
};

class Grid {
 public:
  /// Throws Error (bad_input) for cells < 1, a split whose product is not the number of ranks, or a block
  /// next to a neighbour that is thinner than the halo. Without a halo blocks may be empty.
  Grid(Context& context, const GridOptions& options);

  Context& context() const { return *shape_->context; }
  Int3 cells() const { return shape_->options.cells; }
  Bool3 periodic() const { return shape_->options.periodic; }
  /// Layers beside neighbours, the most of all axes, and those of an axis.
  int halo() const { return shape_->options.halo; }
  int halo(int axis) const { return shape_->halos[axis]; }
  Int3 halos() const { return shape_->halos; }
  /// The fewest of all axes: no stage may read further.
  int least_halo() const { return std::min({shape_->halos.x, shape_->halos.y, shape_->halos.z}); }
  Int3 split() const { return shape_->options.split; }
  std::array<int, 3> rank_order() const { return shape_->options.rank_order; }
  /// Position of this rank's block, or of another rank's.
  Int3 coords() const { return coords_of(context().rank()); }
  Int3 coords_of(int rank) const;
  int rank_of(Int3 coords) const;

  /// Global cells of a rank; may be empty on coarsened grids.
  Box box_of(int rank) const;
  Box global_box() const { return box_of(context().rank()); }
  /// Own cells in local coordinates: [0, n) on every axis.
  Box own() const { return {{0, 0, 0}, global_box().extent()}; }
  /// Global position of own cell (0, 0, 0).
  Int3 origin() const { return global_box().lo; }
  const Layout& layout() const { return shape_->layout; }
  Layout layout_of(int rank) const;

  /// Whether the own box ends at a physical (not periodic) boundary at this face.
  bool physical(Face face) const;
  /// First and last cell of every block along an axis: cuts[b] <= cell < cuts[b + 1].
  const std::vector<int>& cuts(int axis) const { return shape_->cuts[static_cast<std::size_t>(axis)]; }
  /// The own cells of `rank` along an axis and `width` layers of halo on both sides, divided where the owner
  /// changes. A halo may extend past a thin neighbour (on coarsened grids). Empty for a rank without cells.
  std::vector<Segment> segments(int rank, int axis, int width) const {
    return segments(rank, axis, width, width);
  }
  std::vector<Segment> segments(int rank, int axis, int low, int high) const;

  /// A grid with these halo widths that has one cell for `factor` cells along each axis. Coarse cell I covers
  /// fine cells factor * I … factor * I + factor - 1 and belongs to the rank of the first.
  Grid coarsen(Int3 factor, int halo, int wall_halo = -1) const;
  /// The same cells on at most `ranks` of the ranks; the others own no cells.
  Grid on(int ranks) const;

  /// The memory of this grid's fields.
  const std::shared_ptr<Arena>& arena() const { return shape_->arena; }

  friend bool operator==(const Grid& a, const Grid& b) { return a.shape_ == b.shape_; }

 private:
  struct Shape {
    Context* context = nullptr;
    GridOptions options;
    std::array<std::vector<int>, 3> cuts;
    Int3 halos;
    Layout layout;
    std::shared_ptr<Arena> arena;
  };
  explicit Grid(std::shared_ptr<Shape> shape);

  std::shared_ptr<const Shape> shape_;
};

/// The split of `ranks` with the smallest halo; x faces, whose cells are not contiguous, count four times.
Int3 choose_split(Int3 cells, int ranks, int halo);

}  // namespace sc
