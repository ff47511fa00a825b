// SPDX-License-Identifier: Apache-2.0
// The time that a rank still waits for a message that computation covers completely, as a function of the
// message size (paper 000, section 6.4). This is what overlap cannot hide on this machine.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/context.hpp"

namespace sc::model {

struct WaitOptions {
  std::vector<std::int64_t> bytes;  ///< of each message; multiples of 8
  double cover = 1.5;               ///< computing time in units of the time of the exchange alone
  double poke_seconds = 0.5e-3;     ///< between two progress calls during the work
  int repeats = 11;
};

/// Seconds: medians over the repetitions, on the slowest rank.
struct WaitPoint {
  std::int64_t bytes = 0;
  double alone = 0;     ///< M: the exchange without computation
  double poked = 0;     ///< W after computation with progress calls
  double silent = 0;    ///< W after computation without progress calls
  double progress = 0;  ///< in starting and in progress calls of the poked exchange
};

/// Collective. The ranks form a ring; each sends one message in each direction with the engine's halo
/// exchange and its transports. Throws Error (bad_input) for sizes that are not positive multiples of 8, a
/// cover below 1, no repeats, or a single rank, which has no peers.
std::vector<WaitPoint> wait_curve(Context& context, const WaitOptions& options);

}  // namespace sc::model
