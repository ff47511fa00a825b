// SPDX-License-Identifier: Apache-2.0
// WindowPlan: which cells of several runs are computed together, so that a later run finds near what an
// earlier one has left. A value made from declarations and the geometry of a block: no memory, no clock.
// A run computes its block and, where there is a neighbour, as many layers beyond it as later runs read. A
// later run stays behind an earlier one by what it reads, so that tiles are skewed, as in time skewing:
//   run 0   |  tile 0  |  tile 1  |  tile 2  |
//   run 1   | tile 0 |  tile 1  |  tile 2    |
//   run 2   |tile 0|  tile 1  |  tile 2      |
// Shells, which wait for messages, grow inwards from every neighbour. The parts of two threads are trapezoids
// that become narrower, and an inverted one between them fills the gap (split tiling); in a block too narrow
// for parts, threads take rows of tiles in turn.
#pragma once

#include <array>
#include <vector>

#include "engine/grid/box.hpp"
#include "engine/stage/access.hpp"

namespace sc {

/// The access of a run of a window to an array: `reach` cells around its own.
struct WindowAccess {
  int array = 0;
  Mode mode = Mode::read;
  int reach = 0;
};
using WindowRuns = std::vector<std::vector<WindowAccess>>;  ///< in program order

/// What follows from the declarations alone, the same on all ranks.
struct Dependence {
  std::vector<int> beyond;  ///< of a run: layers beyond its block that later runs read
  std::vector<int> behind;  ///< of a run: number of cells by which it stays behind the first one
  std::vector<int> halo;    ///< of an array: layers read of its values before the window
  /// Distance from a neighbour within which the first run needs its halo, or overwrites cells that it may
  /// still read.
  int depth = 0;

  int most_behind() const;
  int most_halo() const;
};
Dependence dependence_of(const WindowRuns& runs, int arrays);

/// What is beyond a side of a block.
enum class Side {
  wall,      ///< nothing: no run computes there
  itself,    ///< its own cells, available at once
  neighbour  ///< cells that arrive in messages
};

struct WindowBlock {
  Box own;
  std::array<std::array<Side, 2>, 3> sides{};
  int margin =
      0;  ///< number of cells from a wall that its conditions read; in every run they are in one tile
  int threads = 1;     ///< each computes its own part if the block is wide enough
  bool apart = true;   ///< cells that need no neighbour's halo can be computed before
  bool slabs = false;  ///< along z it is processed slab by slab: threads divide y
  Int3 tile;           ///< rows along y and planes along z
  /// Whether any side needs messages.
  bool waits() const;
};

/// One side of a trapezoid in run n: `at + slope * behind[n]`, or the end of the run's cells.
struct Edge {
  int at = 0;
  int slope = 0;
  bool outer = true;
};
/// Cells of all runs, one box for each run: a trapezoid in space and time, or, with equal slopes, a
/// parallelogram.
struct Trapezoid {
  std::array<Edge, 3> lo, hi;
};

class WindowPlan {
 public:
  WindowPlan(Dependence dependence, const WindowBlock& block);

  /// Trapezoids that need no others, at most one for each thread; the inverted ones between them; and those
  /// that wait for messages. Each list is in order: a trapezoid may need previous ones.
  const std::vector<Trapezoid>& parts() const { return parts_; }
  const std::vector<Trapezoid>& inverted() const { return inverted_; }
  const std::vector<Trapezoid>& shells() const { return shells_; }
  /// Whether there are any.
  bool apart() const { return !shells_.empty(); }

  /// The boxes of run `run`: of all cells, of a trapezoid, and of a tile of it.
  Box cells(int run) const;
  Box cells(const Trapezoid& trapezoid, int run) const;
  Box cells(const Trapezoid& trapezoid, const Trapezoid& tile, int run) const;
  /// The portion of a trapezoid that is in a slab. Its edges along z, if it has any, are in the slab.
  static Trapezoid within(const Trapezoid& trapezoid, const Trapezoid& slab);
  /// Rows of tiles along z; to be computed in this order, all runs of a tile before the next. The planes that
  /// adjacent tiles share are then still in the cache. A row needs of the one before only tiles up to the
  /// same number, so that threads can compute several.
  std::vector<std::vector<Trapezoid>> tiles(const Trapezoid& trapezoid) const;
  int runs() const { return static_cast<int>(dependence_.behind.size()); }

 private:
  bool fits_apart(int axis) const;
  int depth(int axis, int side) const;
  Trapezoid interior() const;
  void divide(const Trapezoid& interior);
  void add_shells(const Trapezoid& interior);
  std::vector<int> cuts(const Trapezoid& trapezoid, int axis) const;

  Dependence dependence_;
  WindowBlock block_;
  int most_behind_;
  std::vector<Trapezoid> parts_, inverted_, shells_;
};

}  // namespace sc
