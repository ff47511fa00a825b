// SPDX-License-Identifier: Apache-2.0
// The fields of a crystal and their stages, which encapsulate the precision and the terms of the equations.
#pragma once

#include <memory>

#include "solvers/common/stage_of.hpp"
#include "solvers/common/typed.hpp"
#include "solvers/dendrite/options.hpp"

namespace sc::dendrite {

/// Counted by running the kernel with a type that counts (tests/unit/dendrite_kernels_test.cpp), without the
/// integer operations of the noise. A rotated crystal's axes are computed for the faces along x, and once
/// more for those along y and z. Differences of fourth order take more for the three faces, and for the
/// slopes at the cell, which Karma and Rappel need.
constexpr double advance_flops = 138, axes_flops = 36, rotated_flops = 222 + 2 * axes_flops, noise_flops = 3,
                 karma_rappel_flops = 145, karma_rappel_rotated_flops = 244 + 3 * axes_flops,
                 fourth_order_flops = 66, fourth_order_slopes_flops = 12;

struct Stages {
  std::unique_ptr<AnyField> phi;          ///< 1 solid, 0 melt
  std::unique_ptr<AnyField> theta;        ///< T - T_m, K; (T - T_m) / (L / C) with Karma and Rappel
  std::unique_ptr<AnyField> orientation;  ///< unit quaternion of a cell's crystal; null: all as the grid
  SetStage<std::int64_t> advance;   ///< both fields, from now to next; its parameter is the step's number
  std::unique_ptr<Stage> extremes;  ///< largest phi, -phi, theta, -theta; NaN if not finite
  std::unique_ptr<Stage> sums;  ///< phi, theta - (L / C) h(phi); with Karma and Rappel the free energy too
};

/// Collective. Uninitialised fields, in the precision of the options.
Stages make_stages(const Grid& grid, const DendriteOptions& options, const FieldOptions& where, double dt);

}  // namespace sc::dendrite
