// SPDX-License-Identifier: Apache-2.0
// StageRun on a rehearsed rank: records what a run would compute, send and wait for.
#include "engine/overlap/stage_run.hpp"

#include <algorithm>

#include "engine/plan/rehearsal.hpp"
#include "engine/stage/row_stage.hpp"

namespace sc {

namespace {

constexpr int multiplied = 0, added = 1;  // kernels of a matrix product

std::vector<Kernel> kernels_of(const Stage& stage) {
  const auto* product = dynamic_cast<const RowStage*>(&stage);
  if (!product) return {{stage.name(), stage.bytes_per_cell(), stage.flops()}};
  const double bytes = product->bytes_per_cell() * product->grid().own().hi.x;
  return {{stage.name(), bytes / static_cast<double>(std::max<std::int64_t>(product->nonzeros(), 1)), 2},
          {stage.name() + " (sums)", 24, 1}};
}

}  // namespace

/// The work of a task, with the number of rows that threads or slabs can process separately. The cells of a
/// matrix product are its non-zeros: after an arrival, those in the columns that arrived.
Work StageRun::work_of(const Task& task, const Cut& cut) const {
  const auto* product = dynamic_cast<const RowStage*>(&stage_);
  if (product && task.what == Task::What::take)
    return task.role == gathers ? Work{Work::Part::shell, product->nonzeros_of(task.number), 0, multiplied}
                                : Work{Work::Part::shell, product->sums_of(task.number), 0, added};
  if (task.what != Task::What::compute || task.box.empty()) return {};
  const Int3 n = task.box.extent();
  const Work::Part part = task.box == cut.core  ? Work::Part::core
                          : task.box == cut.all ? Work::Part::all
                                                : Work::Part::shell;
  if (product) return {part, product->nonzeros_in(task.box), n.x};
  return {part, task.box.cells(), std::int64_t{n.y} * n.z};
}

/// The halo cells that a task fills.
void StageRun::note_filled(RehearsedRun& run, const Task& task) const {
  if (task.what == Task::What::fill) inputs_.note_filled(run, true, false);
  if (task.what == Task::What::close_inputs) inputs_.note_filled(run, !plan_->fills(), true);
  if (task.what == Task::What::close_outputs) outputs_.note_filled(run, true, true);
  if (task.slab) slabs_->note_filled(run, task.number);
}

RehearsedRun StageRun::rehearsed(const Cut& cut) const {
  RehearsedRun run{.stage = stage_.name(), .plan = plan_->plan(), .kernels = kernels_of(stage_)};
  for (const Chunk& chunk : run.plan.chunks()) {
    const Task& task = plan_->task(chunk);
    run.works.push_back({work_of(task, cut)});
    note_filled(run, task);
    if (slabs_) run.slabs.push_back({.number = task.slab ? task.number : -1});
  }
  for (const Piece& piece : run.plan.pieces())
    run.departures.push_back(piece.movement == slab_stream
                                 ? Passage{}
                                 : exchange(piece.movement).departure(piece.number).value_or(Passage{}));
  const auto like = [&](int movement, int number) {
    for (std::size_t p = 0; p < run.departures.size(); ++p) {
      const Piece& piece = run.plan.pieces()[p];
      if (piece.movement == movement && piece.number == number) return static_cast<int>(p);
    }
    return -1;
  };
  for (const Arrival& arrival : run.plan.arrivals()) {
    std::vector<RehearsedRun::Awaited>& all = run.arrivals.emplace_back();
    if (arrival.movement == slab_stream) continue;  // its wait is part of the copies
    const bool whole = arrival.number < 0;
    const int pieces = exchange(arrival.movement).pieces();
    for (int n = whole ? 0 : arrival.number; n < (whole ? pieces : arrival.number + 1); ++n) {
      const auto passage = exchange(arrival.movement).arrival(n);
      if (!passage || (passage->way == Passage::Way::self && arrival.number == StagePlan::from_others))
        continue;
      all.push_back({*passage, like(arrival.movement, n)});
    }
  }
  return run;
}

}  // namespace sc
