// SPDX-License-Identifier: Apache-2.0
// The motion of a wall along itself, as a rigid body: a plane slides, a cylinder rotates.
#pragma once

#include "solvers/cavity/metrics.hpp"

namespace sc::cavity {

struct WallMotion {
  Vec3 velocity{};  ///< of the wall's points, without rotation
  Vec3 spin{};      ///< angular velocity
  Vec3 about{};     ///< a point on the axis of rotation

  /// V_wall = velocity + spin x (x - about).
  SC_FN Vec3 at(const Vec3& x) const {
    const Vec3 turn = cross(spin, {x[0] - about[0], x[1] - about[1], x[2] - about[2]});
    return {velocity[0] + turn[0], velocity[1] + turn[1], velocity[2] + turn[2]};
  }
};

}  // namespace sc::cavity
