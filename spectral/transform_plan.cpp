// SPDX-License-Identifier: Apache-2.0
// TransformPlan: the order of slabs.
#include "spectral/transform_plan.hpp"

namespace sc::spectral {

void TransformPlan::make(std::span<const TransformStageShape> stages, bool sequential) {
  plan_.clear();
  slabs_.clear();
  next_.assign(stages.size(), 0);
  for (int stage = 0; stage < static_cast<int>(stages.size()); ++stage) {
    const int slabs = stages[static_cast<std::size_t>(stage)].slabs;
    for (int& next = next_[static_cast<std::size_t>(stage)]; next < slabs;)
      sequential ? add(stages, {stage, next++}, true) : add_next(stages, stage);
  }
}

/// A slab of the next stage follows the slab after its own source. So its data can travel during one slab,
/// and it is computed while it is in the cache.
void TransformPlan::add_next(std::span<const TransformStageShape> stages, int stage) {
  const auto p = static_cast<std::size_t>(stage);
  const int number = next_[p]++;
  add(stages, {stage, number}, false);
  if (stages[p].next == Next::from_the_same && next_[p + 1] < number) add_next(stages, stage + 1);
}

void TransformPlan::add(std::span<const TransformStageShape> stages, Slab slab, bool sequential) {
  const int step = sequential ? slab.stage : static_cast<int>(slabs_.size());
  const auto travels = [&](int stage) {
    return stage >= 0 && stages[static_cast<std::size_t>(stage)].next != Next::in_memory;
  };
  after_.clear();
  int need = -1, give = -1;
  const bool arrives = travels(slab.stage - 1);
  if (arrives) need = plan_.add(Arrival{.movement = slab.stage - 1, .number = slab.number, .step = step - 1});
  if (!arrives || stages[static_cast<std::size_t>(slab.stage) - 1].by_array) {
    for (std::size_t c = 0; c < slabs_.size(); ++c)
      if (slabs_[c].stage == slab.stage - 1) after_.push_back(static_cast<int>(c));
  }
  if (travels(slab.stage)) give = plan_.add(Piece{.movement = slab.stage, .number = slab.number});
  const auto some = [](const int& id) { return std::span<const int>(&id, id < 0 ? 0 : 1); };
  plan_.add({.part = static_cast<int>(slabs_.size()), .step = step}, after_, some(need), some(give));
  slabs_.push_back(slab);
}

}  // namespace sc::spectral
