// SPDX-License-Identifier: Apache-2.0
// Forecast: rehearsed runs carried out by the engine's own executor on a clock that is not there.
#pragma once

#include <string>
#include <vector>

#include "engine/plan/rehearsal.hpp"
#include "engine/plan/strategy.hpp"
#include "model/predict/machine.hpp"

namespace sc::model {

/// Seconds of this rank, of all runs of a stage together.
struct StageTimes {
  std::string stage;
  int runs = 0;
  double shell = 0, core = 0;  ///< computing; all cells at once count as core
  double start = 0;            ///< packing and sending
  double poke = 0;             ///< looking, and taking what has come, under the core
  double wait = 0;             ///< for what moves, taking it included
  double files = 0;            ///< for what is read or written
  double own = 0;              ///< the engine's own
  double total = 0;
  std::int64_t messages = 0, bytes = 0;  ///< that left this rank, within its node or beyond
  std::int64_t read = 0, written = 0;    ///< bytes from files and to them
};

struct Forecast {
  std::vector<StageTimes> stages;  ///< in the order of their first runs
  double reductions = 0;           ///< waited for
  double total = 0;
};

/// Ranks that are played together.
struct Played {
  std::vector<const Rehearsal*> rehearsals = {};
  std::vector<int> numbers = {};  ///< theirs, among all of the run
  /// Of all ranks of the run which of these does as it does; -1, or none at all: as the one that asks.
  std::vector<int> like = {};
};

/// What was rehearsed under `strategy`, of each of the ranks. What comes has left its sender when the rank
/// that stands for the sender sent it, or this rank's own piece of that number. Throws Error (bad_input)
/// where the strategy chooses among others, or needs more threads than there are.
std::vector<Forecast> forecast(const Played& played, const Machine& machine, const Strategy& strategy);
/// The same of one rank, all others doing as it does.
Forecast forecast(const Rehearsal& rehearsal, const Machine& machine, const Strategy& strategy);

}  // namespace sc::model
