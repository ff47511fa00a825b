// SPDX-License-Identifier: Apache-2.0
// Budget: the sums of a step, stage by stage, as engine/stage/slabs and solved_lines copy.
#include "solvers/compressible/budget.hpp"

#include <algorithm>

#include "engine/exec/line_system.hpp"
#include "engine/field/far.hpp"
#include "engine/move/stream/slab_stream.hpp"
#include "solvers/compressible/kernels.hpp"

namespace sc::compressible {

namespace {

constexpr int block = LineSystem::usual_block;
constexpr int conserved = 5, slopes = 9, shown = 9;

/// Arrays, a component each, that a run of a stage reads with planes around its pieces, reads, and writes.
struct StreamedArrays {
  int around = 0, read = 0, written = 0;
  StreamedArrays& operator+=(const StreamedArrays& m) {
    around += m.around;
    read += m.read;
    written += m.written;
    return *this;
  }
  friend StreamedArrays operator*(int times, StreamedArrays m) {
    return {times * m.around, times * m.read, times * m.written};
  }
};

/// Lines along `axis` of fields of which so many arrays are read around their cells, and so many at them.
StreamedArrays lines(const Grid& grid, int axis, int around, int at, int updated, int written) {
  const bool along_z = axis == 2;
  const int times = along_z || grid.split()[axis] > 1 ? 2 : 1;
  StreamedArrays all{along_z ? around : 0, at + (along_z ? 0 : around), 0};
  all = times * all;
  return all += {0, updated, updated + written};
}

/// Of a step.
StreamedArrays streamed(const Grid& grid, const CompressibleOptions& o) {
  const bool viscous = o.gas.viscosity > 0;
  StreamedArrays rates;
  for (int axis = 0; axis < 3; ++axis) {
    const bool first = axis == 0;
    if (viscous) rates += lines(grid, axis, state_size, 0, 0, slopes / 3);
    rates += lines(grid, axis, state_size + (viscous ? slopes : 0), 0, first ? 0 : conserved,
                   first ? conserved : 0);
  }
  if (o.forcing.power > 0) rates += {0, 2 * state_size + conserved, conserved};
  StreamedArrays all = 4 * rates;
  all += {0, 4 * 2 * conserved + 2 * conserved, 4 * (conserved + state_size)};  // updates
  all += {0, state_size, 0};                                                    // limits
  if (!(o.filter > 0)) return all;
  for (int axis = 0; axis < 3; ++axis) all += lines(grid, axis, conserved, 0, 0, conserved);
  return all += {0, conserved + 2 * state_size, state_size};  // state, kinetic energy before and after
}

std::int64_t arrays(const CompressibleOptions& o) {
  return conserved * (o.filter > 0 ? 4 : 3) + state_size + slopes + shown;
}

std::int64_t strip_cells(const Grid& grid) {
  const StripBoxes boxes = strip_boxes(grid);
  std::int64_t cells = 0;
  for (std::size_t face = 0; face < 6; ++face) cells += boxes.own[face].cells() + boxes.halo[face].cells();
  return cells;
}

/// Sums of the blocks of lines: shared along z, of each stage where ranks divide an axis.
std::int64_t sums_bytes(const Grid& grid, const CompressibleOptions& o) {
  constexpr int gradient = 3;
  const int flux = o.gas.viscosity > 0 ? 6 : 9;
  const int all = flux + gradient + (o.filter > 0 ? conserved : 0);
  const std::int64_t a_system = 2 * sizeof(double) * grid.own().cells() / block;
  std::int64_t bytes = 0;
  for (int axis = 0; axis < 3; ++axis) {
    // A rank's window of a divided line is at most the whole line.
    if (grid.split()[axis] > 1)
      bytes += all * a_system * grid.split()[axis];
    else if (axis == 2)
      bytes += flux * a_system;
  }
  return bytes;
}

/// A component near, its pencils and modes, and what is kept of every mode.
std::int64_t spectrum_bytes(const Grid& grid, const CompressibleOptions& o) {
  const Int3 n = o.cells;
  const std::int64_t ranks = grid.context().size();
  const std::int64_t points = (std::int64_t{n.x} * n.y * n.z + ranks - 1) / ranks;
  const std::int64_t modes = (std::int64_t{n.x / 2 + 1} * n.y * n.z + ranks - 1) / ranks;
  return 8 * (grid.layout().elements + points) + (2 * 16 + 24) * modes;
}

Budget in_memory(const Grid& grid, const CompressibleOptions& o) {
  Budget budget;
  budget.near =
      arrays(o) * 8 * grid.layout().elements + spectrum_bytes(grid, o);  // segments for elements of 8 bytes
  return budget;
}

/// In so many pieces, of which at most so many are read ahead.
Budget in_pieces(const Grid& grid, const CompressibleOptions& o, int pieces, int most_ahead) {
  const std::int64_t element = o.single ? 4 : 8;
  const PlaneCut cut{grid.own().extent().z, static_cast<std::size_t>(grid.layout().sz * element), pieces,
                     FileMemory::page, block};
  const bool viscous = o.gas.viscosity > 0;
  const std::size_t around = cut.slot_bytes(grid.halo(2)), at = cut.slot_bytes(0);
  const auto flux = (state_size + (viscous ? slopes : 0)) * around + conserved * at;
  Budget budget;
  budget.pieces = pieces;
  budget.slot = std::max(flux, (state_size + slopes + shown) * at);
  budget.ahead = std::min(most_ahead, FileMemory::ahead(budget.slot));
  const StreamedArrays step = streamed(grid, o);
  budget.far = arrays(o) * cut.bytes();
  budget.read = step.around * cut.moved(grid.halo(2)) + step.read * cut.moved();
  budget.written = step.written * cut.moved();
  // Pieces as they are filled, looked at and written to a checkpoint, which goes in batches.
  constexpr std::int64_t batch = std::int64_t{4} << 20;
  const std::int64_t handled = 2 * conserved * static_cast<std::int64_t>(cut.most_bytes()) + batch;
  const auto ring = static_cast<std::int64_t>(SlabStream::near_bytes(budget.slot, budget.ahead));
  budget.near = buffer_bytes(ring) + arrays(o) * element * strip_cells(grid) + sums_bytes(grid, o) +
                spectrum_bytes(grid, o) + handled;
  return budget;
}

int most_ahead(const CompressibleOptions& o) { return o.engine.strategy.overlaps ? 1 << 20 : 0; }

/// For a given memory, best first.
std::vector<Budget> ways(const Grid& grid, const CompressibleOptions& o) {
  std::vector<Budget> all;
  if (o.storage.where == Where::memory) all.push_back(in_memory(grid, o));
  for (int n = 1; n <= std::min(most_pieces, grid.own().extent().z / block); ++n)
    for (const int ahead : {most_ahead(o), std::min(most_ahead(o), 1)})
      all.push_back(in_pieces(grid, o, n, ahead));
  return all;
}

}  // namespace

std::string Budget::describe() const {
  if (!in_files()) return "";
  return "a rank has " + mebibytes(near) + " in memory, " + mebibytes(far) + " in files (" +
         std::to_string(pieces) + (pieces == 1 ? " piece), " : " pieces), ") + mebibytes(read) +
         " read and " + mebibytes(written) + " written a step" + at_rate_of("disk", *this);
}

Budget make_budget(const Grid& grid, const CompressibleOptions& o) {
  const auto pieces = [&] {
    check_pieces(grid.context(), o.storage.pieces, grid.own().extent().z / block,
                 "blocks of " + std::to_string(block) + " planes");
    return in_pieces(grid, o, o.storage.pieces, most_ahead(o));
  };
  return planned<Budget>(grid.context(), o.storage, o.engine.strategy.overlaps,
                         {.in_memory = [&] { return in_memory(grid, o); },
                          .in_pieces = pieces,
                          .ways = [&] { return ways(grid, o); },
                          .needs = "this flow needs"});
}

}  // namespace sc::compressible
