// SPDX-License-Identifier: Apache-2.0
// The velocity with which fluid enters through a face of a box, or through a rectangle of it.
#pragma once

#include <array>

#include "solvers/cavity/metrics.hpp"

namespace sc::cavity {

/// Uniform, or with a parabola across one or both axes of the face; zero outside of the rectangle.
struct InflowProfile {
  Vec3 velocity{};  ///< mean over the rectangle
  int axis = 0;     ///< normal to the face
  Vec3 from{}, to{};
  std::array<bool, 3> parabola{};

  /// V = velocity product_a 6 s (1 - s), s = (x_a - from_a) / (to_a - from_a), of the axes with a parabola.
  SC_FN Vec3 at(const Vec3& x) const {
    constexpr double rounding = 1e-12;  // points on the rectangle's edge belong to it
    double shape = 1;
    for (int a = 0; a < 3; ++a) {
      const auto k = static_cast<std::size_t>(a);
      if (a == axis) continue;
      const double s = (x[k] - from[k]) / (to[k] - from[k]);
      if (s < -rounding || s > 1 + rounding) shape = 0;
      if (parabola[k]) shape *= 6 * s * (1 - s);
    }
    return {shape * velocity[0], shape * velocity[1], shape * velocity[2]};
  }
};

}  // namespace sc::cavity
