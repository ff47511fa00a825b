// SPDX-License-Identifier: Apache-2.0
// Strategies: the order in which a stage's shell, core and movements happen. Chosen at run time, once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/stage/work.hpp"

namespace sc {

enum class Strategy {
  blocking,
  ordered,
  boundary_first,
  interior_first,
  halo_thread,
  halo_thread_no_join,
  pipelined,
};

std::string_view strategy_name(Strategy strategy);
/// Throws Error (bad_input) naming the ones there are.
Strategy strategy_of(std::string_view name);

void blocking(Work& w);
void ordered(Work& w);
void boundary_first(Work& w);
void interior_first(Work& w);
void halo_thread(Work& w);
void halo_thread_no_join(Work& w);
void pipelined(Work& w);

/// Whether anything is computed while anything moves.
constexpr bool overlaps(Strategy strategy) {
  return strategy != Strategy::blocking && strategy != Strategy::ordered;
}

/// Whether outputs are sent when they have been computed; else inputs are fetched before they are read.
constexpr bool eager(Strategy strategy) {
  return strategy != Strategy::interior_first && strategy != Strategy::halo_thread &&
         strategy != Strategy::halo_thread_no_join;
}

using StrategyFunction = void (*)(Work&);
StrategyFunction function_of(Strategy strategy);

}  // namespace sc
