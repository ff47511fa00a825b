// SPDX-License-Identifier: Apache-2.0
// Forecast: the engine's executor runs rehearsed plans on a simulated clock.
#pragma once

#include <string>
#include <vector>

#include "engine/plan/rehearsal.hpp"
#include "engine/plan/strategy.hpp"
#include "model/predict/machine.hpp"

namespace sc::model {

/// Seconds of this rank, summed over all runs of a stage.
struct StageTimes {
  std::string stage;
  int runs = 0;
  double shell = 0, core = 0;  ///< computing; a single box of all cells counts as core
  double boundary = 0;         ///< filling halos from own cells, by boundary conditions or around slabs
  double start = 0;            ///< packing and sending
  double poke = 0;             ///< progress calls and receiving, during the core
  double wait = 0;             ///< for messages, including receiving
  double files = 0;            ///< waiting for file copies
  double own = 0;              ///< the engine's overhead
  double total = 0;            ///< of its runs
  double reduction = 0;        ///< waiting for reductions that started after its runs, in later ones
  std::int64_t messages = 0, bytes = 0;  ///< sent by this rank, within its node or to others
  std::int64_t read = 0, written = 0;    ///< bytes from files and to them
};

struct Forecast {
  std::vector<StageTimes> stages;  ///< in the order of their first runs
  double reductions = 0;           ///< waiting for reductions
  double total = 0;
};

/// Ranks that are simulated together.
struct Played {
  std::vector<const Rehearsal*> rehearsals = {};
  std::vector<int> numbers = {};  ///< their rank numbers in the run
  /// For each rank of the run, the index of the simulated rank that represents it; -1, or an empty vector:
  /// the rank that receives from it.
  std::vector<int> like = {};
};

/// Simulates the rehearsals under `strategy`. An arrival is timed by the rank that represents its sender, or
/// else by this rank's own piece of that number. Throws Error (bad_input) for a strategy that chooses among
/// others, or that needs more threads than there are.
std::vector<Forecast> forecast(const Played& played, const Machine& machine, const Strategy& strategy);
/// The same for one rank, which represents all others.
Forecast forecast(const Rehearsal& rehearsal, const Machine& machine, const Strategy& strategy);

}  // namespace sc::model
