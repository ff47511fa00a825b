// SPDX-License-Identifier: Apache-2.0
// FileClock: completion times of batches of file copies. Reads and writes are two independent queues, each
// with the disk's bandwidth; other work proceeds meanwhile.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>

#include "engine/plan/rehearsal.hpp"
#include "model/predict/machine.hpp"

namespace sc::model {

class FileClock {
 public:
  explicit FileClock(const Machine::Files& files) : ways_{{{files.read}, {files.written}}} {}

  /// The time after an event of a copy at time `now`: unchanged if a copy begins, later if its end is
  /// awaited. Copies from before the clock's start count as complete.
  double after(const RehearsedCopy& copy, double now) {
    OneWay& way = ways_[copy.in ? 0 : 1];
    if (copy.begins) {
      const double seconds = static_cast<double>(copy.bytes) * way.byte;
      way.busy += seconds;
      way.free = way.done[copy.batch] = std::max(way.free, now) + seconds;
      return now;
    }
    const auto batch = way.done.find(copy.batch);
    return batch == way.done.end() ? now : std::max(now, batch->second);
  }
  /// Seconds that the busier direction needs: a lower bound for the run.
  double busy() const { return std::max(ways_[0].busy, ways_[1].busy); }

 private:
  struct OneWay {
    double byte = 0;
    double free = 0, busy = 0;
    std::map<std::int64_t, double> done = {};  // by batch
  };
  std::array<OneWay, 2> ways_;
};

}  // namespace sc::model
