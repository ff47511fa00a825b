// SPDX-License-Identifier: Apache-2.0
// Strategies by name.
#include "engine/overlap/strategy.hpp"

#include <array>

#include "engine/base/error.hpp"

namespace sc {

namespace {

struct Entry {
  Strategy strategy;
  std::string_view name;
  StrategyFunction function;
};

constexpr std::array<Entry, 7> entries{{
    {Strategy::blocking, "blocking", blocking},
    {Strategy::ordered, "ordered", ordered},
    {Strategy::boundary_first, "boundary_first", boundary_first},
    {Strategy::interior_first, "interior_first", interior_first},
    {Strategy::halo_thread, "halo_thread", halo_thread},
    {Strategy::halo_thread_no_join, "halo_thread_no_join", halo_thread_no_join},
    {Strategy::pipelined, "pipelined", pipelined},
}};

}  // namespace

std::string_view strategy_name(Strategy strategy) {
  for (const Entry& e : entries)
    if (e.strategy == strategy) return e.name;
  return "";
}

Strategy strategy_of(std::string_view name) {
  std::string known;
  for (const Entry& e : entries) {
    if (e.name == name) return e.strategy;
    known += (known.empty() ? "" : ", ") + std::string(e.name);
  }
  refuse("strategy is \"" + std::string(name) + "\"; allowed are " + known);
}

StrategyFunction function_of(Strategy strategy) {
  for (const Entry& e : entries)
    if (e.strategy == strategy) return e.function;
  throw Error(Exit::failure, "there is no such strategy");
}

}  // namespace sc
