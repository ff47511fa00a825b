// SPDX-License-Identifier: Apache-2.0
// What is rehearsed of a step, and what it would take on a described machine.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <map>
#include <sstream>

#include "model/predict/critical_path.hpp"
#include "model/predict/forecast.hpp"
#include "model/predict/trace.hpp"
#include "python/bindings/faces.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sc::python {

namespace {

using Pairs = std::map<std::string, std::vector<std::vector<double>>>;

/// Seconds and bytes as in model/predict/machine.hpp; every key is needed. Without overlap a rank waits for
/// each transfer to files.
model::Machine machine_of(const nb::dict& d, const Strategy& strategy) {
  const auto number = [&](const char* key) { return nb::cast<double>(d[key]); };
  model::Machine m;
  m.threads = nb::cast<int>(d["threads"]);
  for (const auto& [stage, by_threads] : nb::cast<Pairs>(d["rates"]))
    for (const auto& rate : by_threads) m.rates[stage].push_back({rate.at(0), rate.at(1)});
  m.byte = nb::cast<std::vector<double>>(d["byte"]);
  m.flop = nb::cast<std::vector<double>>(d["flop"]);
  m.copied_byte = number("copied_byte");
  m.node = {number("node_latency"), number("node_byte")};
  m.network = {number("latency"), number("network_byte"),      number("overhead"),
               number("gap"),     nb::cast<int>(d["sharing"]), nb::cast<std::int64_t>(d["eager_limit"])};
  m.network.segments = nb::cast<std::vector<int>>(d["segments"]);
  m.network.backbone_byte = number("backbone_byte");
  const double awaited = strategy.overlaps ? 1 : number("disk_awaited");
  m.files = {number("read_byte") / awaited, number("written_byte") / awaited, number("both_byte"),
             number("disk_computing")};
  m.poke = number("poke");
  m.look = number("look");
  m.run = number("run");
  m.reduction = number("reduction");
  m.reduction_byte = number("reduction_byte");
  return m;
}

nb::dict dict_of(const model::StageTimes& t) {
  nb::dict d;
  d["stage"] = t.stage;
  d["runs"] = t.runs;
  d["shell"] = t.shell;
  d["core"] = t.core;
  d["boundary"] = t.boundary;
  d["start"] = t.start;
  d["poke"] = t.poke;
  d["wait"] = t.wait;
  d["files"] = t.files;
  d["read"] = t.read;
  d["written"] = t.written;
  d["own"] = t.own;
  d["total"] = t.total;
  d["reduction"] = t.reduction;
  d["messages"] = t.messages;
  d["bytes"] = t.bytes;
  return d;
}

nb::list forecast(const std::vector<const Rehearsal*>& rehearsals, std::vector<int> numbers,
                  std::vector<int> like, const nb::dict& machine, const std::string& strategy, bool joins) {
  const model::Played played{rehearsals, std::move(numbers), std::move(like)};
  nb::list all;
  const Strategy& named = Strategy::of(strategy);
  const Strategy chosen = joins ? named : named.not_joining();
  for (const model::Forecast& f : model::forecast(played, machine_of(machine, named), chosen)) {
    nb::list stages;
    for (const model::StageTimes& times : f.stages) stages.append(dict_of(times));
    nb::dict result;
    result["stages"] = stages;
    result["reductions"] = f.reductions;
    result["total"] = f.total;
    all.append(result);
  }
  return all;
}

std::string trace(Ranks& ranks, const nb::dict& machine, const std::string& strategy) {
  std::ostringstream text;
  const int on_node = ranks.context().options().rehearsed.value_or(Rehearsed{}).ranks_per_node;
  model::write_trace(text, ranks.rehearsal(), machine_of(machine, Strategy::of(strategy)), strategy, on_node);
  return text.str();
}

/// `stages`: seconds of shell and core by kernel.
double critical_path(const Rehearsal& rehearsal, const std::string& strategy,
                     const std::map<std::string, std::vector<double>>& stages, double messages) {
  model::Measured measured{.messages = messages};
  for (const auto& [name, seconds] : stages) measured.stages[name] = {seconds.at(0), seconds.at(1)};
  return model::critical_path(rehearsal, Strategy::of(strategy), measured);
}

/// Bytes that are read from files, and written to them.
std::array<std::int64_t, 2> copied(const Rehearsal& rehearsal) {
  std::array<std::int64_t, 2> bytes{};
  const auto add = [&](const RehearsedCopy& copy) {
    if (copy.begins) bytes[copy.in ? 0 : 1] += copy.bytes;
  };
  for (const RehearsedEvent& event : rehearsal.events) {
    if (const auto* copy = std::get_if<RehearsedCopy>(&event)) add(*copy);
    if (const auto* run = std::get_if<RehearsedRun>(&event))
      for (const RehearsedRun::Slab& slab : run->slabs)
        for (const auto* copies : {&slab.before, &slab.after})
          std::for_each(copies->begin(), copies->end(), add);
  }
  return bytes;
}

/// Of every kernel that has run what its boxes hold: (cells, rows) of shell, core and all, and the cells of
/// halos that each stage fills with it.
nb::dict rehearsed(Ranks& ranks) {
  struct Sums {
    int runs = 0;
    std::array<std::array<std::int64_t, 2>, 4> of{};  ///< cells and rows by part
    std::map<std::string, std::int64_t> filled;       ///< by stage
    double bytes = 0, flops = 0;
  };
  std::map<std::string, Sums> stages;
  for (const RehearsedEvent& event : ranks.rehearsal().events) {
    const auto* run = std::get_if<RehearsedRun>(&event);
    if (!run) continue;
    ++stages[run->kernels.front().name].runs;
    for (const Kernel& kernel : run->kernels) {
      Sums& sums = stages[kernel.name];
      sums.bytes = kernel.bytes_per_cell;
      sums.flops = kernel.flops_per_cell;
    }
    for (const std::vector<Work>& works : run->works)
      for (const Work& work : works) {
        if (work.part == Work::Part::nothing) continue;
        const Kernel& kernel = run->kernels[static_cast<std::size_t>(work.kernel)];
        auto& [cells, rows] = stages[kernel.name].of[static_cast<std::size_t>(work.part) - 1];
        cells += work.cells;
        rows += work.rows;
        if (work.part == Work::Part::boundary) stages[kernel.name].filled[run->stage] += work.cells;
      }
  }
  nb::dict result;
  for (const auto& [name, sums] : stages) {
    nb::dict stage;
    stage["filled"] = sums.filled;
    stage["runs"] = sums.runs;
    stage["bytes_per_cell"] = sums.bytes;
    stage["flops_per_cell"] = sums.flops;
    constexpr std::array parts{"shell", "core", "all"};
    for (std::size_t p = 0; p < parts.size(); ++p)
      stage[parts[p]] = nb::make_tuple(sums.of[p][0], sums.of[p][1]);
    result[name.c_str()] = stage;
  }
  return result;
}

}  // namespace

void bind_predict(nb::module_& module) {
  nb::class_<Rehearsal>(module, "Rehearsal", "What was noted of a rank.");
  module.def(
      "rehearsal", [](Ranks& ranks) { return ranks.rehearsal(); }, "context"_a,
      "What was noted so far, to be kept when the context is closed.");
  nb::class_<SetupRequests>(module, "Told",
                            "What ranks that are not there tell each other while solvers are made.")
      .def(nb::init<>())
      .def_rw("all", &SetupRequests::all, "All have told: from now on they hear.");
  module.def(
      "hear",
      [](Ranks& ranks, std::shared_ptr<SetupRequests> told) {
        ranks.note_rehearsal();
        ranks.context().rehearsal()->set_requests(std::move(told));
      },
      "context"_a, "told"_a, "What a rehearsed context's ranks tell each other goes by `told`.");
  module.def(
      "note_rehearsal", [](Ranks& ranks) { ranks.note_rehearsal(); }, "context"_a,
      "From now on what a rehearsed context's solvers would do is noted down; forgets what was noted "
      "before.");
  module.def("rehearsed", &rehearsed, "context"_a,
             "Of every kernel noted its runs, the (cells, rows) of its boxes, bytes and operations a cell; "
             "'filled': halo\n"
             "cells by the stage that fills them.");
  module.def("copied", &copied, "rehearsal"_a,
             "Bytes that what was noted reads from files, and writes to them.");
  module.def(
      "trace", &trace, "context"_a, "machine"_a, "strategy"_a,
      "What was noted as text, with the seconds of its parts on a machine, for a simulator to replay.");
  module.def(
      "critical_path", &critical_path, "rehearsal"_a, "strategy"_a, "stages"_a, "messages"_a,
      "Seconds that what was noted takes at least with overlap, from seconds without overlap: of shell "
      "and core\n"
      "by kernel, and of the messages.");
  module.def("forecast", &forecast, "rehearsals"_a, "numbers"_a, "like"_a, "machine"_a, "strategy"_a,
             "joins"_a = true,
             "Seconds that what was noted takes on a machine under the strategy that it was rehearsed under, "
             "of each\n"
             "rank. `numbers`: of the ranks; `like`: which of them does as each rank of the run does; -1, or "
             "an empty\n"
             "list: none.");
}

}  // namespace sc::python
