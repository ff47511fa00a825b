// SPDX-License-Identifier: Apache-2.0
// The profiles by which cavity flows are compared: u on the vertical centreline and w on the horizontal one,
// sampled from the gathered points of any structured grid.
#pragma once

#include <vector>

#include "engine/grid/box.hpp"
#include "solvers/cavity/metrics.hpp"

namespace sc::cavity {

/// A gathered field: [component][z][y][x], including walls.
struct Gathered {
  Int3 extent;
  std::vector<double> coordinates;
  std::vector<double> velocity;
  Vec3 middle = {0.5, 0.5, 0.5};  ///< of the box
};

struct Profile {
  std::vector<double> position;
  std::vector<double> velocity;
};

/// Component `component` of the velocity on the line along `axis` through the middle of the box, sampled
/// where the line intersects the grid surfaces of constant index along that axis: one sample for each index.
/// NaN if there is no intersection.
Profile centreline(const Gathered& flow, int axis, int component);

}  // namespace sc::cavity
