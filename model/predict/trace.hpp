// SPDX-License-Identifier: Apache-2.0
// Trace: a rehearsal as text, with the seconds that a machine takes for its parts; what a program under a
// simulator replays, which knows neither solvers nor grids.
#pragma once

#include <iosfwd>
#include <string>
#include <variant>
#include <vector>

#include "engine/plan/rehearsal.hpp"
#include "model/predict/machine.hpp"

namespace sc::model {

/// A run of a stage: its plan, and seconds of each chunk. Bytes go by the messages.
struct TracedRun {
  RehearsedRun run;
  std::vector<double> seconds;
};

/// What all ranks combine up a tree and down again: begun, or waited for.
struct TracedReduction {
  bool begins = true;
  int number = 0;  ///< in the order in which they begin
  std::int64_t bytes = 0;
};

struct Trace {
  std::string strategy;    ///< by the engine's name
  int ranks_per_node = 1;  ///< whose numbers follow one another
  Machine machine;         ///< without rates, which the seconds of the chunks have
  std::vector<std::variant<TracedRun, TracedReduction, RehearsedCopy>> events;
};

void write_trace(std::ostream& out, const Rehearsal& rehearsal, const Machine& machine,
                 const std::string& strategy, int ranks_per_node);
/// Throws Error (failure) where it is not what write_trace() has written.
Trace read_trace(std::istream& in);

}  // namespace sc::model
