// SPDX-License-Identifier: Apache-2.0
// Start from a flow on another grid: every rank reads the part of it that contains its own points.
#include "solvers/cavity/solver.hpp"
#include "solvers/common/typed.hpp"

namespace sc::cavity {

namespace {

std::string text_of(const Vec3& x) {
  return "(" + std::to_string(x[0]) + ", " + std::to_string(x[1]) + ", " + std::to_string(x[2]) + ")";
}

/// The indices of a point on the other grid, if both grids had the same distribution of points.
Vec3 guess(const Grid& grid, Int3 cell, Int3 other) {
  Vec3 xi;
  for (int a = 0; a < 3; ++a)
    xi[std::size_t(a)] = grid.periodic()[a] ? double(cell[a]) / grid.cells()[a] * other[a]
                                            : double(cell[a] + 1) / (grid.cells()[a] + 1) * (other[a] - 1);
  return xi;
}

}  // namespace

/// The indices on the other grid of all own points, x fastest. The part is enlarged until it contains them.
std::vector<Vec3> Cavity::look_up(OtherGrid& other, const OtherFlow& flow, Box& part) const {
  const In<double, 3> x = stages_.x.read();
  const Box own = grid().own();
  std::vector<Vec3> found;
  const auto look = [&](Int3 cell) {
    const auto o = grid().layout().offset(cell);
    const Vec3 place{x[0].base[o], x[1].base[o], x[2].base[o]};
    auto indices = other.find(place, guess(grid(), grid().origin() + cell, flow.points));
    if (!indices && other.whole(part)) {
      indices = other.find(place, other.nearest(place));
      if (!indices) refuse(flow.name + " does not reach the point " + text_of(place) + " of this grid");
    }
    if (indices) found.push_back(*indices);
    return indices.has_value();
  };
  bool more = true;
  while (grid().context().any(more)) {
    BoxValues coordinates = flow.coordinates(more ? part : Box{});
    grid().context().together([&] {
      if (!more) return;
      other.take(part, std::move(coordinates));
      for (int a = 0; a < 3; ++a)
        if (other.closed(a))
          refuse(flow.name + " has walls along " + "xyz"[a] + ", where this run is periodic");
      found.clear();
      more = false;
      for (int k = 0; k < own.hi.z && !more; ++k)
        for (int j = 0; j < own.hi.y && !more; ++j)
          for (int i = 0; i < own.hi.x && !more; ++i) more = !look({i, j, k});
      if (more) part = other.grown(part);
    });
  }
  return found;
}

void Cavity::start_from(const OtherFlow& flow) {
  for (int a = 0; a < 3; ++a)
    if (flow.points[a] < 4)
      refuse(flow.name + " has " + to_string(flow.points) + " points; every axis needs at least 4");
  OtherGrid other(flow.points, grid().periodic(), stages_.period);
  Box part = other.part_around(grid().global_box(), grid().cells());
  const std::vector<Vec3> indices = look_up(other, flow, part);
  const BoxValues velocity = flow.velocity(part), pressure = flow.pressure(part);
  const Box own = grid().global_box();
  const auto at = [&](int x, int y, int z) {
    const Int3 n = own.extent(), c = Int3{x, y, z} - own.lo;
    return indices[std::size_t(c.x) +
                   std::size_t(n.x) * (std::size_t(c.y) + std::size_t(n.y) * std::size_t(c.z))];
  };
  typed<3>(stages_.V, [&]<class Real>(Field<Real, 3>& V) {
    V.fill([&](int e, int x, int y, int z) { return Real(other.value(velocity, e, at(x, y, z))); });
  });
  typed(stages_.poisson.x(), [&]<class Real>(Field<Real>& p) {
    p.fill([&](int x, int y, int z) { return Real(other.value(pressure, 0, at(x, y, z))); });
  });
  clock_ = {};
  averaged_ = 0;
  begin_outflow();
  measure_limits();
  restored();
}

}  // namespace sc::cavity
