// SPDX-License-Identifier: Apache-2.0
// WindowRun on a rank that is not there: what a pass of several steps would compute, send and wait for.
#include "engine/base/error.hpp"
#include "engine/overlap/window_run.hpp"

namespace sc {

/// Cells of all runs, those beyond the block included.
Work WindowRun::work_of(const Chunk& chunk) const {
  Work work;
  const auto add = [&](const Tower& tower) {
    for (int run = 0; run < cells_->runs(); ++run) {
      const Box box = cells_->cells(tower, run);
      if (box.empty()) continue;
      work.cells += box.cells();
      work.rows += std::int64_t{box.extent().y} * box.extent().z;
    }
  };
  if (chunk.part == inner) {
    work.part = apart_ ? Work::Part::core : Work::Part::all;
    for (const Tower& part : cells_->parts()) add(part);
    for (const Tower& joint : cells_->joints()) add(joint);
  } else if (chunk.part == outer) {
    work.part = Work::Part::shell;
    for (const Tower& shell : cells_->shells()) add(shell);
  }
  return work;
}

/// A pass: an array comes from memory once, if what it held is read, and leaves once, if it is written.
double WindowRun::bytes_of_own_cell() const {
  double bytes = 0;
  for (std::size_t n = 0; n < arrays_.first().size(); ++n) {
    bool touched = false, read = false, written = false;
    for (const auto& run : arrays_.runs()) {
      bool used = false;
      for (const WindowAccess& a : run) {
        if (a.array != static_cast<int>(n)) continue;
        used = true;
        read = read || (!touched && a.mode != Mode::write);
        written = written || a.mode != Mode::read;
      }
      touched = touched || used;
    }
    const Storage& storage = *arrays_.first()[n]->storage;
    bytes += (int{read} + int{written}) * static_cast<double>(size_of(storage.type())) * storage.components();
  }
  return bytes;
}

RehearsedRun WindowRun::rehearsed(const Plan& plan) const {
  if (slabs_) refuse("passes of several steps through slots cannot be rehearsed yet");
  RehearsedRun run{.stage = "pass", .plan = plan};
  double cells = 0, flops = 0;
  for (const Chunk& chunk : plan.chunks()) {
    run.works.push_back(work_of(chunk));
    cells += static_cast<double>(run.works.back().cells);
  }
  for (const Recorded& recorded : runs_) flops += recorded.flops;
  run.bytes_per_cell = cells > 0 ? bytes_of_own_cell() * static_cast<double>(own_cells()) / cells : 0;
  run.flops_per_cell = flops / static_cast<double>(runs_.size());
  std::vector<RehearsedRun::Awaited>& all = run.arrivals.emplace_back();
  for (int n = 0; n < inputs_.pieces(); ++n) {
    run.departures.push_back(inputs_.departure(n).value_or(Passage{}));
    if (const auto passage = inputs_.arrival(n)) all.push_back({*passage, n});
  }
  return run;
}

}  // namespace sc
