// SPDX-License-Identifier: Apache-2.0
// Critical path: how short a rehearsed step can become by overlap, with measured seconds of computing and of
// messages. No order of its plans is shorter: a rank computes one chunk at a time, its link sends one piece
// at a time, and both wait for what they depend on.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/plan/rehearsal.hpp"
#include "engine/plan/strategy.hpp"

namespace sc::model {

/// Something that occupies one of the resources for some seconds, after others.
struct Activity {
  enum class On { processor, link } on = On::processor;
  double seconds = 0;
  std::vector<int> after = {};  ///< activities with smaller numbers
};

/// A lower bound of the time in which the activities can be completed, if a resource has one at a time.
double critical_path(const std::vector<Activity>& activities);

/// Seconds of everything that was rehearsed, without overlap.
struct Measured {
  struct Computing {
    double shell = 0, core = 0;
  };
  std::map<std::string, Computing> stages = {};  ///< by the names of their kernels
  double messages = 0;                           ///< posting and waiting
};

/// The sum of the critical paths of all runs, at least the seconds of computing and those of messages. A
/// chunk has a share of the seconds of its kernel by its cells, a piece one of the messages by its bytes;
/// peers are assumed to send a piece when this rank sends the like one. A piece can start when the rule of
/// `strategy` allows it.
double critical_path(const Rehearsal& rehearsal, const Strategy& strategy, const Measured& measured);

}  // namespace sc::model
