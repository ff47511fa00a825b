// SPDX-License-Identifier: Apache-2.0
// The J-weighted Neumann Laplacian A, on every level of the hierarchy, and the sweeps over it. A p = b with b
// = J rhs; the columns of A sum to zero (fluxes), and so do its rows (constants).
#pragma once

#include <array>

#include "engine/subcurrent.hpp"

namespace sc::cavity {

/// A on an orthogonal grid: 7 points, a[d] couples the cell with its neighbour below along d (0 through a
/// wall).
template <class Real>
struct SevenPoints {
  static constexpr int coefficients = 3;
  static constexpr int colours = 2;
  static constexpr Reach reach = star(1);
  static constexpr Reach coefficient_reach = star(1);
  static constexpr int neighbours = 6;

  SC_FN static Real coupling(In<Real, 3> a, At c, int k) { return a[k / 2][k % 2 ? c.along(k / 2, 1) : c]; }
  SC_FN static Real apply(In<Real, 3> a, In<Real> x, At c) {
    Real sum = 0;
    for (int d = 0; d < 3; ++d) {
      sum += a[d][c] * (x[c.along(d, -1)] - x[c]);
      sum += a[d][c.along(d, 1)] * (x[c.along(d, 1)] - x[c]);
    }
    return sum;
  }
};

/// A with mixed derivatives: 19 points, a[k] couples the cell with neighbour k: six faces (-x +x -y +y -z
/// +z), then for each plane d the four diagonals (a, b) = --, +-, -+, ++ of its axes a = d + 1, b = d + 2.
template <class Real>
struct NineteenPoints {
  static constexpr int coefficients = 18;
  static constexpr int colours = 4;
  static constexpr Reach reach = box(1);
  static constexpr Reach coefficient_reach = point;
  static constexpr int neighbours = 18;

  SC_FN static Real coupling(In<Real, 18> a, At c, int k) { return a[k][c]; }
  SC_FN static At neighbour(At c, int k) {
    if (k < 6) return c.along(k / 2, 2 * (k % 2) - 1);
    const int d = (k - 6) / 4, q = (k - 6) % 4;
    return c.along((d + 1) % 3, q & 1 ? 1 : -1).along((d + 2) % 3, q & 2 ? 1 : -1);
  }
  SC_FN static Real apply(In<Real, 18> a, In<Real> x, At c) {
    Real sum = 0;
#pragma GCC unroll 18
    for (int k = 0; k < 18; ++k) sum += a[k][c] * (x[neighbour(c, k)] - x[c]);
    return sum;
  }
};

/// Where a cell lies among the walls of a grid.
struct Walls {
  Int3 cells;  ///< global
  Bool3 periodic;

  SC_FN static std::int64_t along(Index g, int axis) { return axis == 0 ? g.x : axis == 1 ? g.y : g.z; }
  SC_FN bool at_low(Index g, int axis) const { return !periodic[axis] && along(g, axis) == 0; }
  SC_FN bool at_high(Index g, int axis) const { return !periodic[axis] && along(g, axis) == cells[axis] - 1; }
  /// Whether the neighbour at `side` (-1 or 1) along the axis carries an unknown.
  SC_FN bool inside(Index g, int axis, int side) const {
    return side < 0 ? !at_low(g, axis) : !at_high(g, axis);
  }
};

/// The control volume of a cell beside a wall reaches from the wall to 3/2, so that its outer flux is exactly
/// zero. Tangential fluxes of that row are the integral of the linear profile through wall and cell over [0,
/// 3/2]: 9/8 of the cell's value and 3/8 of the wall's.
constexpr double row_weight = 9.0 / 8, wall_weight = 3.0 / 8;

/// The weight of the row of the cell along one axis.
SC_FN double weight_across(const Walls& walls, Index g, int axis) {
  double w = walls.at_low(g, axis) ? row_weight : 1.0;
  return walls.at_high(g, axis) ? w * row_weight : w;
}

/// The finest couplings of 7 points: J g^dd on the low faces, weighted with the rows beside walls; none
/// through a wall.
template <class Real>
struct FinestSeven {
  Walls walls;
  SC_FN void operator()(At c, Index g, Out<Real, 3> a, In<Real, 3> face, In<Real, 3>) const {
    for (int d = 0; d < 3; ++d) {
      const double weight = weight_across(walls, g, (d + 1) % 3) * weight_across(walls, g, (d + 2) % 3);
      a[d][c] = walls.at_low(g, d) ? Real(0) : Real(double(face[d][c]) * weight);
    }
  }
};

/// The finest couplings of 19 points. Faces on walls carry no flux. A diagonal spring +-J g^ab / 2 needs both
/// its cells inside. What the cross flux through a face beside a wall then lacks is closed by continuing p
/// linearly: the tangential flux of the wall row uses the one-sided slope there.
template <class Real>
struct FinestNineteen {
  Walls walls;

  SC_FN static int face_index(int d, int side) { return 2 * d + (side > 0); }
  /// The diagonal in the plane of axes a and b (in either order) with signs sa and sb.
  SC_FN static int edge_index(int a, int sa, int b, int sb) {
    const int d = 3 - a - b;
    const bool in_order = a == (d + 1) % 3;
    return 6 + 4 * d + ((in_order ? sa : sb) > 0) + 2 * ((in_order ? sb : sa) > 0);
  }

  SC_FN void operator()(At c, Index g, Out<Real, 18> out, In<Real, 3> face, In<Real, 3> edge) const {
    double a[18] = {};
    for (int d = 0; d < 3; ++d) {
      const double weight = weight_across(walls, g, (d + 1) % 3) * weight_across(walls, g, (d + 2) % 3);
      for (int side = -1; side <= 1; side += 2)
        if (walls.inside(g, d, side))
          a[face_index(d, side)] = double(face[d][side < 0 ? c : c.along(d, 1)]) * weight;
    }
    for (int d = 0; d < 3; ++d) {
      const int u = (d + 1) % 3, v = (d + 2) % 3;
      for (int su = -1; su <= 1; su += 2)
        for (int sv = -1; sv <= 1; sv += 2) {
          const At at = c.along(u, su > 0).along(v, sv > 0);
          add_spring(a, g, u, su, v, sv, double(edge[d][at]) * weight_across(walls, g, d));
        }
    }
    for (int k = 0; k < 18; ++k) out[k][c] = Real(a[k]);
  }

  SC_FN void add_spring(double (&a)[18], Index g, int u, int su, int v, int sv, double e) const {
    const bool in_u = walls.inside(g, u, su), in_v = walls.inside(g, v, sv);
    if (in_u && in_v) {
      a[edge_index(u, su, v, sv)] += 0.5 * su * sv * e;
    } else if (in_u != in_v) {
      const int t = in_u ? u : v, st = in_u ? su : sv;        // along the wall, through this face
      const int w = in_u ? v : u, inward = in_u ? -sv : -su;  // away from the wall
      if (!walls.inside(g, w, inward)) return;
      const double q = 0.5 * (row_weight - 0.5) * st * inward * e;
      a[face_index(w, inward)] += q;
      a[edge_index(t, st, w, inward)] += q;
      a[face_index(t, st)] -= q;
    }
  }
};

/// 1 / D with D the sum of the couplings; returns Gershgorin's bound of the eigenvalues of D^-1 A.
template <class Real, class Points>
struct InverseDiagonal {
  SC_FN double operator()(At c, Out<Real> inverse, In<Real, Points::coefficients> a) const {
    double sum = 0, size = 0;
    for (int k = 0; k < Points::neighbours; ++k) {
      const double coupling = double(Points::coupling(a, c, k));
      sum += coupling;
      size += __builtin_fabs(coupling);
    }
    inverse[c] = sum > 0 ? Real(1 / sum) : Real(0);
    return sum > 0 ? 1 + size / sum : 0.0;
  }
};
/// 1 / J, the scale of the true residual.
template <class Real>
struct Reciprocal {
  SC_FN void operator()(At c, Out<Real> inverse, In<Real> q) const { inverse[c] = Real(1) / q[c]; }
};

/// x' = x + omega D^-1 (A x - b).
template <class Real, class Points>
struct JacobiSweep {
  Real omega;
  SC_FN void operator()(At c, Out<Real> next, In<Real> x, In<Real> b, In<Real, Points::coefficients> a,
                        In<Real> inverse_diagonal) const {
    next[c] = x[c] + omega * ((Points::apply(a, x, c) - b[c]) * inverse_diagonal[c]);
  }
};
/// The same, in place, colour by colour.
template <class Real, class Points>
struct RelaxationSweep {
  Real omega;
  SC_FN void operator()(At c, InOut<Real> x, In<Real> b, In<Real, Points::coefficients> a,
                        In<Real> inverse_diagonal) const {
    const In<Real> now{x.base, x.stride};
    x[c] += omega * ((Points::apply(a, now, c) - b[c]) * inverse_diagonal[c]);
  }
};

/// Chebyshev iteration of the fourth kind (Lottes 2023): x' = x + momentum (x - before) + weight D^-1 (A x -
/// b); x' takes the place of `before`. One sweep each, no colours, no reductions.
template <class Real, class Points>
struct ChebyshevSweep {
  Real momentum, weight;
  SC_FN void operator()(At c, InOut<Real> before, In<Real> x, In<Real> b, In<Real, Points::coefficients> a,
                        In<Real> inverse_diagonal) const {
    before[c] = x[c] + momentum * (x[c] - before[c]) +
                weight * ((Points::apply(a, x, c) - b[c]) * inverse_diagonal[c]);
  }
};
/// Its first sweep from x = 0, which reads no neighbour.
template <class Real>
struct ChebyshevFromZero {
  Real weight;
  SC_FN void operator()(At c, Out<Real> x, Out<Real> before, In<Real> b, In<Real> inverse_diagonal) const {
    before[c] = 0;
    x[c] = -(weight * (b[c] * inverse_diagonal[c]));
  }
};

/// r = b - A x. Returns the size of r that the convergence test looks at: |r| times `scale`, 1 / J or 1 / D.
template <class Real, class Points>
struct Residual {
  SC_FN double operator()(At c, Out<Real> r, In<Real> x, In<Real> b, In<Real, Points::coefficients> a,
                          In<Real> scale) const {
    r[c] = b[c] - Points::apply(a, x, c);
    return double(__builtin_fabs(double(r[c] * scale[c])));
  }
};
/// The size alone, for solvers that keep no residual.
template <class Real, class Points>
struct ResidualSize {
  SC_FN double operator()(At c, In<Real> x, In<Real> b, In<Real, Points::coefficients> a,
                          In<Real> scale) const {
    return __builtin_fabs(double((b[c] - Points::apply(a, x, c)) * scale[c]));
  }
};

/// w = A z; returns (w, q), (w, w), (r, w).
template <class Real, class Points>
struct ApplyAndProject {
  SC_FN std::array<double, 3> operator()(At c, Out<Real> w, In<Real> z, In<Real> q, In<Real> r,
                                         In<Real, Points::coefficients> a) const {
    const Real value = Points::apply(a, z, c);
    w[c] = value;
    return {double(value) * double(q[c]), double(value) * double(value), double(r[c]) * double(value)};
  }
};
/// d = z - beta d, q = w - beta q, x += alpha d, r -= alpha q; returns |r| times `scale`.
template <class Real>
struct Advance {
  Real alpha, beta;
  SC_FN double operator()(At c, InOut<Real> d, InOut<Real> q, InOut<Real> x, InOut<Real> r, In<Real> z,
                          In<Real> w, In<Real> scale) const {
    d[c] = z[c] - beta * d[c];
    q[c] = w[c] - beta * q[c];
    x[c] += alpha * d[c];
    r[c] -= alpha * q[c];
    return __builtin_fabs(double(r[c] * scale[c]));
  }
};

/// Which fine cells a coarse one covers along each axis: factor * I … factor * I + factor - 1, as far as
/// there are.
struct Children {
  Int3 factor;
  Int3 fine_cells;  ///< global

  SC_FN std::int64_t first(std::int64_t coarse, int axis) const {
    const std::int64_t i = coarse * factor[axis];
    return i < fine_cells[axis] ? i : fine_cells[axis];
  }
};

/// b of the coarse cell: the sum of its children's residuals, the integral over the cell.
template <class Real>
struct Restrict {
  Children children;
  SC_FN void operator()(At c, Index g, Out<Real> coarse, Across<Real> fine) const {
    Real sum = 0;
    for (auto k = children.first(g.z, 2); k < children.first(g.z + 1, 2); ++k)
      for (auto j = children.first(g.y, 1); j < children.first(g.y + 1, 1); ++j)
        for (auto i = children.first(g.x, 0); i < children.first(g.x + 1, 0); ++i)
          sum += fine[fine.at(i, j, k)];
    coarse[c] = sum;
  }
};

/// Couplings of a coarse cell: those of the fine faces that make up its face, over the longer distance
/// between the coarse centres; lengths cancel along a diagonal.
template <class Real>
struct CoarsenSeven {
  Children children;
  std::array<const double*, 3> ratio;  ///< fine distance / coarse distance at the low face of coarse cell I

  SC_FN void operator()(At c, Index g, Out<Real, 3> a, Across<Real, 3> fine) const {
    const std::array<std::int64_t, 3> I{g.x, g.y, g.z};
    for (std::size_t d = 0; d < 3; ++d) {
      const std::size_t p = (d + 1) % 3, q = (d + 2) % 3;
      std::array<std::int64_t, 3> i;
      i[d] = children.first(I[d], int(d));
      double sum = 0;
      for (i[q] = children.first(I[q], int(q)); i[q] < children.first(I[q] + 1, int(q)); ++i[q])
        for (i[p] = children.first(I[p], int(p)); i[p] < children.first(I[p] + 1, int(p)); ++i[p])
          sum += double(fine[int(d)][fine.at(i[0], i[1], i[2])]);
      a[int(d)][c] = Real(sum * ratio[d][I[d]]);
    }
  }
};
template <class Real>
struct CoarsenNineteen {
  Children children;
  std::array<const double*, 3> ratio;

  SC_FN void operator()(At c, Index g, Out<Real, 18> a, Across<Real, 18> fine) const {
    const std::array<std::int64_t, 3> I{g.x, g.y, g.z};
    for (int k = 0; k < 18; ++k) {
      // The children through which neighbour k is reached: the first or last along the axes of its direction.
      std::array<std::int64_t, 3> lo, hi, i;
      double scale = 1;
      for (std::size_t d = 0; d < 3; ++d) {
        lo[d] = children.first(I[d], int(d));
        hi[d] = children.first(I[d] + 1, int(d));
        const int side = direction(k, int(d));
        if (side < 0) hi[d] = lo[d] + 1;
        if (side > 0) lo[d] = hi[d] - 1;
        if (k < 6 && side != 0) scale = ratio[d][I[d] + (side > 0)];
      }
      double sum = 0;
      for (i[2] = lo[2]; i[2] < hi[2]; ++i[2])
        for (i[1] = lo[1]; i[1] < hi[1]; ++i[1])
          for (i[0] = lo[0]; i[0] < hi[0]; ++i[0]) sum += double(fine[k][fine.at(i[0], i[1], i[2])]);
      a[k][c] = Real(sum * scale);
    }
  }
  SC_FN static int direction(int k, int axis) {
    if (k < 6) return axis == k / 2 ? 2 * (k % 2) - 1 : 0;
    const int d = (k - 6) / 4, q = (k - 6) % 4;
    if (axis == (d + 1) % 3) return q & 1 ? 1 : -1;
    if (axis == (d + 2) % 3) return q & 2 ? 1 : -1;
    return 0;
  }
};

/// Linear interpolation along one axis: the parent, the neighbour on the child's side, the weight of the
/// latter.
struct Parent {
  std::int64_t index;
  int toward;
  double weight;
};
/// Centres of the cells of two levels along an axis, in finest cells; entry i + 1 belongs to cell i = -1 … n.
struct Centres {
  std::array<const double*, 3> fine, coarse;
  Int3 factor, coarse_cells;
  Bool3 periodic;

  SC_FN Parent parent(std::int64_t i, int axis) const {
    const auto d = std::size_t(axis);
    Parent p{i / factor[axis], 0, 0.0};
    const double at = fine[d][i + 1], centre = coarse[d][p.index + 1];
    if (at == centre) return p;
    p.toward = at > centre ? 1 : -1;
    const std::int64_t other = p.index + p.toward;
    if (!periodic[axis] && (other < 0 || other >= coarse_cells[axis])) return {p.index, 0, 0.0};
    p.weight = (at - centre) / (coarse[d][other + 1] - centre);
    return p;
  }
};
/// x of the fine cell += the coarse correction, interpolated linearly between the centres of the coarse
/// cells.
template <class Real>
struct Prolong {
  Centres centres;
  SC_FN void operator()(At c, Index g, InOut<Real> fine, Across<Real> coarse) const {
    const Parent x = centres.parent(g.x, 0), y = centres.parent(g.y, 1), z = centres.parent(g.z, 2);
    const At base = coarse.at(x.index, y.index, z.index);
    const auto along_x = [&](At q) {
      return coarse[q] + Real(x.weight) * (coarse[q.x(x.toward)] - coarse[q]);
    };
    const auto in_plane = [&](At q) {
      const Real here = along_x(q);
      return here + Real(y.weight) * (along_x(q.y(y.toward)) - here);
    };
    const Real here = in_plane(base);
    fine[c] += here + Real(z.weight) * (in_plane(base.z(z.toward)) - here);
  }
};

}  // namespace sc::cavity
