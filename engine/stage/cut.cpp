// SPDX-License-Identifier: Apache-2.0
// Cut: shell and core, from declarations and geometry.
#include "engine/stage/cut.hpp"

#include <algorithm>

#include "engine/base/align.hpp"
#include "engine/exec/line_geometry.hpp"
#include "engine/stage/stage.hpp"

namespace sc {

namespace {

/// Widths of the shell that inputs and outputs require. `beside`: for stages of lines that run along the
/// neighbour. They read the halo at their own ends only, where conditions may read along the face.
struct Margin {
  int read = 0, beside = 0, written = 0;
  int shell(bool lines) const { return std::max(lines ? beside : read, written); }
};

Margin margin_of(const Stage& stage) {
  Margin margin;
  auto demand = stage.demand()->begin();
  for (const Access& a : stage.accesses()) {
    const int tangential = a.field->boundaries().tangential_up_to(2);
    if (a.reach.width > 0) {
      margin.read = std::max(margin.read, a.margin + tangential);
      margin.beside = std::max(margin.beside, tangential);
    }
    if (demand->width > 0) margin.written = std::max(margin.written, demand->width + tangential);
    ++demand;
  }
  return margin;
}

/// The core reduced to whole units along x.
Box in_units(Box core, const Box& all, int cells) {
  if (core.lo.x > all.lo.x) core.lo.x = (core.lo.x + cells - 1) / cells * cells;
  if (core.hi.x < all.hi.x) core.hi.x = core.hi.x / cells * cells;
  return core;
}

/// Along x, rows of the shell are whole cache lines, and rows of the core begin with one, if the core keeps
/// at least half of its cells: a row of one cell takes as long as a row of eight. Lines along y and z are
/// computed in place only in whole bundles, and in copies otherwise, so there a third of the cells is enough.
Box aligned(const Box& core, const Box& all, const Stage& stage) {
  if (stage.whole_axis() > 0)
    if (const Box bundles = in_units(core, all, LineGeometry::lanes);
        3 * bundles.extent().x >= core.extent().x)
      return bundles;
  std::size_t bytes = cache_line;
  for (const Access& a : stage.accesses())
    if (a.mode != Mode::read) bytes = std::min(bytes, size_of(a.storage().type()));
  const Box whole = in_units(core, all, static_cast<int>(cache_line / bytes));
  return 2 * whole.extent().x >= core.extent().x ? whole : core;
}

}  // namespace

bool conditions_cross(const Stage& stage) {
  const auto& accesses = stage.accesses();
  return std::ranges::any_of(accesses, [](const Access& a) {
    const Boundaries& conditions = a.field->boundaries();
    return conditions.any() && (a.reach.diagonal > 0 || conditions.tangential_up_to(2) > 0);
  });
}

Cut cut_of(const Stage& stage, bool copies_at_once) {
  const Grid& grid = stage.grid();
  const Margin margin = margin_of(stage);
  const int whole = stage.whole_axis();
  Cut cut{.all = grid.own(), .core = grid.own(), .shell = {}};
  for (int axis = 0; axis < 3; ++axis) {
    const bool alone = grid.split()[axis] == 1;
    if (copies_at_once && alone && grid.periodic()[axis]) continue;
    if (axis == whole) {
      // A line is computed as a whole: along a periodic axis every line reads the halo at its ends.
      if (grid.periodic()[axis] && margin.read > 0) cut.core = Box{};
      continue;
    }
    if (alone && !grid.periodic()[axis]) continue;
    const int shell = margin.shell(whole >= 0);
    if (!grid.physical({axis, 0})) cut.core.lo[axis] += shell;
    if (!grid.physical({axis, 1})) cut.core.hi[axis] -= shell;
  }
  if (cut.core.empty()) cut.core = Box{};
  if (!stage.device() && !cut.core.empty() && whole != 0) cut.core = aligned(cut.core, cut.all, stage);
  if (!cut.all.empty()) cut.shell = subtract(cut.all, cut.core);
  return cut;
}

}  // namespace sc
