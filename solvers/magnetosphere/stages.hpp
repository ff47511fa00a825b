// SPDX-License-Identifier: Apache-2.0
// The stages of a step, which encapsulate whether there is a planet and the kind of diffusion.
#pragma once

#include "solvers/common/stage_of.hpp"
#include "solvers/magnetosphere/fields.hpp"
#include "solvers/magnetosphere/options.hpp"

namespace sc::magnetosphere {

/// Stages between the two sets of points; the parameters of each are the numbers of its next run.
struct Stages {
  SetStage<Numbers> predict;  ///< centres from nodes only, at the start of a cycle
  SetStage<Numbers> first;    ///< leap-frog of the centres
  SetStage<Numbers> second;   ///< leap-frog of the nodes
};
template <Diffusion diffusion>
Stages stages_with(Plasma& nodes, Plasma& centres, bool planet);
/// The stages that the options need.
Stages make_stages(Plasma& nodes, Plasma& centres, const MagnetosphereOptions& options);

}  // namespace sc::magnetosphere
