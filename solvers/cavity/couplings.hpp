// SPDX-License-Identifier: Apache-2.0
// The couplings of the pressure operator A on every level: on the finest from the metrics, on coarser ones
// from their children.
#pragma once

#include <array>

#include "solvers/cavity/walls.hpp"

namespace sc::cavity {

/// The couplings of the finest level for 7 points: J g^dd on the low faces, with the row weights beside
/// walls, zero through a wall; and where `given`, those with faces of given pressure.
template <class Real, bool given>
struct FinestSeven {
  Walls walls;
  SC_FN void operator()(At c, Index g, Out<Real, given ? 6 : 3> a, In<Real, 3> face, In<Real, 3>) const {
    for (int d = 0; d < 3; ++d) {
      const double weight = weight_across(walls, g, (d + 1) % 3) * weight_across(walls, g, (d + 2) % 3);
      const bool low = walls.at_low(g, d);
      const double below = double(face[d][c]) * weight;
      a[d][c] = low ? Real(0) : Real(below);
      if constexpr (given) {
        const double above = double(face[d][c.along(d, 1)]) * weight;
        const bool high = walls.at_high(g, d);
        a[3 + d][c] = low && walls.end(d, 0).given    ? Real(below)
                      : high && walls.end(d, 1).given ? Real(above)
                                                      : Real(0);
      }
    }
  }
};

/// The couplings of the finest level for 19 points. Faces on walls carry no flux. A diagonal coupling +-J
/// g^ab / 2 requires both of its cells to be inside. The part of the cross flux that is then missing at a
/// face beside a wall is closed by linear extrapolation of p: the tangential flux of the wall row uses the
/// one-sided slope.
template <class Real>
struct FinestNineteen {
  Walls walls;

  SC_FN static int face_index(int d, int side) { return 2 * d + (side > 0); }
  /// Index of the diagonal in the plane of axes a and b (in either order) with signs sa and sb.
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

/// 1 / D, where D is the sum of the couplings. Returns Gershgorin's bound of the eigenvalues of D^-1 A.
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

/// The larger coupling of the cell with its two neighbours along each axis.
template <class Real, class Points>
struct AxisCouplings {
  SC_FN std::array<double, 3> operator()(At c, In<Real, Points::coefficients> a) const {
    std::array<double, 3> largest{};
    for (int k = 0; k < 6; ++k) {
      const double size = __builtin_fabs(double(Points::coupling(a, c, k)));
      double& along = largest[std::size_t(k / 2)];
      along = size > along ? size : along;
    }
    return largest;
  }
};

/// The fine cells of a coarse cell I along each axis: factor * I … factor * I + factor - 1, limited by the
/// number of cells.
struct Children {
  Int3 factor;
  Int3 fine_cells;  ///< global

  SC_FN std::int64_t first(std::int64_t coarse, int axis) const {
    const std::int64_t i = coarse * factor[axis];
    return i < fine_cells[axis] ? i : fine_cells[axis];
  }
};

/// Couplings of a coarse cell: the sum over the fine faces on its face, scaled by fine over coarse distance
/// of the centres; along a diagonal the lengths cancel. Those with faces of given pressure: the same with the
/// distances of the first or last cells from the face.
template <class Real, bool given>
struct CoarsenSeven {
  static constexpr int coefficients = given ? 6 : 3;
  Children children;
  std::array<const double*, 3> ratio;  ///< fine distance / coarse distance at the low face of coarse cell I

  SC_FN void operator()(At c, Index g, Out<Real, coefficients> a, Across<Real, coefficients> fine) const {
    const std::array<std::int64_t, 3> I{g.x, g.y, g.z};
    for (int d = 0; d < 3; ++d) {
      const std::int64_t lo = children.first(I[std::size_t(d)], d),
                         hi = children.first(I[std::size_t(d)] + 1, d);
      const double* along = ratio[std::size_t(d)];
      a[d][c] = Real(plane(fine[d], fine, I, d, lo) * along[I[std::size_t(d)]]);
      if constexpr (given) {
        double sum = 0;
        for (std::int64_t i = lo; i < hi; ++i) sum += plane(fine[3 + d], fine, I, d, i);
        a[3 + d][c] = Real(sum * along[lo == 0 ? 0 : I[std::size_t(d)] + 1]);  // zero where no face is near
      }
    }
  }

 private:
  /// The sum of one coefficient over the children in the plane i across axis d.
  template <class One>
  SC_FN double plane(const One& one, const Across<Real, coefficients>& fine,
                     const std::array<std::int64_t, 3>& I, int d, std::int64_t at) const {
    const auto k = std::size_t(d), p = std::size_t((d + 1) % 3), q = std::size_t((d + 2) % 3);
    std::array<std::int64_t, 3> i;
    i[k] = at;
    double sum = 0;
    for (i[q] = children.first(I[q], int(q)); i[q] < children.first(I[q] + 1, int(q)); ++i[q])
      for (i[p] = children.first(I[p], int(p)); i[p] < children.first(I[p] + 1, int(p)); ++i[p])
        sum += double(one[fine.at(i[0], i[1], i[2])]);
    return sum;
  }
};
template <class Real>
struct CoarsenNineteen {
  Children children;
  std::array<const double*, 3> ratio;

  SC_FN void operator()(At c, Index g, Out<Real, 18> a, Across<Real, 18> fine) const {
    const std::array<std::int64_t, 3> I{g.x, g.y, g.z};
    for (int k = 0; k < 18; ++k) {
      // The children adjacent to neighbour k: the first or the last ones along the axes of its direction.
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

}  // namespace sc::cavity
