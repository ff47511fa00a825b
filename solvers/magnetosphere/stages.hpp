// SPDX-License-Identifier: Apache-2.0
// The stages of a step, which hide whether there is a planet and which diffusion.
#pragma once

#include <functional>
#include <memory>

#include "engine/stage/stage.hpp"
#include "solvers/magnetosphere/fields.hpp"
#include "solvers/magnetosphere/options.hpp"

namespace sc::magnetosphere {

/// From one set of points to the other; `set` gives the next run its numbers.
struct HalfStep {
  std::unique_ptr<Stage> stage;
  std::function<void(const Numbers&)> set;
};
struct Stages {
  HalfStep predict;  ///< centres from nodes alone, at the start of a cycle
  HalfStep first;    ///< centres leap over nodes
  HalfStep second;   ///< nodes leap over centres
};
template <Diffusion diffusion>
Stages stages_with(Plasma& nodes, Plasma& centres, bool planet);
/// Those that the options need.
Stages make_stages(Plasma& nodes, Plasma& centres, const MagnetosphereOptions& options);

}  // namespace sc::magnetosphere
