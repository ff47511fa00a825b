// SPDX-License-Identifier: Apache-2.0
// Mesh, fields and stages of a flow, which hide the precision and whether the grid has mixed derivatives.
#pragma once

#include <functional>
#include <memory>

#include "solvers/cavity/mesh.hpp"
#include "solvers/cavity/poisson.hpp"

namespace sc::cavity {

struct Stages {
  std::shared_ptr<void> owner;  ///< of what is referred to here, and of what else the stages need
  Field<double, 3>& x;          ///< points, halo included
  AnyField& V;                  ///< velocity; the walls' own in the first halo layer
  AnyField& p;                  ///< pressure, volume mean zero
  Poisson& poisson;
  double smallest;  ///< shortest distance of neighbouring points

  std::unique_ptr<Stage> accelerate, flux, source, mean, centre, correct, stiffness, divergence;
  std::function<void(double dt)> set_step;    ///< of `flux` and `correct`
  std::function<void(double mean)> set_mean;  ///< what `centre` takes away
};

/// Collective. Fields at rest with the walls' conditions, in single or double precision as the options say.
Stages make_stages(const Grid& grid, const Points& points, const CavityOptions& options, Runner& runner);

}  // namespace sc::cavity
