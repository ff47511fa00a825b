// SPDX-License-Identifier: Apache-2.0
// What a pass of several steps of a solver moves, before any step.
#pragma once

#include <optional>

#include "engine/overlap/pass_cost.hpp"
#include "engine/overlap/runner.hpp"

namespace sc {

/// Empty for single steps. `step` calls its argument with the stages of a step in order, and swaps the two
/// levels of fields as the step does; after that they are as before.
template <class Step>
std::optional<PassCost> cost_of_pass(const RunnerOptions& engine, const Step& step) {
  const int steps = engine.steps_per_pass;
  if (steps == 1) return std::nullopt;
  std::vector<Recorded> runs;
  for (int n = 0; n < steps; ++n) step([&](const Stage& stage) { runs.emplace_back(stage, n); });
  const PassCost cost = pass_cost(runs, engine.halo);
  if (steps % 2 == 1) step([](const Stage&) {});
  return cost;
}

}  // namespace sc
