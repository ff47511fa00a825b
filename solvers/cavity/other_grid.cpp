// SPDX-License-Identifier: Apache-2.0
// OtherGrid: Newton's method in index space, with cubic interpolation of the points.
#include "solvers/cavity/other_grid.hpp"

#include <limits>

#include "engine/grid/cells.hpp"
#include "solvers/cavity/cubic.hpp"

namespace sc::cavity {

namespace {

// Of a cell: the largest distance between the exact curve of a wall and its interpolation by few points.
constexpr double beyond = 0.1;

std::size_t number(const Box& box, int component, Int3 c) {
  const Int3 n = box.extent(), at = c - box.lo;
  return ((std::size_t(component) * std::size_t(n.z) + std::size_t(at.z)) * std::size_t(n.y) +
          std::size_t(at.y)) *
             std::size_t(n.x) +
         std::size_t(at.x);
}

}  // namespace

/// The four points along each axis around some indices, as indices in the part.
class OtherGrid::Stencil {
 public:
  Stencil(const OtherGrid& grid, const Vec3& xi) : grid_(grid) {
    for (int a = 0; a < 3; ++a) {
      const auto k = std::size_t(a);
      const int lo = grid.part_.lo[a], hi = grid.part_.hi[a], n = grid.points_[a];
      if (grid.periodic_[a]) {  // any four points, because the grid continues
        const int first = int(std::floor(xi[k])) - 1;
        axes_[k] = Cubic(first, first + 4, xi[k]);
      } else {
        axes_[k] = Cubic(lo, hi, xi[k]);
        whole_ = whole_ && axes_[k].first == Cubic(0, n, xi[k]).first;
      }
      for (int q = 0; q < 4; ++q) {
        const int at = axes_[k].first + q, turns = grid.periodic_[a] ? (at - (((at % n) + n) % n)) / n : 0;
        at_[k][std::size_t(q)] = at - turns * n;
        turned_[k] += turns * axes_[k].w[std::size_t(q)];
        turning_[k] += turns * axes_[k].dw[std::size_t(q)];
      }
    }
  }
  /// Whether the part has the points that the whole grid would use here.
  bool whole() const { return whole_; }

  /// An interpolated value, and its derivatives along the three axes.
  std::array<double, 4> at(const BoxValues& values, int component) const {
    std::array<double, 4> sum{};
    for (std::size_t s = 0; s < 4; ++s)
      for (std::size_t t = 0; t < 4; ++t) {
        const std::size_t row = number(grid_.part_, component, {grid_.part_.lo.x, at_[1][t], at_[2][s]});
        double value = 0, slope = 0;
        for (std::size_t q = 0; q < 4; ++q) {
          const double here = values[row + std::size_t(at_[0][q] - grid_.part_.lo.x)];
          value += axes_[0].w[q] * here;
          slope += axes_[0].dw[q] * here;
        }
        sum[0] += axes_[2].w[s] * axes_[1].w[t] * value;
        sum[1] += axes_[2].w[s] * axes_[1].w[t] * slope;
        sum[2] += axes_[2].w[s] * axes_[1].dw[t] * value;
        sum[3] += axes_[2].dw[s] * axes_[1].w[t] * value;
      }
    return sum;
  }
  /// The interpolated position, and its derivatives T[a] along the axes.
  Vec3 place(std::array<Vec3, 3>& T) const {
    Vec3 x{};
    for (std::size_t e = 0; e < 3; ++e) {
      const std::array<double, 4> v = at(grid_.x_, int(e));
      x[e] = v[0];
      for (std::size_t a = 0; a < 3; ++a) {
        x[e] += turned_[a] * grid_.period_[a][e];
        T[a][e] = v[a + 1] + turning_[a] * grid_.period_[a][e];
      }
    }
    return x;
  }

 private:
  const OtherGrid& grid_;
  std::array<Cubic, 3> axes_ = {Cubic(0, 4, 0), Cubic(0, 4, 0), Cubic(0, 4, 0)};
  std::array<std::array<int, 4>, 3> at_{};
  Vec3 turned_{}, turning_{};  // weighted numbers of periods added, and their derivatives
  bool whole_ = true;
};

OtherGrid::OtherGrid(Int3 points, Bool3 periodic, const std::array<Vec3, 3>& period)
    : points_(points), periodic_(periodic), period_(period) {}

Box OtherGrid::part_around(const Box& own, Int3 cells) const {
  Box part;
  for (int a = 0; a < 3; ++a) {
    const double ratio = double(points_[a]) / cells[a];
    part.lo[a] = int(own.lo[a] * ratio);
    part.hi[a] = int(own.hi[a] * ratio) + 1;
  }
  return grown(part);
}

Box OtherGrid::grown(const Box& part) const {
  const Int3 n = part.extent();
  Box all{{0, 0, 0}, points_};
  Box more = intersect(part.grown({n.x / 4 + 4, n.y / 4 + 4, n.z / 4 + 4}), all);
  for (int a = 0; a < 3; ++a)
    if (periodic_[a]) more.lo[a] = 0, more.hi[a] = points_[a];
  return more;
}

bool OtherGrid::whole(const Box& part) const { return part == Box{{0, 0, 0}, points_}; }

void OtherGrid::take(const Box& part, BoxValues coordinates) {
  part_ = part;
  x_ = std::move(coordinates);
}

bool OtherGrid::closed(int axis) const {
  Int3 last = part_.lo;
  last[axis] = part_.hi[axis] - 1;
  const Vec3& period = period_[std::size_t(axis)];
  double step = 0, size = 0;
  for (int e = 0; e < 3; ++e) {
    const double d = x_[number(part_, e, last)] - x_[number(part_, e, part_.lo)] - period[std::size_t(e)];
    step = std::max(step, std::abs(d));
    size = std::max({size, std::abs(x_[number(part_, e, last)]), std::abs(period[std::size_t(e)])});
  }
  return periodic_[axis] && step < 1e-9 * size;
}

// Limits indices to the range between walls and a fraction of a cell beyond; along a periodic axis, to one
// period.
Vec3 OtherGrid::held(const Vec3& indices) const {
  Vec3 xi = indices;
  for (int a = 0; a < 3; ++a) {
    double& v = xi[std::size_t(a)];
    if (periodic_[a])
      v -= points_[a] * std::floor(v / points_[a]);
    else
      v = std::clamp(v, -beyond, points_[a] - 1 + beyond);
  }
  return xi;
}

// The iteration uses points of the part only, so that it is the same for every size of the part.
std::optional<Vec3> OtherGrid::find(const Vec3& place, const Vec3& guess) const {
  constexpr int most = 60;
  constexpr double near = 1e-10;  // of a cell: the tolerance
  Vec3 xi = held(guess);
  for (int iteration = 0; iteration < most; ++iteration) {
    const Stencil stencil(*this, xi);
    if (!stencil.whole()) return std::nullopt;
    std::array<Vec3, 3> T;
    const Vec3 here = stencil.place(T);
    const Vec3 left{place[0] - here[0], place[1] - here[1], place[2] - here[2]};
    const Metric metric = invert(T);
    const Vec3 d{dot(metric.grad[0], left), dot(metric.grad[1], left), dot(metric.grad[2], left)};
    const double longest = std::max({std::abs(d[0]), std::abs(d[1]), std::abs(d[2])});
    if (longest < near) return xi;
    if (!std::isfinite(d[0] + d[1] + d[2])) return std::nullopt;
    for (int a = 0; a < 3; ++a) {
      const double limit = std::max(1.0, 0.25 * points_[a]);
      xi[std::size_t(a)] += std::clamp(d[std::size_t(a)], -limit, limit);
    }
    xi = held(xi);
  }
  return std::nullopt;
}

Vec3 OtherGrid::nearest(const Vec3& place) const {
  Vec3 best{};
  double least = std::numeric_limits<double>::infinity();
  each_cell(part_, [&](Int3 c) {
    double distance = 0;
    for (int e = 0; e < 3; ++e) {
      const double d = x_[number(part_, e, c)] - place[std::size_t(e)];
      distance += d * d;
    }
    if (distance < least) least = distance, best = {double(c.x), double(c.y), double(c.z)};
  });
  return best;
}

double OtherGrid::value(const BoxValues& values, int component, const Vec3& indices) const {
  return Stencil(*this, indices).at(values, component)[0];
}

}  // namespace sc::cavity
