// SPDX-License-Identifier: Apache-2.0
// WindowRun on a rehearsed rank: what a pass of several steps would compute, send and wait for.
#include "engine/base/index.hpp"
#include "engine/overlap/window_run.hpp"
#include "engine/plan/rehearsal.hpp"

namespace sc {

/// Cells of all runs, including those beyond the block.
Work WindowRun::work_of(const Chunk& chunk) const {
  Work work;
  const int slab = chunk.part == outer ? 0 : chunk.part - first_slab;
  const WindowPlan& cells = slabs_ && slab == 0 && of_first_slab_ ? *of_first_slab_ : *cells_;
  const Trapezoid within = slabs_ && slab >= 0 ? slabs_->slab(slab) : Trapezoid{};
  const auto add = [&](const Trapezoid& trapezoid) {
    for (int run = 0; run < cells.runs(); ++run) {
      const Box box = cells.cells(WindowPlan::within(trapezoid, within), run);
      if (box.empty()) continue;
      work.cells += static_cast<std::int64_t>(static_cast<double>(box.cells()) * runs_[at(run)].share);
      work.rows += std::int64_t{box.extent().y} * box.extent().z;
    }
  };
  if (chunk.part == inner || chunk.part >= first_slab) {
    work.part = slabs_ || apart_ ? Work::Part::core : Work::Part::all;
    for (const Trapezoid& part : cells.parts()) add(part);
    for (const Trapezoid& inverted : cells.inverted()) add(inverted);
  } else if (chunk.part == outer) {
    work.part = Work::Part::shell;
    for (const Trapezoid& shell : cells.shells()) add(shell);
  }
  return work;
}

/// The conditions of later runs belong to the cells that are computed.
void WindowRun::note_filled(RehearsedRun& run, const Chunk& chunk) const {
  if (chunk.part == fill) inputs_.note_filled(run, true, false);
  if (chunk.part == close_inputs) inputs_.note_filled(run, !apart_, true);
  if (slabs_ && chunk.part >= first_slab) slabs_->note_filled(run, chunk.part - first_slab);
}

/// In a pass, an array is read from memory once if its old values are used, and written once if it is
/// written.
double WindowRun::bytes_of_own_cell() const {
  double bytes = 0;
  for (std::size_t n = 0; n < arrays_.first().size(); ++n) {
    const RecordedArrays::MemoryUse use = arrays_.memory_use(static_cast<int>(n));
    const Storage& storage = *arrays_.first()[n]->storage;
    bytes += (int{use.read} + int{use.written}) * static_cast<double>(size_of(storage.type())) *
             storage.components();
  }
  return bytes;
}

RehearsedRun WindowRun::rehearsed(const Plan& plan) const {
  RehearsedRun run{.stage = "pass", .plan = plan, .kernels = {{"pass"}}};
  double cells = 0, flops = 0, shares = 0;
  for (const Chunk& chunk : plan.chunks()) {
    run.works.push_back({work_of(chunk)});
    cells += static_cast<double>(run.works.back().front().cells);
    note_filled(run, chunk);
    if (slabs_) run.slabs.push_back({.number = chunk.part - first_slab});
  }
  for (const Recorded& recorded : runs_) {
    flops += recorded.flops * recorded.share;
    shares += recorded.share;
  }
  const double bytes = bytes_of_own_cell() * static_cast<double>(own_cells());
  run.kernels.front() = {run.stage, cells > 0 ? bytes / cells : 0, flops / shares};
  run.departures.resize(plan.pieces().size());  // those of slabs stay empty: slabs are copied, not sent
  run.arrivals.resize(plan.arrivals().size());
  int like = 0;
  for (std::size_t n = 0; n < inputs_.exchanges().size(); ++n) {
    const Exchange& exchange = *inputs_.exchanges()[n];
    for (int piece = 0; piece < exchange.pieces(); ++piece, ++like) {
      run.departures[at(like)] = exchange.departure(piece).value_or(Passage{});
      if (const auto passage = exchange.arrival(piece)) run.arrivals[n].push_back({*passage, like});
    }
  }
  return run;
}

}  // namespace sc
