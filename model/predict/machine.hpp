// SPDX-License-Identifier: Apache-2.0
// A machine as one rank of it sees it: what computing, copying and sending take. Seconds and bytes; where
// they come from (a file, a probe) is for others to know.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/plan/rehearsal.hpp"

namespace sc::model {

/// What computing a box takes: cells, and rows along x in which they lie.
struct Rate {
  double cell = 0;
  double row = 0;
};

struct Machine {
  int threads = 1;
  /// Of a stage by a number of this rank's threads; where it is not named, by the bytes and operations that
  /// it declares.
  std::map<std::string, std::vector<Rate>> rates;  ///< number t - 1: on t threads
  std::vector<double> byte, flop;  ///< likewise, of stages that are not named; the longer counts

  double copied_byte = 0;  ///< within a rank: packed, unpacked, moved to another side of its own box
  struct Node {
    double latency = 0;      ///< from a flag to its being seen
    double copied_byte = 0;  ///< by the receiver, out of another rank's cells
  } node;
  struct Network {
    double latency = 0;   ///< from the last byte that leaves to its being there
    double byte = 0;      ///< on this rank's share of the link
    double overhead = 0;  ///< of the processor, of a message at either end
    double gap = 0;       ///< least time between two messages on the link
  } network;
  /// Seconds a byte of this rank's share of the disk.
  struct Files {
    double read = 0, written = 0;
  } files;
  double poke = 0.5e-3;       ///< between two looks at what moves, under the core
  double look = 0;            ///< what such a look takes
  double run = 0;             ///< what the engine itself takes for a run of a stage
  double reduction = 0;       ///< values combined over all ranks,
  double reduction_byte = 0;  ///< and more for each of their bytes

  /// Of a kernel on `on` threads.
  Rate rate(const Kernel& kernel, int on) const;
  /// What some of a run's cells take on `on` threads.
  double seconds(const RehearsedRun& of, const Work& work, int on) const;
};

}  // namespace sc::model
