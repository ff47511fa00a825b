// SPDX-License-Identifier: Apache-2.0
// Runner: the strategy of a run under `automatic`. Runs of stages with one name, the same levels and the same
// cells are of one kind: they share their trials.
#include <algorithm>

#include "engine/overlap/runner.hpp"

namespace sc {

namespace {

/// Whether more than one rank has cells.
bool divided(const Grid& grid) {
  for (int axis = 0; axis < 3; ++axis) {
    const std::vector<int>& cuts = grid.cuts(axis);
    int blocks = 0;
    for (std::size_t b = 0; b + 1 < cuts.size(); ++b) blocks += cuts[b] < cuts[b + 1] ? 1 : 0;
    if (blocks > 1) return true;
  }
  return false;
}

/// Whether any halo of the stage needs communication, with the same result on all ranks. It becomes true when
/// a later stage declares that it reads around the outputs.
bool halos_travel(Stage& stage) {
  bool halos = false;
  auto demand = stage.demand()->begin();
  for (const Access& a : stage.accesses()) {
    const bool read_by_others = a.mode != Mode::read && demand->width > 0;
    halos = halos || a.reach.width > 0 || read_by_others;
    ++demand;
  }
  if (!halos) return false;
  const bool copies_take_time =
      stage.device() || stage.grid().context().options().transport == TransportPolicy::delayed;
  const auto& accesses = stage.accesses();
  return copies_take_time ||
         std::ranges::any_of(accesses, [](const Access& a) { return divided(a.field->grid()); });
}

/// The levels that a stage accesses, in the order of its declarations: "T[1], T[0]".
std::string levels_of(const Stage& stage, bool slabs) {
  std::string all;
  for (const Access& a : stage.accesses()) {
    if (!all.empty()) all += ", ";
    all += a.field->name() + "[" + std::to_string(a.level) + "]";
  }
  return slabs ? all + " in slabs" : all;
}

}  // namespace

bool Runner::Kind::of(const Stage& stage, bool in_slabs) const {
  const auto same = [](const std::pair<std::string, int>& level, const Access& a) {
    return level.second == a.level && level.first == a.field->name();
  };
  const auto& accesses = stage.accesses();
  return slabs == in_slabs && cells == stage.grid().cells() &&
         std::equal(levels.begin(), levels.end(), accesses.begin(), accesses.end(), same);
}

/// The number of the stage among the kinds on trial; -1 if there is no communication to overlap. It compares
/// without making texts, because it is part of every run.
int Runner::kind_of(Stage& stage, bool slabs) {
  const bool device = stage.device() != nullptr;
  if (context_.size() == 1 && !device && context_.options().transport != TransportPolicy::delayed) return -1;
  std::vector<Kind>& kinds = kinds_[stage.name()];
  for (const Kind& kind : kinds)
    if (kind.of(stage, slabs)) return kind.number;
  const std::optional<Stage::Own> own = stage.own();
  if (own ? !own->gathers && !own->sums : !halos_travel(stage)) return -1;
  // With slabs, only strategies that overlap are tried: the others do not prefetch, so each slab would wait.
  const auto may = [&](const Strategy& s) {
    return (s.overlaps || !slabs) && !(s.divides_threads && device) && stage.refusal(s).empty();
  };
  const Int3 n = stage.grid().cells();
  const bool others = std::ranges::any_of(kinds, [&](const Kind& k) { return k.cells == n; });
  const std::string of_levels = others ? " of " + levels_of(stage, slabs) : "";
  Kind kind{{}, n, slabs, choice_->add(stage.name() + of_levels + " on " + to_string(n), may, !own)};
  for (const Access& a : stage.accesses()) kind.levels.emplace_back(a.field->name(), a.level);
  kinds.push_back(std::move(kind));
  return kinds.back().number;
}

Choice::Run Runner::choose_strategy(Stage& stage, bool slabs) {
  if (!choice_) return {.strategy = &options_.strategy};
  if (const int kind = kind_of(stage, slabs); kind >= 0) return choice_->begin(kind, stage.measures_rows());
  // There is no communication between ranks to overlap: all cells in one chunk. With slabs or a device the
  // strategy overlaps, because copies or kernels run while the host computes.
  const bool beside = (slabs || stage.device()) && stage.refusal(Strategy::boundary_first).empty();
  return {.strategy = beside ? &Strategy::boundary_first : &Strategy::blocking};
}

}  // namespace sc
