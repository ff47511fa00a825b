// SPDX-License-Identifier: Apache-2.0
// Budget: memory and traffic of the dendrite's step, as engine/stage/slabs organises it.
#include "solvers/dendrite/budget.hpp"

#include <algorithm>
#include <cstdio>

#include "engine/base/error.hpp"
#include "engine/field/far.hpp"
#include "engine/move/stream/slab_stream.hpp"
#include "engine/overlap/window_slabs.hpp"

namespace sc::dendrite {

namespace {

/// Cells of the strips that are copied with the slabs of one array. In a pass of several steps the planes
/// between slabs are copied from slot to slot, with their halos.
struct StripCells {
  std::int64_t own = 0, halo = 0;  ///< in the strips
  std::int64_t brought = 0;        ///< copied to the halos of all slabs
};
StripCells strip_cells(const Grid& grid, int pieces, bool passes) {
  const StripBoxes boxes = strip_boxes(grid);
  const int planes = grid.own().extent().z;
  StripCells cells;
  for (const Box& box : boxes.own) cells.own += box.cells();
  for (Box box : boxes.halo) {
    cells.halo += box.cells();
    for (int piece = 0; piece < pieces; ++piece) {
      const int below = passes && piece > 0 ? 0 : grid.halo(2);
      const int above = passes && piece + 1 < pieces ? 0 : grid.halo(2);
      Box near = box;
      near.lo.z = std::max(box.lo.z, int(std::int64_t{planes} * piece / pieces) - below);
      near.hi.z = std::min(box.hi.z, int(std::int64_t{planes} * (piece + 1) / pieces) + above);
      cells.brought += near.cells();
    }
  }
  return cells;
}

/// The arrays of a step, one for each component: numbers of those read (with planes around) and written.
struct Arrays {
  std::int64_t element, read, written, cells;
  std::int64_t all() const { return read + written; }
};
Arrays arrays_of(const Grid& grid, const DendriteOptions& o) {
  return {.element = std::int64_t{o.single ? 4 : 8},
          .read = o.rotated() ? 6 : 2,
          .written = 2,
          .cells = grid.layout().elements};
}

Budget in_memory(const Grid& grid, const DendriteOptions& o) {
  const Arrays a = arrays_of(grid, o);
  const std::int64_t bytes =
      o.space == Space::device ? a.element : 8;  // fields on the host take 8 bytes an element
  Budget budget;
  budget.near = a.all() * a.cells * bytes;
  return budget;
}

/// Number of steps in a pass, for fields at this place.
int length_of(const DendriteOptions& o, Where where) {
  return where == Where::memory ? 1 : o.engine.steps_per_pass;
}

/// For a pass of several steps.
WindowSlabs::Planes planes_of(const DendriteOptions& o, int length) {
  return {.most_behind = o.reach() * (length - 1), .reach = o.reach()};
}
/// Of a piece, for fields at this place. A condition across z fills the whole halo from one piece.
int least_planes(const DendriteOptions& o, Where where) {
  const int length = length_of(o, where);
  return length > 1 ? planes_of(o, length).least(Boundary::usual_inward) : o.reach();
}

PlaneCut cut_of(const Grid& grid, const Arrays& a, Where where, int pieces) {
  return {grid.own().extent().z, static_cast<std::size_t>(grid.layout().sz * a.element), pieces,
          where == Where::files ? FileMemory::page : std::size_t{1}};
}

/// What single steps copy, whose halo is `reach` layers wide, without strips.
Budget::Singles singles_of(const Grid& grid, const Arrays& a, Where where, int pieces, int reach) {
  const Grid narrow(
      grid.context(),
      {.cells = grid.cells(), .periodic = grid.periodic(), .halo = reach, .split = grid.split()});
  const PlaneCut cut = cut_of(narrow, a, where, pieces);
  return {.read = a.read * cut.moved(reach), .written = a.written * cut.moved()};
}

/// With `pieces` pieces, of which at most `most_ahead` are prefetched.
Budget in_pieces(const Grid& grid, const DendriteOptions& o, Where where, int pieces, int most_ahead) {
  const bool files = where == Where::files;
  const Arrays a = arrays_of(grid, o);
  const PlaneCut cut = cut_of(grid, a, where, pieces);
  const int length = length_of(o, where);
  const StripCells strips = strip_cells(grid, pieces, length > 1);
  const std::int64_t kept = a.all() * a.element * (strips.own + strips.halo);
  auto slot = static_cast<std::size_t>(a.read) * cut.slot_bytes(grid.halo(2)) +
              static_cast<std::size_t>(a.written) * cut.slot_bytes(0);
  Budget budget;
  if (length > 1) {  // both time levels are in near memory in a pass
    budget.room = std::max(planes_of(o, length).below(), grid.halo(2));
    slot = std::max(slot, static_cast<std::size_t>(a.all()) * cut.slot_bytes(0, budget.room));
  }
  budget.where = where;
  budget.pieces = pieces;
  budget.ahead = std::min(most_ahead, files ? FileMemory::ahead(slot) : 1);
  const auto ring = static_cast<std::int64_t>(SlabStream::near_bytes(slot, budget.ahead, length > 1));
  budget.far = a.all() * cut.bytes();
  budget.read = a.read * cut.moved(length > 1 ? 0 : grid.halo(2)) / length;
  budget.written = a.written * cut.moved() / length;
  if (length > 1) budget.singles = singles_of(grid, a, where, pieces, o.reach());
  if (files) {
    // A piece for filling and measuring, and one for writing checkpoints, with a batch of that.
    constexpr std::int64_t batch = std::int64_t{4} << 20;
    const auto piece = static_cast<std::int64_t>(cut.most_bytes());
    budget.near = buffer_bytes(ring) + kept + 2 * piece + std::min(batch, piece);
  } else {
    budget.near = ring;
    budget.far += kept;
    budget.read += a.read * a.element * strips.brought / length;
    budget.written += a.written * a.element * strips.own / length;
  }
  return budget;
}

/// The ways to store the fields, best first, for a given memory.
std::vector<Budget> ways(const Grid& grid, const DendriteOptions& o) {
  const bool device = grid.context().device() != nullptr, overlaps = o.engine.strategy.overlaps;
  const Where far = device ? Where::host : Where::files;
  const int most = overlaps ? 1 << 20 : 0;
  const int pieces = std::clamp(grid.own().extent().z / least_planes(o, far), 1, most_pieces);
  std::vector<Budget> all;
  if (o.storage.where == Where::memory) all.push_back(in_memory(grid, o));
  for (int n = 1; n <= pieces; ++n)
    for (const int ahead : {most, std::min(most, 1)}) all.push_back(in_pieces(grid, o, far, n, ahead));
  return all;
}

/// Checks the thickness of the pieces in a pass.
void check_thickness(const Grid& grid, const DendriteOptions& o) {
  const int least = least_planes(o, o.storage.where), pieces = o.storage.pieces;
  const int planes = grid.own().extent().z / pieces, length = length_of(o, o.storage.where);
  if (!grid.context().any(pieces > 1 && planes < least)) return;
  const std::string sentence = "storage.pieces = " + std::to_string(pieces) +
                               " leaves pieces of fewer than " + std::to_string(least) + " planes, which ";
  if (length == 1) refuse(sentence + "scheme.divergence = \"fourth\" needs; take fewer pieces");
  refuse(sentence + "engine.steps_per_pass = " + std::to_string(length) +
         " needs; take fewer pieces or shorter passes");
}

}  // namespace

std::string Budget::describe() const {
  if (where == Where::memory) return "";
  const std::string cut = std::to_string(pieces) + (pieces == 1 ? " piece" : " pieces");
  std::string instead;
  if (singles.read > 0) {
    instead =
        "; single steps would copy about " + mebibytes(singles.read) + " and " + mebibytes(singles.written);
    char wait[32];
    std::snprintf(wait, sizeof wait, " in %.2g s", singles.seconds);
    if (singles.seconds > 0) instead += wait;
  }
  if (where == Where::host)
    return "fields on the host, " + mebibytes(far) + " a rank, pass through the device in " + cut + ": " +
           mebibytes(near) + " there, " + mebibytes(read) + " copied to it and " + mebibytes(written) +
           " back a step" + at_rate_of("link", *this) + instead;
  return "a rank has " + mebibytes(near) + " in memory, " + mebibytes(far) + " in files (" + cut + "), " +
         mebibytes(read) + " read and " + mebibytes(written) + " written a step" + at_rate_of("disk", *this) +
         instead;
}

Budget make_budget(const Grid& grid, const DendriteOptions& o) {
  Context& context = grid.context();
  const bool overlaps = o.engine.strategy.overlaps;
  const auto pieces = [&] {
    check_pieces(context, o.storage.pieces, grid.own().extent().z);
    check_thickness(grid, o);
    return in_pieces(grid, o, o.storage.where, o.storage.pieces, overlaps ? 1 << 20 : 0);
  };
  const std::string cells = "fields in planes of " + to_string(grid.own().extent()) + " cells need";
  Budget budget = planned<Budget>(context, o.storage, overlaps,
                                  {.in_memory = [&] { return in_memory(grid, o); },
                                   .in_pieces = pieces,
                                   .ways = [&] { return ways(grid, o); },
                                   .needs = context.device() ? cells : "this crystal needs"});
  budget.singles.seconds = budget.rate.seconds(budget.singles.read, budget.singles.written);
  return budget;
}

}  // namespace sc::dendrite
