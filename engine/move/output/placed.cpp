// SPDX-License-Identifier: Apache-2.0
// Positions between points: by division, or by Newton's method in every cell whose bounding box contains one.
#include "engine/move/output/placed.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <sstream>

#include "engine/grid/cells.hpp"
#include "engine/move/output/gather.hpp"

namespace sc {

namespace {

constexpr double rounding = 1e-9;  // of a cell: so far outside a position still counts as on the boundary

std::string text_of(const Position& x) {
  std::ostringstream text;
  text << "[" << x[0] << ", " << x[1] << ", " << x[2] << "]";
  return text.str();
}

std::string named(const std::string& key, std::size_t n, const Position& x) {
  return key + "[" + std::to_string(n) + "] = " + text_of(x);
}

/// Positions along an axis of evenly spaced points, and where they may lie.
struct EvenAxis {
  double origin, spacing;
  int cells, layers;
  bool periodic;

  double low() const {
    if (!periodic) return origin - layers * spacing;
    return origin == spacing / 2 ? 0 : origin;
  }
  double high() const { return periodic ? low() + cells * spacing : origin + (cells - 1 + layers) * spacing; }
  bool contains(double x) const {
    return low() - rounding * spacing <= x && x <= high() + rounding * spacing;
  }
  void place(double x, int& corner, double& part) const {
    const double index = (x - origin) / spacing;
    if (periodic) {
      const double first = std::floor(index);
      corner = (static_cast<int>(first) + cells) % cells;
      part = index - first;
      return;
    }
    const int last = cells - 1 + layers;
    corner = std::clamp(static_cast<int>(std::floor(index)), -layers, std::max(-layers, last - 1));
    part = index - corner;
  }
};

/// Result of a search, as ranks send it.
struct Found {
  std::int64_t number = -1;  ///< of the cell in the grid, x fastest; negative: not found
  Placed placed;
};

using CornerPoints = std::array<CornerValues, 3>;  ///< x, y, z of a cell's corners

Position at(const CornerPoints& cell, const Position& part) {
  return {trilinear(cell[0], part), trilinear(cell[1], part), trilinear(cell[2], part)};
}

double determinant(const std::array<Position, 3>& m) {
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
         m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/// The part of a cell at which its trilinear map reaches x; none outside of the cell.
std::optional<Position> inverted(const CornerPoints& cell, const Position& x) {
  constexpr int most_iterations = 50;
  Position part = {0.5, 0.5, 0.5};
  double change = 1;
  for (int it = 0; it < most_iterations && change > 1e-15; ++it) {
    const Position here = at(cell, part);
    std::array<Position, 3>
        slope{};  // slope[a] = dx / d part[a], by the corners alone: the map is linear in it
    for (std::size_t a = 0; a < 3; ++a) {
      Position low = part, high = part;
      low[a] = 0, high[a] = 1;
      const Position from = at(cell, low), to = at(cell, high);
      for (std::size_t e = 0; e < 3; ++e) slope[a][e] = to[e] - from[e];
    }
    const double volume = determinant(slope);
    if (volume == 0 || !std::isfinite(volume)) return std::nullopt;
    change = 0;
    Position next{};
    for (std::size_t a = 0; a < 3; ++a) {  // Cramer's rule
      std::array<Position, 3> replaced = slope;
      for (std::size_t e = 0; e < 3; ++e) replaced[a][e] = x[e] - here[e];
      next[a] = std::clamp(part[a] + determinant(replaced) / volume, -1.0, 2.0);
      change = std::max(change, std::abs(next[a] - part[a]));
    }
    part = next;
  }
  if (change > rounding) return std::nullopt;
  for (const double p : part)
    if (!(-rounding <= p && p <= 1 + rounding)) return std::nullopt;
  return part;
}

/// The coordinates of a rank's points.
class Coordinates {
 public:
  Coordinates(Storage& coordinates, int layers) : grid_(coordinates.grid()), layers_(layers) {
    if (coordinates.type() != ElementType::f64 || coordinates.components() != 3 || coordinates.far() ||
        grid_.least_halo() < std::max(1, layers))
      throw Error(Exit::failure,
                  "positions are placed between points whose coordinates are three doubles and "
                  "have a halo in memory");
    first_ = reinterpret_cast<const double*>(coordinates.host_base());
    stride_ = coordinates.component_stride();
  }
  double get(Int3 c, std::size_t axis) const {
    return first_[static_cast<std::ptrdiff_t>(axis) * stride_ + grid_.layout().offset(c)];
  }
  CornerPoints corners(Int3 c) const {
    CornerPoints cell;
    for (int n = 0; n < 8; ++n)
      for (std::size_t axis = 0; axis < 3; ++axis)
        cell[axis][std::size_t(n)] = get({c.x + (n & 1), c.y + (n >> 1 & 1), c.z + (n >> 2)}, axis);
    return cell;
  }
  /// Own points, and cells between points that begin at one of them.
  Box points() const {
    return with_layers(grid_, grid_.global_box(), layers_).shifted(Int3{} - grid_.origin());
  }
  Box cells() const {
    Box cells = points();
    for (int axis = 0; axis < 3; ++axis)
      if (grid_.physical({axis, 1})) cells.hi[axis] -= 1;
    return cells;
  }
  std::int64_t number(Int3 local) const {
    const Int3 g = grid_.origin() + local + Int3{layers_, layers_, layers_};
    const Int3 n = grid_.cells() + Int3{2 * layers_, 2 * layers_, 2 * layers_};
    return g.x + std::int64_t{n.x} * (g.y + std::int64_t{n.y} * g.z);
  }

 private:
  const Grid& grid_;
  int layers_;
  const double* first_ = nullptr;
  std::ptrdiff_t stride_ = 0;
};

/// A trilinear cell lies within the bounding box of its corners, so no cell is missed.
bool may_contain(const CornerPoints& cell, const Position& x) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto [low, high] = std::minmax_element(cell[axis].begin(), cell[axis].end());
    const double slack = rounding * (*high - *low);
    if (!(*low - slack <= x[axis] && x[axis] <= *high + slack)) return false;
  }
  return true;
}

/// Of the cells that begin at this rank's points, in the order of their numbers.
std::vector<Found> search(const Coordinates& points, Int3 origin, std::span<const Position> positions) {
  std::vector<Found> found(positions.size());
  each_cell(points.cells(), [&](Int3 c) {
    const CornerPoints cell = points.corners(c);
    for (std::size_t n = 0; n < positions.size(); ++n) {
      if (found[n].number >= 0 || !may_contain(cell, positions[n])) continue;
      if (const auto part = inverted(cell, positions[n])) found[n] = {points.number(c), {origin + c, *part}};
    }
  });
  return found;
}

std::string bytes_from(const std::vector<Found>& found) {
  return {reinterpret_cast<const char*>(found.data()), found.size() * sizeof(Found)};
}

/// Collective: for every position the first cell of all ranks.
void agree(const Context& context, std::vector<Found>& found) {
  for (const std::string& bytes : context.gather(bytes_from(found)))
    for (std::size_t n = 0; n < found.size(); ++n) {
      Found other;
      std::memcpy(static_cast<void*>(&other), bytes.data() + n * sizeof(Found), sizeof(Found));
      if (other.number >= 0 && (found[n].number < 0 || other.number < found[n].number)) found[n] = other;
    }
  std::string first = bytes_from(found);
  context.broadcast(first);
  std::memcpy(static_cast<void*>(found.data()), first.data(), first.size());
}

[[noreturn]] void refuse_outside(const Coordinates& points, const Context& context, const std::string& name) {
  Position low{}, high{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    each_cell(points.points(), [&](Int3 c) {
      least = std::min(least, points.get(c, axis));
      most = std::max(most, points.get(c, axis));
    });
    low[axis] = -context.max(-least);
    high[axis] = context.max(most);
  }
  refuse(name + " lies outside of the grid, whose points reach from " + text_of(low) + " to " +
         text_of(high));
}

}  // namespace

std::vector<Placed> place_between(const GridPoints& points, const EvenPoints& even,
                                  std::span<const Position> positions, const std::string& key) {
  std::vector<Placed> placed(positions.size());
  for (std::size_t n = 0; n < positions.size(); ++n)
    for (int axis = 0; axis < 3; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      const EvenAxis along{even.origin[a], even.spacing[a], points.grid.cells()[axis], points.layers,
                           points.periodic[axis]};
      if (!along.contains(positions[n][a])) {
        std::ostringstream range;
        range << " lies outside of the grid, which reaches from " << along.low() << " to " << along.high()
              << " along "
              << "xyz"[a];
        refuse(named(key, n, positions[n]) + range.str());
      }
      along.place(positions[n][a], placed[n].corner[axis], placed[n].part[a]);
    }
  return placed;
}

std::vector<Placed> place_between(const GridPoints& points, Storage& coordinates,
                                  std::span<const Position> positions, const std::string& key) {
  const Context& context = points.grid.context();
  const Coordinates x(coordinates, points.layers);
  std::vector<Found> found = search(x, points.grid.origin(), positions);
  agree(context, found);
  std::vector<Placed> placed;
  for (std::size_t n = 0; n < positions.size(); ++n) {
    if (found[n].number < 0) refuse_outside(x, context, named(key, n, positions[n]));
    placed.push_back(found[n].placed);
  }
  return placed;
}

}  // namespace sc
