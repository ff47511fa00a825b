// SPDX-License-Identifier: Apache-2.0
// How long a rank still waits for a message that computation covers completely, against the message's size
// (paper 000, section 6.4): what is left is what this machine cannot hide.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/context.hpp"

namespace sc::model {

struct WaitOptions {
  std::vector<std::int64_t> bytes;  ///< of each message; multiples of 8
  double cover = 1.5;               ///< work beside the messages, in units of their time alone
  double poke_seconds = 0.5e-3;     ///< between two progress calls during the work
  int repeats = 11;
};

/// Seconds, medians over the repeats of the slowest rank.
struct WaitPoint {
  std::int64_t bytes = 0;
  double alone = 0;     ///< M: the exchange with nothing to do meanwhile
  double poked = 0;     ///< W after work that makes progress calls
  double silent = 0;    ///< W after work that makes none
  double progress = 0;  ///< spent in starting and in progress calls of the poked exchange
};

/// Collective. Ranks stand in a ring, each sends one message each way at a time, through the engine's halo
/// exchange and its transport. Throws Error (bad_input) for sizes that are not positive multiples of 8, a
/// cover below 1, no repeats, or a single rank, which has no messages to wait for.
std::vector<WaitPoint> wait_curve(Context& context, const WaitOptions& options);

}  // namespace sc::model
