// SPDX-License-Identifier: Apache-2.0
// Forecast: run by run on one clock; a reduction travels beside the runs that follow it.
#include "model/predict/forecast.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/base/error.hpp"
#include "model/predict/virtual_ports.hpp"

namespace sc::model {

namespace {

class Sum {
 public:
  Sum(const Machine& machine, const Strategy& strategy)
      : machine_(machine), strategy_(strategy), files_(machine.files) {}

  void operator()(const RehearsedRun& run) {
    const double begin = now_;
    now_ += machine_.run;
    VirtualPorts ports(run, machine_, strategy_.overlaps, now_, files_);
    executor_.carry_out(run.plan, strategy_, ports);
    now_ = ports.now();
    StageTimes times = ports.times();
    times.own = machine_.run;
    times.total = now_ - begin;
    add(times);
  }

  void operator()(const RehearsedReduction& reduction) {
    if (reduction.begins) {
      there_[reduction.of] = now_ + machine_.reduction;
      return;
    }
    const double there = there_.at(reduction.of);
    result_.reductions += std::max(0.0, there - now_);
    now_ = std::max(now_, there);
  }

  /// Outside of runs on slabs: whole arrays, and what is read ahead.
  void operator()(const RehearsedCopy& copy) {
    StageTimes times;
    times.stage = "files";
    times.files = times.total = files_.after(copy, now_) - now_;
    if (copy.begins) (copy.in ? times.read : times.written) = copy.bytes;
    now_ += times.total;
    add(times);
  }

  Forecast result() {
    result_.total = std::max(now_, files_.busy());
    return std::move(result_);
  }

 private:
  void add(const StageTimes& times) {
    auto& stages = result_.stages;
    const auto same =
        std::find_if(stages.begin(), stages.end(), [&](const auto& s) { return s.stage == times.stage; });
    if (same == stages.end()) return stages.push_back(times);
    same->runs += times.runs;
    same->shell += times.shell;
    same->core += times.core;
    same->start += times.start;
    same->poke += times.poke;
    same->wait += times.wait;
    same->files += times.files;
    same->read += times.read;
    same->written += times.written;
    same->own += times.own;
    same->total += times.total;
    same->messages += times.messages;
    same->bytes += times.bytes;
  }

  const Machine& machine_;
  const Strategy& strategy_;
  FileClock files_;
  Executor executor_;
  double now_ = 0;
  std::map<const void*, double> there_;
  Forecast result_;
};

}  // namespace

Forecast forecast(const Rehearsal& rehearsal, const Machine& machine, const Strategy& strategy) {
  if (strategy.chooses)
    refuse("strategy \"" + std::string(strategy.name) +
           "\" chooses among others while it runs; each of them can be predicted");
  if (strategy.divides_threads && !strategy.joins && machine.threads < 2)
    refuse("strategy \"" + std::string(strategy.name) + "\" needs at least 2 threads");
  Sum sum(machine, strategy);
  for (const RehearsedEvent& event : rehearsal.events) std::visit(sum, event);
  return sum.result();
}

}  // namespace sc::model
