// SPDX-License-Identifier: Apache-2.0
// Metrics of the curvilinear grid, cell by cell, from the coordinates of its points: x(xi, eta, zeta) maps
// the computational box of unit spacing to physical space. Computed in double and stored in the solver's
// precision.
#pragma once

#include <array>

#include "engine/exec/face_kernel.hpp"
#include "engine/field/views.hpp"

namespace sc::cavity {

using Vec3 = std::array<double, 3>;

SC_FN Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
SC_FN double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// J = det(dx/dxi) and grad[d] = nabla xi_d.
struct Metric {
  double J;
  std::array<Vec3, 3> grad;
};

/// From the tangents T[d] = dx/dxi_d: nabla xi_d = T[d+1] x T[d+2] / J.
SC_FN Metric invert(const std::array<Vec3, 3>& T) {
  const Vec3 yz = cross(T[1], T[2]), zx = cross(T[2], T[0]), xy = cross(T[0], T[1]);
  Metric m;
  m.J = dot(T[0], yz);
  for (std::size_t e = 0; e < 3; ++e) {
    m.grad[0][e] = yz[e] / m.J;
    m.grad[1][e] = zx[e] / m.J;
    m.grad[2][e] = xy[e] / m.J;
  }
  return m;
}

/// Central differences along axis d, of second and of fourth order.
template <class View>
SC_FN auto diff2(const View& f, At c, int d) {
  using Real = std::remove_cvref_t<decltype(f[c])>;
  return Real(0.5) * (f[c.along(d, 1)] - f[c.along(d, -1)]);
}
template <class View>
SC_FN auto diff4(const View& f, At c, int d) {
  using Real = std::remove_cvref_t<decltype(f[c])>;
  return (Real(8) * (f[c.along(d, 1)] - f[c.along(d, -1)]) - (f[c.along(d, 2)] - f[c.along(d, -2)])) /
         Real(12);
}

/// dx/dxi_a, central.
SC_FN Vec3 tangent(In<double, 3> x, At c, int a) {
  return {diff2(x[0], c, a), diff2(x[1], c, a), diff2(x[2], c, a)};
}

/// d^2 f / dxi_a dxi_b, central.
template <class View>
SC_FN auto second_difference(const View& f, At c, int a, int b) {
  using Real = std::remove_cvref_t<decltype(f[c])>;
  if (a == b) return (f[c.along(a, 1)] - f[c]) - (f[c] - f[c.along(a, -1)]);
  const At up = c.along(b, 1), down = c.along(b, -1);
  return Real(0.25) *
         ((f[up.along(a, 1)] - f[up.along(a, -1)]) - (f[down.along(a, 1)] - f[down.along(a, -1)]));
}

SC_FN Metric metric2(In<double, 3> x, At c) {
  std::array<Vec3, 3> T;
  for (int d = 0; d < 3; ++d)
    for (int e = 0; e < 3; ++e) T[std::size_t(d)][std::size_t(e)] = diff2(x[e], c, d);
  return invert(T);
}
SC_FN Metric metric4(In<double, 3> x, At c) {
  std::array<Vec3, 3> T;
  for (int d = 0; d < 3; ++d)
    for (int e = 0; e < 3; ++e) T[std::size_t(d)][std::size_t(e)] = diff4(x[e], c, d);
  return invert(T);
}

/// J g^dd on the low face of the cell along d: compact along d, averaged central differences along the
/// others.
SC_FN double face_metric(In<double, 3> x, At c, int d) {
  const int a = (d + 1) % 3, b = (d + 2) % 3;
  const At low = c.along(d, -1);
  std::array<Vec3, 3> T;
  for (int e = 0; e < 3; ++e) {
    const auto i = std::size_t(e);
    T[std::size_t(d)][i] = x[e][c] - x[e][low];
    T[std::size_t(a)][i] = 0.5 * (diff2(x[e], c, a) + diff2(x[e], low, a));
    T[std::size_t(b)][i] = 0.5 * (diff2(x[e], c, b) + diff2(x[e], low, b));
  }
  const Metric m = invert(T);
  return m.J * dot(m.grad[std::size_t(d)], m.grad[std::size_t(d)]);
}

/// J g^ab on the low edge of the cell that runs along d; a and b are the other two axes.
SC_FN double edge_metric(In<double, 3> x, At c, int d) {
  const int a = (d + 1) % 3, b = (d + 2) % 3;
  const At ca = c.along(a, -1), cb = c.along(b, -1), cab = ca.along(b, -1);
  std::array<Vec3, 3> T;
  for (int e = 0; e < 3; ++e) {
    const auto i = std::size_t(e);
    T[std::size_t(a)][i] = 0.5 * ((x[e][c] - x[e][ca]) + (x[e][cb] - x[e][cab]));
    T[std::size_t(b)][i] = 0.5 * ((x[e][c] - x[e][cb]) + (x[e][ca] - x[e][cab]));
    T[std::size_t(d)][i] =
        0.25 * ((diff2(x[e], c, d) + diff2(x[e], ca, d)) + (diff2(x[e], cb, d) + diff2(x[e], cab, d)));
  }
  const Metric m = invert(T);
  return m.J * dot(m.grad[std::size_t(a)], m.grad[std::size_t(b)]);
}

/// J and the nine components of nabla xi at the cell, of second order; and the metrics for convection, of
/// second or fourth order.
template <class Real>
struct CellMetrics {
  SC_FN void operator()(At c, Out<Real> J, Out<Real, 9> grad, In<double, 3> x) const {
    const Metric m = metric2(x, c);
    J[c] = Real(m.J);
    for (int d = 0; d < 3; ++d)
      for (int e = 0; e < 3; ++e) grad[3 * d + e][c] = Real(m.grad[std::size_t(d)][std::size_t(e)]);
  }
};
template <class Real>
struct FourthOrderMetrics {
  SC_FN void operator()(At c, Out<Real, 9> grad, In<double, 3> x) const {
    const Metric m = metric4(x, c);
    for (int d = 0; d < 3; ++d)
      for (int e = 0; e < 3; ++e) grad[3 * d + e][c] = Real(m.grad[std::size_t(d)][std::size_t(e)]);
  }
};
/// Also used as boundary condition beyond a high wall, where the face and the edges are on the wall.
template <class Real>
struct FaceMetrics {
  SC_FN void operator()(At c, Out<Real, 3> face, In<double, 3> x) const {
    for (int d = 0; d < 3; ++d) face[d][c] = Real(face_metric(x, c, d));
  }
  SC_FN void operator()(Border b, Out<Real, 3> face, In<double, 3> x) const { (*this)(b.ghost(1), face, x); }
};
template <class Real>
struct EdgeMetrics {
  SC_FN void operator()(At c, Out<Real, 3> edge, In<double, 3> x) const {
    for (int d = 0; d < 3; ++d) edge[d][c] = Real(edge_metric(x, c, d));
  }
  SC_FN void operator()(Border b, Out<Real, 3> edge, In<double, 3> x) const { (*this)(b.ghost(1), edge, x); }
};

/// For the limits of the time step and the choice of 7 or 19 points: minus the square of the shortest
/// distance to a neighbour, the largest coupling along an axis, and the largest cross coupling.
template <class Real>
struct Extent {
  SC_FN std::array<double, 3> operator()(At c, In<double, 3> x, In<Real, 3> face, In<Real, 3> edge) const {
    double shortest = 1e300, along = 0, across = 0;
    for (int d = 0; d < 3; ++d) {
      for (int side = 0; side < 2; ++side) {
        const At high = c.along(d, side), low = c.along(d, side - 1);
        const Vec3 step{x[0][high] - x[0][low], x[1][high] - x[1][low], x[2][high] - x[2][low]};
        const double length2 = dot(step, step);
        shortest = length2 < shortest ? length2 : shortest;
        const double f = __builtin_fabs(double(face[d][high]));
        along = f > along ? f : along;
      }
      for (int q = 0; q < 4; ++q) {
        const double e =
            __builtin_fabs(double(edge[d][c.along((d + 1) % 3, q & 1).along((d + 2) % 3, q >> 1)]));
        across = e > across ? e : across;
      }
    }
    return {-shortest, along, across};
  }
};

}  // namespace sc::cavity
