// SPDX-License-Identifier: Apache-2.0
// FileClock: completion times of batches of file copies. Reads and writes are two queues, which share the
// disk's bandwidth while both are busy; other work proceeds meanwhile, and slows them down.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>

#include "engine/plan/rehearsal.hpp"
#include "model/predict/machine.hpp"

namespace sc::model {

class FileClock {
 public:
  explicit FileClock(const Machine::Files& files)
      : ways_{{{files.read}, {files.written}}},
        slower_(std::max(1.0, files.both * (rate(files.read) + rate(files.written)))),
        computing_(1 / files.computing) {}

  /// The time after an event of a copy at time `now`: unchanged if a copy begins, later if its end is
  /// awaited. Copies from before the clock's start count as complete.
  double after(const RehearsedCopy& copy, double now) {
    pass_until(now);
    OneWay& way = ways_[copy.in ? 0 : 1];
    if (copy.begins) {
      const auto bytes = static_cast<double>(copy.bytes);
      total_[copy.in ? 0 : 1] += bytes;
      if (way.byte > 0 && bytes > 0) way.queue.push_back({copy.batch, bytes * way.byte});
      return now;
    }
    while (std::ranges::any_of(way.queue, [&](const Part& p) { return p.batch == copy.batch; }))
      finish(first(), 1);
    return std::max(now, now_);
  }
  /// Seconds that the disk needs for all copies: a lower bound for the run.
  double busy() const {
    const double in = total_[0] * ways_[0].byte, out = total_[1] * ways_[1].byte;
    // At the same time, or one after the other.
    return std::max(in, out) + std::min(slower_ - 1, 1.0) * std::min(in, out);
  }

 private:
  struct Part {
    std::int64_t batch = 0;
    double left = 0;  // seconds, if the other direction is idle
  };
  struct OneWay {
    double byte = 0;
    std::deque<Part> queue = {};
  };
  static double rate(double byte) { return byte > 0 ? 1 / byte : 0; }
  double factor() const { return ways_[0].queue.empty() || ways_[1].queue.empty() ? 1 : slower_; }
  /// The direction whose copy ends first; nullptr if there is none.
  OneWay* first() {
    OneWay* least = nullptr;
    for (OneWay& way : ways_)
      if (!way.queue.empty() && (!least || way.queue.front().left < least->queue.front().left)) least = &way;
    return least;
  }
  /// `slowed`: time of copies relative to that of a rank that waits.
  void pass(double seconds, double slowed) {
    const double alone = seconds / (factor() * slowed);
    for (OneWay& way : ways_)
      if (!way.queue.empty()) way.queue.front().left -= alone;
    now_ += seconds;
  }
  void finish(OneWay* way, double slowed) {
    pass(way->queue.front().left * factor() * slowed, slowed);
    way->queue.pop_front();
  }
  /// Until an event of the rank, which has computed since the last one.
  void pass_until(double time) {
    const auto end = [&](const OneWay* way) {
      return now_ + way->queue.front().left * factor() * computing_;
    };
    for (OneWay* way = first(); way && end(way) <= time; way = first()) finish(way, computing_);
    if (now_ < time) pass(time - now_, computing_);
  }

  std::array<OneWay, 2> ways_;
  double slower_;     // time of a copy while the other direction is busy, relative to its time alone
  double computing_;  // the same while the rank computes
  double now_ = 0;
  std::array<double, 2> total_{};  // bytes
};

}  // namespace sc::model
