// SPDX-License-Identifier: Apache-2.0
// The state at time 0: spheres with the profile of a front at rest, in melt of uniform temperature; and the
// crystal to which each cell will belong.
#pragma once

#include "solvers/dendrite/model.hpp"

namespace sc::dendrite {

using Quaternion = std::array<double, 4>;

/// Rotates the crystal's frame to the grid's.
inline Quaternion quaternion_of(const Seed& seed) {
  const Vec3& a = seed.axis;
  const double half = 0.5 * seed.angle, length = std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  const double s = std::sin(half) / length;
  return {std::cos(half), s * a[0], s * a[1], s * a[2]};
}

class Start {
 public:
  explicit Start(const DendriteOptions& options) : o_(options) {
    for (const Seed& seed : o_.seeds) orientations_.push_back(quaternion_of(seed));
  }
  double phase(int x, int y, int z) const {
    const double phi = profile(o_, nearest(x, y, z).distance);
    return phi < vanishing<double> ? 0 : phi;
  }
  const Quaternion& orientation(int x, int y, int z) const { return orientations_[nearest(x, y, z).seed]; }

 private:
  struct Nearest {
    std::size_t seed = 0;
    double distance = 0;  ///< to its surface
  };
  /// The seed with the nearest surface, including periodic images.
  Nearest nearest(int x, int y, int z) const {
    const std::array<int, 3> cell = {x, y, z};
    Nearest best;
    for (std::size_t s = 0; s < o_.seeds.size(); ++s) {
      double square = 0;
      for (std::size_t a = 0; a < 3; ++a) {
        if (o_.karma_rappel && o_.cells[int(a)] == 1) continue;  // no dimension
        double d = (cell[a] + 0.5) * o_.spacing - o_.seeds[s].centre[a];
        const double side = o_.cells[int(a)] * o_.spacing;
        if (o_.periodic()[int(a)]) d -= side * std::round(d / side);
        square += d * d;
      }
      const double distance = std::sqrt(square) - o_.seeds[s].radius;
      if (s == 0 || distance < best.distance) best = {s, distance};
    }
    return best;
  }
  DendriteOptions o_;
  std::vector<Quaternion> orientations_;
};

}  // namespace sc::dendrite
