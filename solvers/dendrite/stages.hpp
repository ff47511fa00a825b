// SPDX-License-Identifier: Apache-2.0
// The fields of a crystal and the stages over them, which hide the precision and the equations' terms.
#pragma once

#include <memory>

#include "solvers/common/stage_of.hpp"
#include "solvers/common/typed.hpp"
#include "solvers/dendrite/options.hpp"

namespace sc::dendrite {

/// Counted by running the kernel on a type that counts (tests/unit/dendrite_kernels_test.cpp). The integer
/// operations of the noise are not in it. A rotated crystal's axes are computed for the faces along x, and
/// once more for those along y and z.
constexpr double advance_flops = 138, axes_flops = 36, rotated_flops = 222 + 2 * axes_flops, noise_flops = 3;

struct Stages {
  std::unique_ptr<AnyField> phi;          ///< 1 solid, 0 melt
  std::unique_ptr<AnyField> theta;        ///< T - T_m, K
  std::unique_ptr<AnyField> orientation;  ///< unit quaternion of the crystal of a cell; null: all as the grid
  SetStage<std::int64_t> advance;         ///< both fields, from now to next; set for a step by its number
  std::unique_ptr<Stage> extremes;        ///< largest phi, -phi, theta, -theta; NaN where not finite
  std::unique_ptr<Stage> sums;            ///< phi, and theta - (L / C) h(phi)
};

/// Collective. Uninitialised fields, in single or double precision as the options say.
Stages make_stages(const Grid& grid, const DendriteOptions& options, const FieldOptions& where, double dt);

}  // namespace sc::dendrite
