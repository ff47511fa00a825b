// SPDX-License-Identifier: Apache-2.0
// The force of the fluid on a wall: the stress on the points of one face, summed.
#pragma once

#include "solvers/cavity/inflow.hpp"
#include "solvers/cavity/wall_motion.hpp"
#include "solvers/cavity/walls.hpp"

namespace sc::cavity {

/// The open extended formula of second order for an integral from one face to the other, which needs no value
/// on the edges: 15/8, 5/8, 1, …, 1, 5/8, 15/8 of the cells' values.
SC_FN double weight_along(const Walls& walls, Index g, int axis) {
  if (walls.periodic[axis]) return 1;
  const std::int64_t low = Walls::along(g, axis), high = walls.cells[axis] - 1 - low;
  const std::int64_t from_end = low < high ? low : high;
  return from_end == 0 ? 15.0 / 8 : from_end == 1 ? 5.0 / 8 : 1.0;
}

/// dq/ds at a face, with s the index that grows inwards: the cubic through the face and three cells.
SC_FN double inward_slope(double face, double first, double second, double third) {
  return (18 * first - 11 * face - 9 * second + 2 * third) / 6;
}

/// What the stress sigma = -p I + nu (nabla V + nabla V^T) does to the part of a face that belongs to one
/// cell, n inwards: the sums are the forces -p n and nu dW/dn, and the moment of both about the origin. W is
/// the velocity relative to the wall's own motion; W = 0 along the wall, hence dW/dn = |nabla xi_d| W_d, and
/// its normal part vanishes by continuity. On a face of slip only the normal part 2 nu dV_n/dn remains.
template <class Real>
struct WallForce {
  Face face;
  double nu;
  Walls walls;
  WallMotion motion;
  bool slips;
  bool pierced;  ///< fluid enters through `opening`; the rest of the face is a wall
  InflowProfile opening;

  SC_FN std::array<double, 9> operator()(At c, Index g, In<Real, 3> V, In<Real> p, In<double, 3> x) const {
    if (!walls.at(g, face)) return {};
    const int d = face.axis, inward = face.side == 0 ? 1 : -1;
    const At wall = c.along(d, -inward);
    const Vec3 place{x[0][wall], x[1][wall], x[2][wall]};
    if (pierced && opening.contains(place)) return {};
    const int a = (d + 1) % 3, b = (d + 2) % 3;
    Vec3 area = cross(tangent(x, wall, a), tangent(x, wall, b));
    for (double& component : area) component *= inward;

    const Vec3 W = slope_of_velocity(V, x, c, inward);
    const double volume = dot(area, slope_of_points(x, c, inward)), through = dot(area, W);
    const double weight = weight_along(walls, g, a) * weight_along(walls, g, b);
    std::array<double, 9> sums;
    Vec3 force;
    for (std::size_t e = 0; e < 3; ++e) {
      const double shear = slips ? 2 * area[e] * through : dot(area, area) * W[e] - area[e] * through;
      sums[e] = -weight * double(p[wall]) * area[e];
      sums[3 + e] = weight * nu / volume * shear;
      force[e] = sums[e] + sums[3 + e];
    }
    const Vec3 moment = cross(place, force);
    for (std::size_t e = 0; e < 3; ++e) sums[6 + e] = moment[e];
    return sums;
  }

 private:
  SC_FN Vec3 slope_of_points(In<double, 3> x, At c, int inward) const {
    const int d = face.axis;
    Vec3 slope;
    for (int e = 0; e < 3; ++e)
      slope[std::size_t(e)] = inward_slope(x[e][c.along(d, -inward)], x[e][c], x[e][c.along(d, inward)],
                                           x[e][c.along(d, 2 * inward)]);
    return slope;
  }
  /// Of W; of a face of slip, where V has no normal part.
  SC_FN Vec3 slope_of_velocity(In<Real, 3> V, In<double, 3> x, At c, int inward) const {
    std::array<Vec3, 3> W;
    for (int n = 0; n < 3; ++n) {
      const At q = c.along(face.axis, n * inward);
      const Vec3 own = motion.at({x[0][q], x[1][q], x[2][q]});
      for (int e = 0; e < 3; ++e) W[std::size_t(n)][std::size_t(e)] = double(V[e][q]) - own[std::size_t(e)];
    }
    Vec3 slope;
    for (std::size_t e = 0; e < 3; ++e) slope[e] = inward_slope(0, W[0][e], W[1][e], W[2][e]);
    return slope;
  }
};

}  // namespace sc::cavity
