// SPDX-License-Identifier: Apache-2.0
// What a solver's engine options may say about passes of several steps.
#pragma once

#include <string>

#include "engine/base/error.hpp"
#include "engine/overlap/runner.hpp"

namespace sc {

/// For a solver without passes of steps: `why`.
inline void check_single_steps(const RunnerOptions& engine, const std::string& why) {
  if (engine.steps_per_pass != 1)
    refuse("engine.steps_per_pass is " + std::to_string(engine.steps_per_pass) +
           "; it must be 1 here, because " + why);
  if (engine.finds_length) refuse("engine.finds_length is true; it must be false here, because " + why);
}

/// For a solver whose halos have layers for engine.steps_per_pass steps.
inline void check_longest_pass(const RunnerOptions& engine) {
  if (engine.finds_length && engine.steps_per_pass < 2)
    refuse(
        "engine.finds_length is true, but engine.steps_per_pass is 1; it must be the length of the longest "
        "pass to try, for which halos are made");
}

}  // namespace sc
