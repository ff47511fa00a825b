// SPDX-License-Identifier: Apache-2.0
// Score: a rehearsal as text, with the seconds that a machine takes for its parts; what a program under a
// simulator plays, which knows neither solvers nor grids.
#pragma once

#include <iosfwd>
#include <variant>
#include <vector>

#include "engine/plan/rehearsal.hpp"
#include "model/predict/machine.hpp"

namespace sc::model {

/// A run of a stage: its plan, and seconds of each chunk. Bytes go by the messages.
struct ScoredRun {
  RehearsedRun run;
  std::vector<double> seconds;
};

/// What all ranks combine, at the place where it is waited for.
struct ScoredReduction {
  std::int64_t bytes = 0;
};

struct Score {
  Machine machine;  ///< without rates, which the seconds of the chunks have
  std::vector<std::variant<ScoredRun, ScoredReduction>> events;
};

void write_score(std::ostream& out, const Rehearsal& rehearsal, const Machine& machine);
/// Throws Error (failure) where it is not what write_score() has written.
Score read_score(std::istream& in);

}  // namespace sc::model
