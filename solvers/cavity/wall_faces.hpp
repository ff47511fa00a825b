// SPDX-License-Identifier: Apache-2.0
// The conditions of walls, and the continuation of a velocity beyond any face.
#pragma once

#include "solvers/cavity/metrics.hpp"
#include "solvers/cavity/wall_motion.hpp"
#include "solvers/cavity/walls.hpp"

namespace sc::cavity {

/// A value on a face, in the first layer. The second layer is the cubic through the face and three cells, so
/// that at the first cell the fourth difference vanishes and the slope is the third-order four-point formula.
template <class Real>
SC_FN void continue_by_cubic(Out<Real> q, Border b, Real face) {
  q[b.ghost(1)] = face;
  q[b.ghost(2)] = Real(4) * (face + q[b.inside(2)]) - Real(6) * q[b.inside(1)] - q[b.inside(3)];
}

/// A wall or an inflow: V at the face's points is that of `Motion`.
template <class Real, class Motion>
struct GivenVelocity {
  Motion motion;
  SC_FN void operator()(Border b, Out<Real, 3> V, In<double, 3> x) const {
    const At face = b.ghost(1);
    const Vec3 velocity = motion.at({x[0][face], x[1][face], x[2][face]});
    for (int e = 0; e < 3; ++e) continue_by_cubic(V[e], b, Real(velocity[std::size_t(e)]));
  }
};

/// No flux through a wall: Q is antisymmetric about the wall, so that the mean on the face vanishes.
template <class Real>
struct NoFlux {
  int axis;
  SC_FN void operator()(Border b, Out<Real, 3> Q) const { Q[axis][b.ghost(1)] = -Q[axis][b.inside(1)]; }
};

/// The wall value of p for which the one-sided second-order normal slope satisfies the momentum equation on
/// the wall. W is the velocity relative to the wall's own motion; W = 0 along the wall and n . dW/dn = 0
/// (continuity), hence W_dd = (8 W_0 - W_1) / 2 for its normal part, and with a, b the axes along the wall
///   g^dd p_d = nu g^dd nabla xi_d . (W_dd + 2 sum_ab (g^da / g^dd) (W_d . nabla xi_b) x_ab)
///              - nabla xi_d . (spin x V_wall) - sum_a g^da p_a.
/// The sum over x_ab is the contribution of a curved wall that grid lines do not meet at right angles. The
/// term of the spin is the centripetal acceleration of a rotating wall. Tangential slopes p_a are
/// extrapolated to the wall from those of the first two cells.
template <class Real>
struct WallPressure {
  Face face;
  Real nu;
  Walls walls;
  WallMotion motion;
  bool mixed;  ///< the grid has cross terms

  /// Central if both neighbours have an unknown, one-sided beside another wall.
  SC_FN Real tangential_slope(In<Real> p, At c, Index g, int a) const {
    const bool below = walls.inside(g, a, -1), above = walls.inside(g, a, 1);
    const int steps = int(below) + int(above);
    return steps > 0 ? (p[c.along(a, int(above))] - p[c.along(a, -int(below))]) / Real(steps) : Real(0);
  }
  SC_FN Vec3 relative(In<Real, 3> V, In<double, 3> x, At c) const {
    const Vec3 own = motion.at({x[0][c], x[1][c], x[2][c]});
    return {double(V[0][c]) - own[0], double(V[1][c]) - own[1], double(V[2][c]) - own[2]};
  }
  /// 2 sum_ab (g^da / g^dd) (W_d . nabla xi_b) nabla xi_d . x_ab on the wall.
  SC_FN double curvature(In<double, 3> x, At wall, const Metric& m, const Vec3& W_d) const {
    const int d = face.axis;
    const Vec3& normal = m.grad[std::size_t(d)];
    double sum = 0;
    for (int k = 1; k < 3; ++k)
      for (int l = 1; l < 3; ++l) {
        const int a = (d + k) % 3, b = (d + l) % 3;
        Vec3 x_ab;
        for (int e = 0; e < 3; ++e) x_ab[std::size_t(e)] = second_difference(x[e], wall, a, b);
        sum += dot(normal, m.grad[std::size_t(a)]) * dot(W_d, m.grad[std::size_t(b)]) * dot(normal, x_ab);
      }
    return 2 * sum / dot(normal, normal);
  }

  SC_FN void operator()(Border b, Index g, Out<Real> out, In<Real, 3> V, In<double, 3> x) const {
    const In<Real> p = out;
    const int d = face.axis, side = face.side == 0 ? -1 : 1;
    const At wall = b.ghost(1), first = b.inside(1), second = b.inside(2);
    const Metric m = metric2(x, wall);
    const Vec3& normal = m.grad[std::size_t(d)];
    const double gdd = dot(normal, normal);
    const Vec3 W0 = relative(V, x, first), W1 = relative(V, x, second);
    Vec3 W_d, W_dd;
    for (std::size_t e = 0; e < 3; ++e) {
      W_d[e] = -side * 0.5 * (4 * W0[e] - W1[e]);
      W_dd[e] = 0.5 * (8 * W0[e] - W1[e]);
    }
    double viscous = dot(normal, W_dd);
    if (mixed) viscous += curvature(x, wall, m, W_d);
    const Vec3 inward = cross(motion.spin, motion.at({x[0][wall], x[1][wall], x[2][wall]}));
    Real slope = Real(double(nu) * viscous - dot(normal, inward) / gdd);
    if (mixed)
      for (int k = 1; k < 3; ++k) {
        const int a = (d + k) % 3;
        const Real at_wall = Real(2) * tangential_slope(p, first, g, a) - tangential_slope(p, second, g, a);
        slope -= Real(dot(normal, m.grad[std::size_t(a)]) / gdd) * at_wall;
      }
    out[wall] = (Real(4) * p[first] - p[second] + Real(2 * side) * slope) / Real(3);
  }
};

}  // namespace sc::cavity
