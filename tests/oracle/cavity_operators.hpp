// SPDX-License-Identifier: Apache-2.0
// Oracle of the cavity solver, part 2: every formula of a time step, one small function per cell.
// The engine's kernels use the same formulas in the same order of arithmetic.
#pragma once
#include "tests/oracle/cavity_grid.hpp"

namespace sc::oracle {

enum class Upwind { utopia, kawamura };
inline double upwind_alpha(Upwind u) { return u == Upwind::utopia ? 1.0 : 3.0; }

// ---- Convection: (V . nabla) q = sum_d U^d dq/dxi_d, third-order upwind; star(2)
// ---------------------------------

// dq/dxi by the five-point fourth-order difference; the fourth difference d4 is what the upwinding
// multiplies.
inline double five_point_slope(const Array& q, long o, long s) {
  return (8 * (q[o + s] - q[o - s]) - (q[o + 2 * s] - q[o - 2 * s])) / 12;
}
inline double fourth_difference(const Array& q, long o, long s) {
  return (q[o + 2 * s] + q[o - 2 * s]) - 4 * (q[o + s] + q[o - s]) + 6 * q[o];
}
// U^d = V . nabla xi_d, in cells per unit time
inline double contravariant(const VectorArray& grad_d, const VectorArray& V, long o) {
  return grad_d[0][o] * V[0][o] + grad_d[1][o] * V[1][o] + grad_d[2][o] * V[2][o];
}
inline double convection(const Geometry& g, const VectorArray& V, const Array& q, long o, double alpha) {
  double sum = 0;
  for (int d = 0; d < 3; ++d) {
    double U = contravariant(g.conv[d], V, o);
    long s = g.mesh.stride[d];
    sum += U * five_point_slope(q, o, s) + alpha / 12 * std::abs(U) * fourth_difference(q, o, s);
  }
  return sum;
}

// ---- Laplacian of the velocity: (1/J) sum of fluxes, walls' values known; box(1)
// ---------------------------------

// J times the Laplacian: springs J g^dd along the axes, +-J g^ab/2 along the diagonals of each plane.
inline double scaled_laplacian(const Geometry& g, const Array& q, long o) {
  double sum = 0;
  for (int d = 0; d < 3; ++d) {
    long s = g.mesh.stride[d];
    sum += g.face[d][o + s] * (q[o + s] - q[o]) - g.face[d][o] * (q[o] - q[o - s]);
  }
  if (g.orthogonal) return sum;
  for (int d = 0; d < 3; ++d) {
    long a = g.mesh.stride[(d + 1) % 3], b = g.mesh.stride[(d + 2) % 3];
    const Array& e = g.edge[d];
    sum += 0.5 * ((e[o + a + b] * (q[o + a + b] - q[o]) + e[o] * (q[o - a - b] - q[o])) -
                  (e[o + a] * (q[o + a - b] - q[o]) + e[o + b] * (q[o - a + b] - q[o])));
  }
  return sum;
}
inline double laplacian(const Geometry& g, const Array& q, long o) {
  return scaled_laplacian(g, q, o) / g.J[o];
}

// f = nu nabla^2 q - (V . nabla) q
inline double acceleration(const Geometry& g, const VectorArray& V, const Array& q, long o, double nu,
                           double alpha) {
  return nu * laplacian(g, q, o) - convection(g, V, q, o, alpha);
}

// ---- Gradient of p (star(1), exact for linear fields)
// ------------------------------------------------------------

inline Vec3 gradient(const Geometry& g, const Array& p, long o) {
  Vec3 dp;
  for (int d = 0; d < 3; ++d) dp[d] = diff2(p, o, g.mesh.stride[d]);
  Vec3 out;
  for (int e = 0; e < 3; ++e)
    out[e] = g.grad[0][e][o] * dp[0] + g.grad[1][e][o] * dp[1] + g.grad[2][e][o] * dp[2];
  return out;
}

// ---- Walls
// ---------------------------------------------------------------------------------------------------------

// One face and its rigid motion, not used on a periodic axis. Zero for a wall at rest.
struct Face {
  Vec3 velocity{}, spin{}, about{};
  Vec3 at(const Vec3& x) const {
    const Vec3 arm{x[0] - about[0], x[1] - about[1], x[2] - about[2]};
    const Vec3 turn = cross(spin, arm);
    return {velocity[0] + turn[0], velocity[1] + turn[1], velocity[2] + turn[2]};
  }
};
inline Vec3 position(const Geometry& g, long o) { return {g.x[0][o], g.x[1][o], g.x[2][o]}; }
using Faces = std::array<std::array<Face, 2>, 3>;  // [axis][low, high]

// The control volume of a cell beside a wall reaches from the wall to 3/2, so that its outer flux is exactly
// zero. Tangential fluxes of that row are the integral of the linear profile through wall and cell over [0,
// 3/2]: 9/8 of the cell's value and 3/8 of the wall's.
constexpr double row_weight = 9.0 / 8, wall_weight = 3.0 / 8;

// The weight of fluxes along axis d in the row of cell c: 9/8 for each wall beside it that contains the axis
// d.
inline double tangential_weight(const Mesh& m, Cell c, int d) {
  double w = 1;
  for (int e : {(d + 1) % 3, (d + 2) % 3}) {
    if (m.at_low_wall(c, e)) w *= row_weight;
    if (m.at_high_wall(c, e)) w *= row_weight;
  }
  return w;
}

// ---- Divergence in flux form
// ---------------------------------------------------------------------------------------

// Q^d = J nabla xi_d . F, at the cell; in rows beside walls F is the row's integral. F = V/dt + f, and
// V_wall/dt on a wall (f - grad p vanishes there).
inline double contravariant_flux(const Geometry& g, const Faces& faces, Vec3 F, Cell c, long o, int d,
                                 double dt) {
  double width = 1;
  for (int a : {(d + 1) % 3, (d + 2) % 3})
    for (int side : {-1, 1}) {
      if (g.mesh.inside(c, a, side)) continue;
      const Vec3 wall = faces[a][side > 0].at(position(g, o + side * g.mesh.stride[a]));
      for (int e = 0; e < 3; ++e) F[e] = row_weight * F[e] + wall_weight * width * (wall[e] / dt);
      width *= row_weight + wall_weight;
    }
  return g.J[o] * (g.grad[d][0][o] * F[0] + g.grad[d][1][o] * F[1] + g.grad[d][2][o] * F[2]);
}
// J div F = differences of face fluxes (means of the two cells); the ghost -Q beyond a wall closes its face
// to the bit.
inline double scaled_divergence(const Geometry& g, const VectorArray& Q, long o) {
  double sum = 0;
  for (int d = 0; d < 3; ++d) {
    long s = g.mesh.stride[d];
    sum += 0.5 * (Q[d][o] + Q[d][o + s]) - 0.5 * (Q[d][o - s] + Q[d][o]);
  }
  return sum;
}
inline void close_walls(const Mesh& m, VectorArray& Q) {
  m.wrap(Q);
  for (int d = 0; d < 3; ++d) {
    if (m.periodic[d]) continue;
    for (int side : {-1, 1}) {
      Cell lo{0, 0, 0}, hi = m.n;
      lo[d] = side < 0 ? -1 : m.n[d], hi[d] = lo[d] + 1;
      m.for_each(lo, hi, [&](Cell, long o) { Q[d][o] = -Q[d][o - side * m.stride[d]]; });
    }
  }
}

// ---- Velocity at and beyond the walls
// ------------------------------------------------------------------------------

// Layer 1: the wall's velocity. Layer 2: the cubic through the wall and three cells, so that the fourth
// difference (the upwind dissipation) vanishes at the first cell and its slope is the third-order four-point
// one.
inline void velocity_boundary(const Geometry& g, const Faces& faces, VectorArray& V) {
  const Mesh& m = g.mesh;
  for (int d = 0; d < 3; ++d) {
    if (m.periodic[d]) {
      Mesh only = m;
      for (int e = 0; e < 3; ++e) only.periodic[e] = e == d;
      only.wrap(V);
      continue;
    }
    for (int side : {-1, 1}) {
      long s = -side * m.stride[d];  // inward
      Cell lo{-2, -2, -2}, hi{m.n[0] + 2, m.n[1] + 2, m.n[2] + 2};
      lo[d] = side < 0 ? -1 : m.n[d], hi[d] = lo[d] + 1;
      for (int e = 0; e < 3; ++e)
        m.for_each(lo, hi, [&](Cell, long o) {
          V[e][o] = faces[d][side > 0].at(position(g, o))[e];
          V[e][o - s] = 4 * (V[e][o] + V[e][o + 2 * s]) - 6 * V[e][o + s] - V[e][o + 3 * s];
        });
    }
  }
}

// ---- Pressure on the walls
// -----------------------------------------------------------------------------------------

// The wall value that gives a one-sided second-order normal slope equal to f . n, with f = nu V_nn on the
// wall: g^dd p_d = nu g^dd (nabla xi_d . V_dd) - g^da p_a - g^db p_b. Since n . dV/dn = 0 there (continuity),
// V_dd = (8 V_0 - V_1 - 7 V_wall)/2. Tangential slopes: those of the first two cells, extrapolated to the
// wall.
inline double wall_tangential_slope(const Mesh& m, const Array& p, Cell c, long o, int a) {
  bool below = m.inside(c, a, -1), above = m.inside(c, a, 1);
  long hi = above ? o + m.stride[a] : o, lo = below ? o - m.stride[a] : o;
  double steps = double(below) + double(above);
  return steps > 0 ? (p[hi] - p[lo]) / steps : 0.0;
}
// c: the cell next to the wall, o its offset; side: -1 for the low wall.
inline double wall_pressure(const Geometry& g, const Face& face, const Array& p, const VectorArray& V, Cell c,
                            long o, int d, int side, double nu) {
  const Mesh& m = g.mesh;
  long s = -side * m.stride[d], w = o - s;
  Metric wall = metric2(g, w);
  // W, the velocity less the wall's rigid motion, vanishes along the wall.
  Vec3 own0 = face.at(position(g, o)), own1 = face.at(position(g, o + s)), W_d, W_dd;
  for (int e = 0; e < 3; ++e) {
    double W0 = V[e][o] - own0[e], W1 = V[e][o + s] - own1[e];
    W_d[e] = -side * 0.5 * (4 * W0 - W1), W_dd[e] = 0.5 * (8 * W0 - W1);
  }
  double gdd = dot(wall.grad[d], wall.grad[d]);
  double slope = nu * dot(wall.grad[d], W_dd);
  slope -= dot(wall.grad[d], cross(face.spin, face.at(position(g, w)))) / gdd;
  if (!g.orthogonal) {
    for (int a : {(d + 1) % 3, (d + 2) % 3})
      for (int b : {(d + 1) % 3, (d + 2) % 3}) {
        long i = m.stride[a], j = m.stride[b];
        Vec3 bend;
        for (int e = 0; e < 3; ++e) {
          const Array& x = g.x[e];
          bend[e] = a == b ? x[w + i] - 2 * x[w] + x[w - i]
                           : 0.25 * (x[w + i + j] - x[w - i + j] - x[w + i - j] + x[w - i - j]);
        }
        slope +=
            2 * nu * dot(wall.grad[d], wall.grad[a]) / gdd * dot(W_d, wall.grad[b]) * dot(wall.grad[d], bend);
      }
    for (int a : {(d + 1) % 3, (d + 2) % 3}) {
      double tangential = 2 * wall_tangential_slope(m, p, c, o, a) - wall_tangential_slope(m, p, c, o + s, a);
      slope -= dot(wall.grad[d], wall.grad[a]) / gdd * tangential;
    }
  }
  return (4 * p[o] - p[o + s] + 2 * side * slope) / 3;
}
inline void pressure_boundary(const Geometry& g, const Faces& faces, const VectorArray& V, double nu,
                              Array& p) {
  const Mesh& m = g.mesh;
  m.wrap(p);
  for (int d = 0; d < 3; ++d) {
    if (m.periodic[d]) continue;
    for (int side : {-1, 1}) {
      Cell lo{0, 0, 0}, hi = m.n;
      lo[d] = side < 0 ? 0 : m.n[d] - 1, hi[d] = lo[d] + 1;
      m.for_each(lo, hi, [&](Cell c, long o) {
        p[o + side * m.stride[d]] = wall_pressure(g, faces[d][side > 0], p, V, c, o, d, side, nu);
      });
    }
  }
}

// ---- Time step
// -----------------------------------------------------------------------------------------------------

// 4 nu sum g^dd + (4 alpha / 3) sum |U^d|: Delta t times this stays below 1.8
inline double stiffness(const Geometry& g, const VectorArray& V, long o, double nu, double alpha) {
  double viscous = 0, convective = 0;
  for (int d = 0; d < 3; ++d) {
    viscous += g.grad[d][0][o] * g.grad[d][0][o] + g.grad[d][1][o] * g.grad[d][1][o] +
               g.grad[d][2][o] * g.grad[d][2][o];
    convective += std::abs(contravariant(g.conv[d], V, o));
  }
  return 4 * nu * viscous + 4 * alpha / 3 * convective;
}

}  // namespace sc::oracle
