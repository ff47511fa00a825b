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
    double shape = contains(x) ? 1 : 0;
    for (int a = 0; a < 3; ++a)
      if (a != axis && parabola[std::size_t(a)]) shape *= 6 * share(x, a) * (1 - share(x, a));
    return {shape * velocity[0], shape * velocity[1], shape * velocity[2]};
  }
  /// Whether the point lies within the rectangle; those on its edge do.
  SC_FN bool contains(const Vec3& x) const {
    constexpr double rounding = 1e-12;
    bool within = true;
    for (int a = 0; a < 3; ++a)
      within = within && (a == axis || (share(x, a) >= -rounding && share(x, a) <= 1 + rounding));
    return within;
  }
  /// Whether the rectangle is the whole face of a box with these sides.
  bool covers(const Vec3& size) const {
    bool all = true;
    for (std::size_t a = 0; a < 3; ++a) all = all && (int(a) == axis || (from[a] <= 0 && to[a] >= size[a]));
    return all;
  }

 private:
  SC_FN double share(const Vec3& x, int a) const {
    const auto k = static_cast<std::size_t>(a);
    return (x[k] - from[k]) / (to[k] - from[k]);
  }
};

}  // namespace sc::cavity
