// SPDX-License-Identifier: Apache-2.0
// Samples: every rank sends the corners that it owns; rank 0 puts them in order and interpolates.
#include "engine/move/output/samples.hpp"

#include <cstring>

#include "engine/grid/cells.hpp"
#include "engine/move/output/excerpt.hpp"
#include "engine/move/output/gather.hpp"

namespace sc {

namespace {

/// Neighbouring points along an axis, of which the first is corner `at`.
struct Run {
  int lo, hi, at;
};

/// The two corners of a place along an axis: one run, or two where a period ends or there is no next point.
std::vector<Run> runs_of(const GridPoints& points, int axis, int corner) {
  const int cells = points.grid.cells()[axis];
  if (points.periodic[axis] && corner + 1 == cells) return {{corner, corner + 1, 0}, {0, 1, 1}};
  if (corner + 1 == cells + points.layers) return {{corner, corner + 1, 0}, {corner, corner + 1, 1}};
  return {{corner, corner + 2, 0}};
}

double number_at(const std::byte* at, ElementType type) {
  if (type == ElementType::f64) {
    double value = 0;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  float value = 0;
  std::memcpy(&value, at, sizeof value);
  return value;
}

}  // namespace

Samples::Samples(const GridPoints& points, std::vector<Placed> places)
    : points_(points), places_(std::move(places)) {
  const Grid& grid = points.grid;
  const Context& context = grid.context();
  pieces_.resize(static_cast<std::size_t>(context.size()));
  for (int rank = 0; rank < context.size(); ++rank)
    if (rank == context.rank() || context.rank() == 0)
      pieces_[static_cast<std::size_t>(rank)] = pieces_of(rank);
  for (const Piece& piece : pieces_[static_cast<std::size_t>(context.rank())])
    boxes_.push_back(piece.box.shifted(Int3{} - grid.origin()));
}

std::vector<Samples::Piece> Samples::pieces_of(int rank) const {
  const Box own = with_layers(points_.grid, points_.grid.box_of(rank), points_.layers);
  std::vector<Piece> pieces;
  for (std::size_t n = 0; n < places_.size(); ++n) {
    const auto runs = [&](int axis) { return runs_of(points_, axis, places_[n].corner[axis]); };
    for (const Run& x : runs(0))
      for (const Run& y : runs(1))
        for (const Run& z : runs(2)) {
          const Box mine = intersect(own, {{x.lo, y.lo, z.lo}, {x.hi, y.hi, z.hi}});
          if (!mine.empty())
            pieces.push_back({mine, n, mine.lo - Int3{x.lo - x.at, y.lo - y.at, z.lo - z.at}});
        }
  }
  return pieces;
}

std::vector<double> Samples::of(std::span<Storage* const> fields) const {
  const Context& context = points_.grid.context();
  std::size_t numbers = 0;
  std::string mine;
  for (Storage* field : fields) {
    if (field->type() != ElementType::f64 && field->type() != ElementType::f32)
      throw Error(Exit::failure, "field \"" + field->name() + "\" is not of real numbers, which are sampled");
    if (Pending* refresh = field->in_flight()) refresh->finish();
    numbers += static_cast<std::size_t>(field->components());
    const std::vector<std::byte> bytes = bytes_of_boxes(*field, boxes_);
    mine.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  const std::vector<std::string> sent = context.gather(mine);
  if (context.rank() != 0) return {};

  std::vector<CornerValues> corners(places_.size() * numbers);
  for (std::size_t rank = 0; rank < sent.size(); ++rank) {
    const auto* at = reinterpret_cast<const std::byte*>(sent[rank].data());
    std::size_t first = 0;
    for (const Storage* field : fields) {
      const auto components = static_cast<std::size_t>(field->components());
      for (const Piece& piece : pieces_[rank])
        for (std::size_t k = 0; k < components; ++k)
          each_cell({piece.corner, piece.corner + piece.box.extent()}, [&](Int3 c) {
            corners[piece.place * numbers + first + k][std::size_t(c.x + 2 * c.y + 4 * c.z)] =
                number_at(at, field->type());
            at += size_of(field->type());
          });
      first += components;
    }
  }
  std::vector<double> values(corners.size());
  for (std::size_t n = 0; n < corners.size(); ++n)
    values[n] = trilinear(corners[n], places_[n / numbers].part);
  return values;
}

}  // namespace sc
