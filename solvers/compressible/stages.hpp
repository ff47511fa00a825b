// SPDX-License-Identifier: Apache-2.0
// The fields of a flow and the stages over them, which hide the precision and whether the gas is viscous.
#pragma once

#include <array>
#include <functional>
#include <memory>

#include "engine/stage/global_value.hpp"
#include "engine/stage/stage.hpp"
#include "solvers/compressible/options.hpp"

namespace sc::compressible {

struct Gas;

using StageOf = std::unique_ptr<Stage>;

struct Stages {
  std::shared_ptr<void> owner;  ///< of what is referred to here, and of what else the stages need
  AnyField& q;                  ///< conserved: rho, rho u, rho v, rho w, E
  AnyField& s;                  ///< state: rho, u, v, w, T = p / rho, mu

  std::array<StageOf, 3> gradients;               ///< d u_i / d x_a
  std::array<StageOf, 3> fluxes;                  ///< dq/dt = - d F_x, then - d F_y, - d F_z
  std::array<StageOf, 3> filters;                 ///< q from now to next along an axis; null without a filter
  StageOf push;                                   ///< the force added to dq/dt; null without forcing
  StageOf first, second, third, last;             ///< Runge and Kutta's q and its s; their worst rho and T
  StageOf decode;                                 ///< s of q
  StageOf kinetic;                                ///< energy, before the filter and after; null without one
  StageOf limits, totals, extremes;               ///< as in diagnostics.hpp
  std::function<void(double dt)> set_step;        ///< of the four updates
  std::function<void(GlobalValue&)> start_force;  ///< collective: begins to sum what the force follows from
  std::function<void(GlobalValue&)> set_force;    ///< collective: of `push`, for the state at start_force
};

/// Collective. Uninitialised fields, in far memory where `place` is some.
Stages make_stages(const Grid& grid, const CompressibleOptions& options, const Gas& gas,
                   const std::shared_ptr<FarPlace>& place);

/// What files show.
struct Shown {
  std::shared_ptr<void> owner;
  AnyField &density, &velocity, &pressure, &dilatation, &vorticity;
  StageOf show;  ///< from the state and its slopes
};
/// Collective.
Shown make_shown(Stages& stages, bool single);

}  // namespace sc::compressible
