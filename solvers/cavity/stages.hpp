// SPDX-License-Identifier: Apache-2.0
// Mesh, fields and stages of a flow; they encapsulate the precision and whether the grid has mixed
// derivatives.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "solvers/cavity/averages.hpp"
#include "solvers/cavity/flow_through.hpp"
#include "solvers/cavity/mesh.hpp"
#include "solvers/cavity/open_faces.hpp"
#include "solvers/cavity/poisson.hpp"
#include "solvers/common/stage_of.hpp"

namespace sc::cavity {

/// dt times the rate of `Limits` stays below it.
inline constexpr double stability_limit = 1.8;

/// The velocity on the faces of outflow, which is known before the pressure.
struct Outflow {
  AnyField& velocity;
  SetStage<double> convect;  ///< the parameter is the way dt U; returns what would leave
  SetStage<double> balance;  ///< the parameter is the velocity to add, outwards
  /// Of second order: keep what a stage and a step begin with, and take the mean.
  std::unique_ptr<Stage> keep_before{}, keep_begin{}, mean{};
};

struct Averaged {
  Averages& fields;
  SetStage<double> add;  ///< the parameter is the share of the present state
};

/// The force on a face that is a wall, or partly one, or has slip.
struct ForceOn {
  std::size_t face;  ///< x-, x+, y-, y+, z-, z+
  std::unique_ptr<Stage> stage;
};

struct Stages {
  std::shared_ptr<void> owner;  ///< of everything that is referenced here or used by the stages
  Field<double, 3>& x;          ///< points, halo included
  AnyField& V;                  ///< velocity; that of walls in the first halo layer
  AnyField& p;                  ///< pressure, volume mean zero unless a face has a given one
  Poisson& poisson;
  double smallest;             ///< shortest distance between neighbouring points
  std::array<Vec3, 3> period;  ///< added to the points beyond periodic boundaries
  FlowThrough through;

  std::unique_ptr<Stage> accelerate, source, mean, limits, divergence;
  SetStage<StepTimes> flux;
  SetStage<double> correct;          ///< the parameter is dt
  SetStage<double> correct_to_mean;  ///< V.next() becomes the mean of itself and of what `correct` gives
  SetStage<double> centre;           ///< the parameter is the mean to subtract
  std::optional<Outflow> outflow;
  std::vector<ForceOn> forces;
  std::optional<Averaged> averaged;
};

/// Collective. Fields at rest with the walls' conditions, in the precision of the options.
Stages make_stages(const Grid& grid, const Points& points, const CavityOptions& options, Runner& runner);

}  // namespace sc::cavity
