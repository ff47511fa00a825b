// SPDX-License-Identifier: Apache-2.0
// The profiles that cavity flows are compared by: u on the vertical centreline, w on the horizontal one,
// sampled from the gathered points of any structured grid.
#pragma once

#include <array>
#include <vector>

#include "engine/grid/box.hpp"
#include "solvers/cavity/metrics.hpp"

namespace sc::cavity {

/// A gathered field: [component][z][y][x], walls included.
struct Gathered {
  Int3 extent;
  std::vector<double> coordinates;
  std::vector<double> velocity;
};

struct Profile {
  std::vector<double> position;
  std::vector<double> velocity;
};

/// Component `component` of the velocity where the grid surfaces across `axis` meet the line through the
/// middle of the unit box along that axis: one sample for every point of the axis. NaN where the line does
/// not meet a surface.
Profile centreline(const Gathered& flow, int axis, int component);

}  // namespace sc::cavity
