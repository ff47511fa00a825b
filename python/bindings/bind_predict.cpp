// SPDX-License-Identifier: Apache-2.0
// What is rehearsed of a step, and what it would take on a described machine.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <map>
#include <sstream>

#include "model/predict/forecast.hpp"
#include "model/predict/trace.hpp"
#include "python/bindings/faces.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sc::python {

namespace {

using Pairs = std::map<std::string, std::vector<std::vector<double>>>;

/// Seconds and bytes as in model/predict/machine.hpp; every key is needed.
model::Machine machine_of(const nb::dict& d) {
  const auto number = [&](const char* key) { return nb::cast<double>(d[key]); };
  model::Machine m;
  m.threads = nb::cast<int>(d["threads"]);
  for (const auto& [stage, by_threads] : nb::cast<Pairs>(d["rates"]))
    for (const auto& rate : by_threads) m.rates[stage].push_back({rate.at(0), rate.at(1)});
  m.byte = nb::cast<std::vector<double>>(d["byte"]);
  m.flop = nb::cast<std::vector<double>>(d["flop"]);
  m.copied_byte = number("copied_byte");
  m.node = {number("node_latency"), number("node_byte")};
  m.network = {number("latency"), number("network_byte"), number("overhead"), number("gap")};
  m.files = {number("read_byte"), number("written_byte")};
  m.poke = number("poke");
  m.look = number("look");
  m.run = number("run");
  m.reduction = number("reduction");
  return m;
}

nb::dict dict_of(const model::StageTimes& t) {
  nb::dict d;
  d["stage"] = t.stage;
  d["runs"] = t.runs;
  d["shell"] = t.shell;
  d["core"] = t.core;
  d["start"] = t.start;
  d["poke"] = t.poke;
  d["wait"] = t.wait;
  d["files"] = t.files;
  d["read"] = t.read;
  d["written"] = t.written;
  d["own"] = t.own;
  d["total"] = t.total;
  d["messages"] = t.messages;
  d["bytes"] = t.bytes;
  return d;
}

nb::dict forecast(Ranks& ranks, const nb::dict& machine, const std::string& strategy) {
  const model::Forecast f = model::forecast(ranks.rehearsal(), machine_of(machine), Strategy::of(strategy));
  nb::list stages;
  for (const model::StageTimes& times : f.stages) stages.append(dict_of(times));
  nb::dict result;
  result["stages"] = stages;
  result["reductions"] = f.reductions;
  result["total"] = f.total;
  return result;
}

std::string trace(Ranks& ranks, const nb::dict& machine) {
  std::ostringstream text;
  model::write_trace(text, ranks.rehearsal(), machine_of(machine));
  return text.str();
}

/// Of every stage that has run what its boxes hold: (cells, rows) of shell, core and all.
nb::dict rehearsed(Ranks& ranks) {
  struct Sums {
    int runs = 0;
    std::array<std::array<std::int64_t, 2>, 3> of{};
    double bytes = 0, flops = 0;
  };
  std::map<std::string, Sums> stages;
  for (const RehearsedEvent& event : ranks.rehearsal().events) {
    const auto* run = std::get_if<RehearsedRun>(&event);
    if (!run) continue;
    for (const Kernel& kernel : run->kernels) {
      Sums& sums = stages[kernel.name];
      ++sums.runs;
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
      }
  }
  nb::dict result;
  for (const auto& [name, sums] : stages) {
    nb::dict stage;
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
  module.def(
      "note_rehearsal", [](Ranks& ranks) { ranks.note_rehearsal(); }, "context"_a,
      "From now on what a rehearsed context's solvers would do is noted down; forgets what was noted "
      "before.");
  module.def("rehearsed", &rehearsed, "context"_a,
             "Of every stage noted its runs, the (cells, rows) of its boxes, bytes and operations a cell.");
  module.def(
      "trace", &trace, "context"_a, "machine"_a,
      "What was noted as text, with the seconds of its parts on a machine, for a simulator to replay.");
  module.def(
      "forecast", &forecast, "context"_a, "machine"_a, "strategy"_a,
      "Seconds that what was noted takes on a machine under the strategy that it was rehearsed under.");
}

}  // namespace sc::python
