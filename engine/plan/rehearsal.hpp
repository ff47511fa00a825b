// SPDX-License-Identifier: Apache-2.0
// Rehearsal: a program's step as one of any number of ranks would carry it out, noted down and not done.
// Nothing is computed and nothing is sent; what is left are plans, and beside them what a chunk costs and
// where a piece goes, so that another executor can carry them out against a described machine.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "engine/plan/plan.hpp"

namespace sc {

/// One message, as its sender or its receiver sees it.
struct Passage {
  enum class Way : std::uint8_t {
    self,    ///< within the rank: a copy
    node,    ///< to a rank of the same node: the receiver copies
    network  ///< to another node: a message
  } way = Way::self;
  int peer = 0;
  std::int64_t bytes = 0;
};

/// What a chunk of a run consists of.
struct Work {
  enum class Part : std::uint8_t { nothing, shell, core, all } part = Part::nothing;
  std::int64_t cells = 0;
  std::int64_t rows = 0;  ///< along x, in which these cells lie
};

struct RehearsedRun {
  std::string stage;
  Plan plan;
  double bytes_per_cell = 0, flops_per_cell = 0;  ///< as declared
  std::vector<Work> works = {};                   ///< of the plan's chunks
  std::vector<Passage> departures = {};           ///< of the plan's pieces
  /// Of the plan's arrivals: the messages that must have come, and of each the piece of the plan that its
  /// sender, who does as this rank does, has started then; -1 for none.
  struct Awaited {
    Passage passage;
    int like = -1;
  };
  std::vector<std::vector<Awaited>> arrivals = {};
};

/// A value that all ranks combine: begun, or waited for.
struct RehearsedReduction {
  const void* of = nullptr;  ///< tells one under way from another
  std::int64_t bytes = 0;
  bool begins = true;
};

using RehearsedEvent = std::variant<RehearsedRun, RehearsedReduction>;

class Rehearsal {
 public:
  std::vector<RehearsedEvent> events;
};

}  // namespace sc
