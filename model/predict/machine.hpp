// SPDX-License-Identifier: Apache-2.0
// The machine model of one rank: costs of computing, copying and sending, in seconds and bytes. The values
// come from a file or a measurement.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "engine/plan/rehearsal.hpp"

namespace sc::model {

/// Cost of a box: seconds for each cell, and for each row along x.
struct Rate {
  double cell = 0;
  double row = 0;
};

struct Machine {
  int threads = 1;
  /// By stage and number of threads. A stage that is not named is timed by the bytes and operations that it
  /// declares.
  std::map<std::string, std::vector<Rate>> rates;  ///< index t - 1: on t threads
  std::vector<double> byte, flop;  ///< likewise, for stages that are not named; the longer time counts

  double copied_byte = 0;  ///< within a rank: packing, unpacking, copies between sides of its own block
  struct Node {
    double latency = 0;      ///< until a flag that was set is seen
    double copied_byte = 0;  ///< by the receiver, from another rank's cells
  } node;
  struct Network {
    double latency = 0;   ///< from the departure of the last byte to its arrival
    double byte = 0;      ///< seconds for a byte, on this rank's share of the link
    double overhead = 0;  ///< processor time for a message, at each end
    double gap = 0;       ///< minimum time of a message on this rank's share of the link
    int sharing = 1;      ///< ranks that share a link: consecutive ones, or at most so many of a segment
    /// Bytes of the largest message that leaves at once. Before a larger one, the sender asks the receiver,
    /// whose next progress call answers; the data then leaves without the sender's processor.
    std::int64_t eager_limit = std::numeric_limits<std::int64_t>::max();
    std::vector<int> segments = {};  ///< of a bus: the segment of each rank; empty: one for all
    double backbone_byte = 0;        ///< seconds for a byte on the link that joins the segments
    bool asks(std::int64_t bytes) const { return bytes > eager_limit; }
    /// Seconds that a message occupies this rank's share of the link if it is the only one there.
    double on_share(std::int64_t bytes) const { return std::max(gap, static_cast<double>(bytes) * byte); }
  } network;
  /// Seconds for a byte, on this rank's share of the disk.
  struct Files {
    double read = 0, written = 0;  ///< while the other direction is idle
    double both = 0;               ///< on average, while both are busy; 0: as fast as alone
    double computing = 1;          ///< share of these rates that is left while the rank computes
  } files;
  double poke = 0.5e-3;       ///< interval of progress calls during the core
  double look = 0;            ///< duration of a progress call
  double run = 0;             ///< the engine's overhead for a run of a stage
  double reduction = 0;       ///< an all-reduce,
  double reduction_byte = 0;  ///< and additional time for each of its bytes

  /// Cost of a kernel on `on` threads.
  Rate rate(const Kernel& kernel, int on) const;
  /// Seconds for some of a run's cells on `on` threads.
  double seconds(const RehearsedRun& of, const Work& work, int on) const;
};

}  // namespace sc::model
