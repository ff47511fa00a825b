// SPDX-License-Identifier: Apache-2.0
// Mesh, fields and stages of a flow, which hide the precision and whether the grid has mixed derivatives.
#pragma once

#include <memory>

#include "solvers/cavity/mesh.hpp"
#include "solvers/cavity/poisson.hpp"
#include "solvers/common/stage_of.hpp"

namespace sc::cavity {

struct Stages {
  std::shared_ptr<void> owner;  ///< of what is referred to here, and of what else the stages need
  Field<double, 3>& x;          ///< points, halo included
  AnyField& V;                  ///< velocity; the walls' own in the first halo layer
  AnyField& p;                  ///< pressure, volume mean zero
  Poisson& poisson;
  double smallest;             ///< shortest distance of neighbouring points
  std::array<Vec3, 3> period;  ///< by which the points of periodic axes go on

  std::unique_ptr<Stage> accelerate, source, mean, stiffness, divergence;
  SetStage<double> flux, correct;  ///< set for a step by dt
  SetStage<double> centre;         ///< set to the mean that it takes away
};

/// Collective. Fields at rest with the walls' conditions, in single or double precision as the options say.
Stages make_stages(const Grid& grid, const Points& points, const CavityOptions& options, Runner& runner);

}  // namespace sc::cavity
