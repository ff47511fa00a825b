// SPDX-License-Identifier: Apache-2.0
// The J-weighted Neumann Laplacian A on a level of the hierarchy, sweeps over it, and the transfer between
// levels. A p = b with b = J rhs. The columns of A sum to zero (conservation of fluxes), and so do its rows
// (constants are in the null space), except beside faces of given pressure.
#pragma once

#include <array>
#include <utility>

#include "solvers/cavity/couplings.hpp"

namespace sc::cavity {

/// A on an orthogonal grid: 7 points, a[d] couples the cell with its neighbour below along d (0 through a
/// wall). Where the pressure is `given` on a face, a[3 + d] couples the cell with such a face of axis d, on
/// which the unknown is zero. No cell lies beside both faces of an axis, which has at least two cells.
template <class R, bool given = false>
struct SevenPoints {
  using Real = R;
  static constexpr int coefficients = given ? 6 : 3;
  static constexpr int colours = 2;
  static constexpr Reach reach = star(1);
  static constexpr Reach coefficient_reach = star(1);
  static constexpr int neighbours = given ? 9 : 6;  // three of them faces

  SC_FN static Real coupling(In<Real, coefficients> a, At c, int k) {
    return k < 6 ? a[k / 2][k % 2 ? c.along(k / 2, 1) : c] : a[k - 3][c];
  }
  SC_FN static Real apply(In<Real, coefficients> a, In<Real> x, At c) {
    Real sum = 0;
    for (int d = 0; d < 3; ++d) {
      sum += a[d][c] * (x[c.along(d, -1)] - x[c]);
      sum += a[d][c.along(d, 1)] * (x[c.along(d, 1)] - x[c]);
      if constexpr (given) sum -= a[3 + d][c] * x[c];
    }
    return sum;
  }
};

/// A with mixed derivatives: 19 points, a[k] couples the cell with neighbour k: six faces (-x +x -y +y -z
/// +z), then for each plane d the four diagonals (a, b) = --, +-, -+, ++ of its axes a = d + 1, b = d + 2.
template <class R>
struct NineteenPoints {
  using Real = R;
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
    return apply(a, x, c, std::make_integer_sequence<int, 18>{});
  }
  // Unrolled by a fold expression: compilers do not vectorise rows around an inner loop, and nvcc does not
  // know GCC's pragma to unroll it.
  template <int... k>
  SC_FN static Real apply(In<Real, 18> a, In<Real> x, At c, std::integer_sequence<int, k...>) {
    Real sum = 0;
    ((sum += a[k][c] * (x[neighbour(c, k)] - x[c])), ...);
    return sum;
  }
};

/// 1 / J, the scale of the unscaled residual.
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
/// The same in place, colour by colour.
template <class Real, class Points>
struct RelaxationSweep {
  Real omega;
  SC_FN void operator()(At c, InOut<Real> x, In<Real> b, In<Real, Points::coefficients> a,
                        In<Real> inverse_diagonal) const {
    const In<Real> now = x;
    x[c] += omega * ((Points::apply(a, now, c) - b[c]) * inverse_diagonal[c]);
  }
};

/// Chebyshev iteration of the fourth kind (Lottes 2023): x' = x + momentum (x - before) + weight D^-1 (A x -
/// b); x' overwrites `before`. One sweep for each iteration, without colours or reductions.
template <class Real, class Points>
struct ChebyshevSweep {
  Real momentum, weight;
  SC_FN void operator()(At c, InOut<Real> before, In<Real> x, In<Real> b, In<Real, Points::coefficients> a,
                        In<Real> inverse_diagonal) const {
    before[c] = x[c] + momentum * (x[c] - before[c]) +
                weight * ((Points::apply(a, x, c) - b[c]) * inverse_diagonal[c]);
  }
};
/// Its first sweep, from x = 0; it reads no neighbour.
template <class Real>
struct ChebyshevFromZero {
  Real weight;
  SC_FN void operator()(At c, Out<Real> x, Out<Real> before, In<Real> b, In<Real> inverse_diagonal) const {
    before[c] = 0;
    x[c] = -(weight * (b[c] * inverse_diagonal[c]));
  }
};

/// r = b - A x.
template <class Real, class Points>
struct ResidualAlone {
  SC_FN void operator()(At c, Out<Real> r, In<Real> x, In<Real> b, In<Real, Points::coefficients> a) const {
    r[c] = b[c] - Points::apply(a, x, c);
  }
};
/// r = b - A x. Returns the quantity of the convergence test: |r| times `scale`, 1 / J or 1 / D.
template <class Real, class Points>
struct Residual {
  SC_FN double operator()(At c, Out<Real> r, In<Real> x, In<Real> b, In<Real, Points::coefficients> a,
                          In<Real> scale) const {
    r[c] = b[c] - Points::apply(a, x, c);
    return double(__builtin_fabs(double(r[c] * scale[c])));
  }
};
/// Only the size of the residual, for solvers that do not store it.
template <class Real, class Points>
struct ResidualSize {
  SC_FN double operator()(At c, In<Real> x, In<Real> b, In<Real, Points::coefficients> a,
                          In<Real> scale) const {
    return __builtin_fabs(double((b[c] - Points::apply(a, x, c)) * scale[c]));
  }
};

/// w = A z. Returns (w, q), (w, w), (r, w).
template <class Real, class Points>
struct ApplyAndProject {
  SC_FN std::array<double, 3> operator()(At c, Out<Real> w, In<Real> z, In<Real> q, In<Real> r,
                                         In<Real, Points::coefficients> a) const {
    const Real value = Points::apply(a, z, c);
    w[c] = value;
    return {double(value) * double(q[c]), double(value) * double(value), double(r[c]) * double(value)};
  }
};
/// d = z - beta d, q = w - beta q, x += alpha d, r -= alpha q. Returns |r| times `scale`.
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

/// b of a coarse cell: the sum of its children's residuals, which is the integral over the cell.
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

/// Linear interpolation along one axis: the parent, the parent's neighbour on the child's side, and the
/// weight of that neighbour.
struct Parent {
  std::int64_t index;
  int toward;
  double weight;
};
/// Centres of the cells of two levels along an axis, in units of finest cells; entry i + 1 belongs to cell i
/// = -1 … n, of an axis with faces to the faces for -1 and n.
struct Centres {
  std::array<const double*, 3> fine, coarse;
  Int3 factor, coarse_cells;
  Bool3 periodic;
  std::array<std::array<bool, 2>, 3> given;  ///< faces on which the unknown is zero, as it is in the halo

  SC_FN Parent parent(std::int64_t i, int axis) const {
    const auto d = std::size_t(axis);
    Parent p{i / factor[axis], 0, 0.0};
    const double at = fine[d][i + 1], centre = coarse[d][p.index + 1];
    if (at == centre) return p;
    p.toward = at > centre ? 1 : -1;
    const std::int64_t other = p.index + p.toward;
    const bool beyond = !periodic[axis] && (other < 0 || other >= coarse_cells[axis]);
    if (beyond && !given[d][other < 0 ? 0 : 1]) return {p.index, 0, 0.0};
    p.weight = (at - centre) / (coarse[d][other + 1] - centre);
    return p;
  }
};
/// x of a fine cell += the coarse correction, interpolated linearly between centres of coarse cells.
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
