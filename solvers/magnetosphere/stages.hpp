// SPDX-License-Identifier: Apache-2.0
// The stages of a step, which hide whether there is a planet and which diffusion.
#pragma once

#include "solvers/common/stage_of.hpp"
#include "solvers/magnetosphere/fields.hpp"
#include "solvers/magnetosphere/options.hpp"

namespace sc::magnetosphere {

/// From one set of points to the other; each is set to the numbers of its next run.
struct Stages {
  SetStage<Numbers> predict;  ///< centres from nodes alone, at the start of a cycle
  SetStage<Numbers> first;    ///< centres leap over nodes
  SetStage<Numbers> second;   ///< nodes leap over centres
};
template <Diffusion diffusion>
Stages stages_with(Plasma& nodes, Plasma& centres, bool planet);
/// Those that the options need.
Stages make_stages(Plasma& nodes, Plasma& centres, const MagnetosphereOptions& options);

}  // namespace sc::magnetosphere
