// SPDX-License-Identifier: Apache-2.0
// PassPlan: the order of slabs.
#include "spectral/pass_plan.hpp"

namespace sc::spectral {

void PassPlan::make(std::span<const PassShape> passes, bool in_turn) {
  plan_.clear();
  slabs_.clear();
  next_.assign(passes.size(), 0);
  for (int pass = 0; pass < static_cast<int>(passes.size()); ++pass) {
    const int slabs = passes[static_cast<std::size_t>(pass)].slabs;
    for (int& next = next_[static_cast<std::size_t>(pass)]; next < slabs;)
      in_turn ? add(passes, {pass, next++}, true) : add_next(passes, pass);
  }
}

/// A slab of the next pass follows the slab after its own source. So its data can travel during one slab, and
/// it is computed while it is in the cache.
void PassPlan::add_next(std::span<const PassShape> passes, int pass) {
  const auto p = static_cast<std::size_t>(pass);
  const int number = next_[p]++;
  add(passes, {pass, number}, false);
  if (passes[p].next == Next::from_the_same && next_[p + 1] < number) add_next(passes, pass + 1);
}

void PassPlan::add(std::span<const PassShape> passes, Slab slab, bool in_turn) {
  const int step = in_turn ? slab.pass : static_cast<int>(slabs_.size());
  const auto travels = [&](int pass) {
    return pass >= 0 && passes[static_cast<std::size_t>(pass)].next != Next::in_memory;
  };
  after_.clear();
  int need = -1, give = -1;
  const bool arrives = travels(slab.pass - 1);
  if (arrives) need = plan_.add(Arrival{.movement = slab.pass - 1, .number = slab.number, .step = step - 1});
  if (!arrives || passes[static_cast<std::size_t>(slab.pass) - 1].by_array) {
    for (std::size_t c = 0; c < slabs_.size(); ++c)
      if (slabs_[c].pass == slab.pass - 1) after_.push_back(static_cast<int>(c));
  }
  if (travels(slab.pass)) give = plan_.add(Piece{.movement = slab.pass, .number = slab.number});
  const auto some = [](const int& id) { return std::span<const int>(&id, id < 0 ? 0 : 1); };
  plan_.add({.part = static_cast<int>(slabs_.size()), .step = step}, after_, some(need), some(give));
  slabs_.push_back(slab);
}

}  // namespace sc::spectral
