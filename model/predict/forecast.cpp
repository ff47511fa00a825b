// SPDX-License-Identifier: Apache-2.0
// Forecast: simulates run after run on one clock; reductions overlap with the following runs.
#include "model/predict/forecast.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "engine/base/error.hpp"
#include "model/predict/arrivals.hpp"
#include "model/predict/virtual_ports.hpp"

namespace sc::model {

namespace {

constexpr int most_iterations = 100;

/// The simulation of one rank's rehearsal.
class Walk {
 public:
  Walk(const Rehearsal& rehearsal, const Machine& machine)
      : events_(rehearsal.events), machine_(machine), files_(machine.files) {}

  /// Advances to the next run or awaited reduction; null at the end.
  const RehearsedEvent* next() {
    while (at_ < events_.size()) {
      const RehearsedEvent& event = events_[at_++];
      const auto* reduction = std::get_if<RehearsedReduction>(&event);
      if (std::get_if<RehearsedRun>(&event) || (reduction && !reduction->begins)) return &event;
      reduction ? begin(*reduction) : copy(std::get<RehearsedCopy>(event));
    }
    return nullptr;
  }

  /// The state in which the next run begins.
  VirtualPorts::Begin run_begins() const { return {now_ + machine_.run, sent_}; }
  const FileClock& files() const { return files_; }
  /// `sent`: the time when the messages of the run have arrived.
  void ran(const VirtualPorts& ports, const FileClock& files, double sent) {
    StageTimes times = ports.times();
    times.own = machine_.run;
    times.total = ports.now() - now_;
    latest_ = times.stage;
    now_ = ports.now();
    sent_ = std::max(sent_, sent);
    files_ = files;
    add(times);
  }

  /// When the reduction began that is awaited now.
  double begun(const RehearsedReduction& reduction) {
    const auto& [seconds, stage] = begun_.at(reduction.of);
    awaited_ = stage;
    return seconds;
  }
  /// Its result is available at time `there`.
  void combined(double there) {
    StageTimes times;
    times.stage = awaited_;
    times.reduction = std::max(0.0, there - now_);
    result_.reductions += times.reduction;
    now_ = std::max(now_, there);
    add(times);
  }

  Forecast result() {
    result_.total = std::max(now_, files_.busy());
    return std::move(result_);
  }

 private:
  void begin(const RehearsedReduction& reduction) { begun_[reduction.of] = {now_, latest_}; }

  /// Copies outside of runs on slabs: whole arrays, and prefetched slabs.
  void copy(const RehearsedCopy& one) {
    StageTimes times;
    times.stage = "files";
    times.files = times.total = files_.after(one, now_) - now_;
    if (one.begins) (one.in ? times.read : times.written) = one.bytes;
    now_ += times.total;
    add(times);
  }

  void add(const StageTimes& times) {
    auto& stages = result_.stages;
    const auto same = std::ranges::find_if(stages, [&](const auto& s) { return s.stage == times.stage; });
    if (same == stages.end()) return stages.push_back(times);
    same->runs += times.runs;
    same->shell += times.shell;
    same->core += times.core;
    same->boundary += times.boundary;
    same->start += times.start;
    same->poke += times.poke;
    same->wait += times.wait;
    same->files += times.files;
    same->read += times.read;
    same->written += times.written;
    same->own += times.own;
    same->total += times.total;
    same->reduction += times.reduction;
    same->messages += times.messages;
    same->bytes += times.bytes;
  }

  const std::vector<RehearsedEvent>& events_;
  const Machine& machine_;
  FileClock files_;
  std::size_t at_ = 0;
  double now_ = 0, sent_ = 0;
  std::string latest_ = "reductions";  // the stage that ran last; before the first one this
  std::map<const void*, std::pair<double, std::string>> begun_;  // when, and after which stage
  std::string awaited_;                                          // that stage
  Forecast result_;
};

/// One run of all simulated ranks, which wait for each other.
class Together {
 public:
  Together(const Played& played, const Machine& machine, const Strategy& strategy)
      : played_(played), machine_(machine), strategy_(strategy) {}

  void run(std::vector<Walk>& walks, const std::vector<const RehearsedRun*>& runs) {
    const std::size_t count = runs.size();
    Arrivals arrivals(played_, machine_, runs);
    std::vector<FileClock> files;
    for (const Walk& walk : walks) files.push_back(walk.files());
    std::vector<std::optional<VirtualPorts>> ports(count);
    // Arrival times depend on all messages that share a link, whose starts depend on arrivals: iterate until
    // the times are stationary.
    bool stationary = false;
    for (int iteration = 0; !stationary && iteration < most_iterations; ++iteration) {
      stationary = true;
      for (std::size_t r = 0; r < count; ++r) {
        files[r] = walks[r].files();
        ports[r].emplace(*runs[r], machine_, strategy_.overlaps, walks[r].run_begins(), files[r],
                         arrivals.due(r));
        executor_.carry_out(runs[r]->plan, strategy_, *ports[r]);
        stationary = arrivals.note(r, *ports[r]) && stationary;
      }
    }
    const std::vector<double> sent = arrivals.last();
    for (std::size_t r = 0; r < count; ++r) walks[r].ran(*ports[r], files[r], sent[r]);
  }

 private:
  const Played& played_;
  const Machine& machine_;
  const Strategy& strategy_;
  Executor executor_;
};

/// Whether all ranks have the same sequence of runs and reductions.
bool in_step(const Played& played) {
  std::vector<std::vector<std::string>> stops;
  for (const Rehearsal* rehearsal : played.rehearsals) {
    auto& mine = stops.emplace_back();
    for (const RehearsedEvent& event : rehearsal->events) {
      const auto* reduction = std::get_if<RehearsedReduction>(&event);
      if (const auto* run = std::get_if<RehearsedRun>(&event)) mine.push_back(run->stage);
      if (reduction && !reduction->begins) mine.emplace_back();
    }
  }
  return std::ranges::all_of(stops, [&](const auto& one) { return one == stops.front(); });
}

}  // namespace

std::vector<Forecast> forecast(const Played& played, const Machine& machine, const Strategy& strategy) {
  if (strategy.chooses)
    refuse("strategy \"" + std::string(strategy.name) +
           "\" chooses among others while it runs; each of them can be predicted");
  if (strategy.divides_threads && !strategy.joins && machine.threads < 2)
    refuse("strategy \"" + std::string(strategy.name) + "\" needs at least 2 threads");
  std::vector<Forecast> all;
  if (!in_step(played)) {  // simulated separately
    for (const Rehearsal* one : played.rehearsals) all.push_back(forecast(*one, machine, strategy));
    return all;
  }
  std::vector<Walk> walks;
  for (const Rehearsal* rehearsal : played.rehearsals) walks.emplace_back(*rehearsal, machine);
  Together together(played, machine, strategy);
  for (;;) {
    std::vector<const RehearsedRun*> runs;
    double begun = 0;
    const RehearsedReduction* reduced = nullptr;
    for (Walk& walk : walks)
      if (const RehearsedEvent* stop = walk.next()) {
        if (const auto* run = std::get_if<RehearsedRun>(stop)) {
          runs.push_back(run);
        } else {
          reduced = &std::get<RehearsedReduction>(*stop);
          begun = std::max(begun, walk.begun(*reduced));
        }
      }
    if (reduced)
      for (Walk& walk : walks)
        walk.combined(begun + machine.reduction +
                      static_cast<double>(reduced->bytes) * machine.reduction_byte);
    else if (!runs.empty())
      together.run(walks, runs);
    else
      break;
  }
  for (Walk& walk : walks) all.push_back(walk.result());
  return all;
}

Forecast forecast(const Rehearsal& rehearsal, const Machine& machine, const Strategy& strategy) {
  return forecast({.rehearsals = {&rehearsal}, .numbers = {0}}, machine, strategy).front();
}

}  // namespace sc::model
