// SPDX-License-Identifier: Apache-2.0
// Pass: the sums of engine/stage/slabs for the dendrite's step.
#include "solvers/dendrite/pass.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "engine/base/error.hpp"
#include "engine/field/far.hpp"
#include "engine/move/stream/slab_stream.hpp"

namespace sc::dendrite {

namespace {

/// Cells of the strips that come and go with the slabs of one array.
struct StripCells {
  std::int64_t own = 0, halo = 0;  ///< as kept
  std::int64_t brought = 0;        ///< the halo of every slab
};
StripCells strip_cells(const Grid& grid, int pieces) {
  const StripBoxes boxes = strip_boxes(grid);
  const int planes = grid.own().extent().z;
  StripCells cells;
  for (const Box& box : boxes.own) cells.own += box.cells();
  for (Box box : boxes.halo) {
    cells.halo += box.cells();
    for (int piece = 0; piece < pieces; ++piece) {
      Box near = box;
      near.lo.z = std::max(box.lo.z, int(std::int64_t{planes} * piece / pieces) - grid.halo());
      near.hi.z = std::min(box.hi.z, int(std::int64_t{planes} * (piece + 1) / pieces) + grid.halo());
      cells.brought += near.cells();
    }
  }
  return cells;
}

/// Of one rank in so many pieces: what engine/stage/slabs does with the step's stage.
Pass pass_of(const Grid& grid, const DendriteOptions& o, int pieces) {
  const std::int64_t element = o.single ? sizeof(float) : sizeof(double);
  const std::int64_t planes = grid.own().extent().z, plane = grid.layout().sz * element;
  const std::int64_t turns = o.turned() ? 4 : 0, read = 2 + turns, written = 2;
  const std::int64_t most = (planes + pieces - 1) / pieces;
  const StripCells strips = strip_cells(grid, pieces);
  // A slot has room for a plane below and one above; of these come the ones that other pieces have.
  const auto slot = static_cast<std::size_t>(plane * ((read + written) * most + 2 * read)) +
                    static_cast<std::size_t>(read) * SlabStream::tail_bytes;
  return {.pieces = pieces,
          .device = static_cast<std::int64_t>(SlabStream::near_bytes(slot, 1)),
          .host = (read + written) * (plane * most * pieces + element * (strips.own + strips.halo)),
          .there = read * (plane * (planes + 2 * (pieces - 1)) + element * strips.brought),
          .back = written * (plane * planes + element * strips.own)};
}

std::string mebibytes(std::int64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MiB", double(bytes) / (1 << 20));
  return text;
}

int fewest_pieces(const Grid& grid, const DendriteOptions& o) {
  const int planes = grid.own().extent().z;
  int pieces = 1;
  while (pieces < planes && pass_of(grid, o, pieces).device > o.pass.memory) ++pieces;
  const Pass least = pass_of(grid, o, pieces);
  const double needed = grid.context().max(double(least.device));
  if (grid.context().any(least.device > o.pass.memory)) {
    char mib[32];  // rounded up, so that the figure itself will do
    std::snprintf(mib, sizeof mib, "%.1f MiB", std::ceil(needed / (1 << 20) * 10) / 10);
    refuse("storage.memory is " + mebibytes(o.pass.memory) + " a rank; fields in planes of " +
           to_string(grid.own().extent()) + " cells need at least " + mib + " on the device");
  }
  return pieces;
}

}  // namespace

std::string Pass::describe() const {
  if (pieces == 0) return "";
  return "fields on the host, " + mebibytes(host) + " a rank, pass through the device in " +
         std::to_string(pieces) + (pieces == 1 ? " piece: " : " pieces: ") + mebibytes(device) + " there, " +
         mebibytes(there) + " copied to it and " + mebibytes(back) + " back a step";
}

Pass plan_pass(const Grid& grid, const DendriteOptions& o) {
  if (!o.pass.on) return {};
  const Context& context = grid.context();
  const int planes = grid.own().extent().z;
  const int pieces = o.pass.memory > 0 ? fewest_pieces(grid, o) : o.pass.pieces;
  context.agree(Exit::bad_input, pieces >= 1 && pieces <= planes
                                     ? ""
                                     : "storage.pieces is " + std::to_string(pieces) +
                                           "; it must be from 1 to " + std::to_string(planes) +
                                           ", the planes that rank " + std::to_string(context.rank()) +
                                           " has");
  return pass_of(grid, o, pieces);
}

}  // namespace sc::dendrite
