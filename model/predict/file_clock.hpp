// SPDX-License-Identifier: Apache-2.0
// FileClock: when batches of copies to and from files are done. Each way they go one after the other at the
// disk's rate, beside whatever else is done.
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

  /// The time after a copy that comes at `now`: as it was where one begins, later where it is waited for.
  /// What began before the clock did is there.
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
  /// Seconds of the busier way: what is repeated takes no less.
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
