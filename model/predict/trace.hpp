// SPDX-License-Identifier: Apache-2.0
// Trace: a rehearsal as text, with computing times on a machine. A program under a network simulator replays
// it without knowledge of solvers and grids.
#pragma once

#include <iosfwd>
#include <string>
#include <variant>
#include <vector>

#include "engine/plan/rehearsal.hpp"
#include "model/predict/machine.hpp"

namespace sc::model {

/// A run of a stage: its plan, and the seconds of each chunk. Transfer times follow from the bytes of its
/// messages.
struct TracedRun {
  RehearsedRun run;
  std::vector<double> seconds;
};

/// A reduction over all ranks, up a tree and down again: its start, or the wait for it.
struct TracedReduction {
  bool begins = true;
  int number = 0;  ///< in the order of starts
  std::int64_t bytes = 0;
};

struct Trace {
  std::string strategy;    ///< name of an engine strategy
  int ranks_per_node = 1;  ///< rank numbers on a node are consecutive
  Machine machine;         ///< without rates: chunks have their seconds
  std::vector<std::variant<TracedRun, TracedReduction, RehearsedCopy>> events;
};

void write_trace(std::ostream& out, const Rehearsal& rehearsal, const Machine& machine,
                 const std::string& strategy, int ranks_per_node);
/// Throws Error (failure) for text that write_trace() has not written.
Trace read_trace(std::istream& in);

}  // namespace sc::model
