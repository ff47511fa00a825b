// SPDX-License-Identifier: Apache-2.0
// Oracle of the magnetosphere solver: the planet at the origin, as its README describes it: dipole, gravity,
// the static state with its weight, and the start. Powers of r as they stand there, also at r = 0.
#pragma once

#include <algorithm>
#include <cmath>

#include "tests/oracle/mhd_faces.hpp"

namespace sc::oracle {

struct Planet {
  double inner = 0, outer = 0, strength = 0;
  double tilt = 0, gravity = 0, pressure = 0, rotation = 0;
  double mirror = 0;  // x of the plane of the image dipole
  State wind{};

  static double radius(Vector r) { return std::sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]); }

  /// B = (r^2 m - 3 (m . r) r) / r^5, m of unit length, leaning by `tilt` from z towards +x
  Vector dipole(Vector r) const {
    const Vector m{std::sin(tilt), 0, std::cos(tilt)};
    const double along = m[0] * r[0] + m[1] * r[1] + m[2] * r[2];
    Vector B;
    for (std::size_t a = 0; a < 3; ++a)
      B[a] = m[a] / std::pow(radius(r), 3) - 3 * along * r[a] / std::pow(radius(r), 5);
    return B;
  }

  /// dv/dt of gravity: towards the centre, as r^-2
  Vector pull(Vector r) const {
    const double g = gravity / std::pow(radius(r), 2);
    return {-g * r[0] / radius(r), -g * r[1] / radius(r), -g * r[2] / radius(r)};
  }

  /// rho = r^-3, p = p_0 r^-2, v = Omega x r, B the dipole
  State still(Vector r) const {
    const Vector B = dipole(r);
    return {std::max(std::pow(radius(r), -3), 0.2 * wind[rho]),
            -rotation * r[1],
            rotation * r[0],
            0,
            std::max(pressure * std::pow(radius(r), -2), wind[pr]),
            B[0],
            B[1],
            B[2]};
  }

  /// f, the weight of the computed state
  double freedom(Vector r) const {
    if (radius(r) < inner) return 0;
    if (radius(r) > outer) return 1;
    const double h = std::pow(radius(r) / inner, 2) - 1;
    return strength * h * h / (strength * h * h + 1);
  }

  /// q <- f q + (1 - f) q_static
  void hold(Vector r, State& q) const {
    const double f = freedom(r);
    const State held = still(r);
    for (std::size_t v = 0; v < variables; ++v)
      q[v] = f > 0 ? f * q[v] + (1 - f) * held[v] : held[v];  // q may be infinite about r = 0
  }

  /// Upstream of the mirror plane the wind. Downstream the static state, rotating within r_a only; the field
  /// is that of the dipole, of its mirror image, which cancels B_x on the plane, and of the wind along x.
  State start(Vector r) const {
    if (r[0] < mirror) return wind;
    State q = still(r);
    if (!(radius(r) < inner)) q[vx] = q[vy] = 0;
    const Vector image = dipole({2 * mirror - r[0], r[1], r[2]});
    q[bx] += wind[bx] - image[0];
    q[by] += image[1];
    q[bz] += image[2];
    return q;
  }
};

}  // namespace sc::oracle
