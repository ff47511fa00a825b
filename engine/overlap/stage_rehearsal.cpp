// SPDX-License-Identifier: Apache-2.0
// StageRun on a rank that is not there: what a run of it would compute, send and wait for.
#include "engine/overlap/stage_run.hpp"
#include "engine/plan/rehearsal.hpp"

namespace sc {

/// Rows of a box that threads or slabs may take one by one.
Work StageRun::work_of(const Task& task, const Cut& cut) const {
  if (task.what != Task::What::compute || task.box.empty()) return {};
  const Int3 n = task.box.extent();
  const Work::Part part = task.box == cut.core  ? Work::Part::core
                          : task.box == cut.all ? Work::Part::all
                                                : Work::Part::shell;
  return {part, task.box.cells(), std::int64_t{n.y} * n.z};
}

RehearsedRun StageRun::rehearsed(const Cut& cut) const {
  RehearsedRun run{.stage = stage_.name(),
                   .plan = plan_->plan(),
                   .kernels = {{stage_.name(), stage_.bytes_per_cell(), stage_.flops()}}};
  for (const Chunk& chunk : run.plan.chunks()) run.works.push_back({work_of(plan_->task(chunk), cut)});
  if (slabs_) run.slabs.resize(run.plan.chunks().size());
  for (const Piece& piece : run.plan.pieces())
    run.departures.push_back(piece.movement == slab_stream
                                 ? Passage{}
                                 : move(piece.movement)->departure(piece.number).value_or(Passage{}));
  const auto like = [&](int role, int number) {
    for (std::size_t p = 0; p < run.departures.size(); ++p) {
      const Piece& piece = run.plan.pieces()[p];
      if (piece.movement == role && piece.number == number) return static_cast<int>(p);
    }
    return -1;
  };
  for (const Arrival& arrival : run.plan.arrivals()) {
    std::vector<RehearsedRun::Awaited>& all = run.arrivals.emplace_back();
    if (arrival.movement == slab_stream) continue;  // waited for with what is copied
    const bool whole = arrival.number < 0;
    const int pieces = move(arrival.movement)->pieces();
    for (int n = whole ? 0 : arrival.number; n < (whole ? pieces : arrival.number + 1); ++n) {
      const auto passage = move(arrival.movement)->arrival(n);
      if (!passage || (passage->way == Passage::Way::self && arrival.number == StagePlan::from_others))
        continue;
      all.push_back({*passage, like(arrival.movement, n)});
    }
  }
  return run;
}

/// From here on what files do is done before or after slab n is computed; in no run after the last one.
void StageRun::rehearse_copies(int slab, bool after) const {
  Rehearsal* rehearsal = stage_.grid().context().rehearsal();
  if (!rehearsal || !slabs_) return;
  rehearsal->beside(nullptr);
  auto& run = std::get<RehearsedRun>(rehearsal->events.back());
  for (std::size_t c = 0; c < run.slabs.size(); ++c) {
    const Task& task = plan_->task(run.plan.chunks()[c]);
    if (task.slab && task.number == slab)
      rehearsal->beside(after ? &run.slabs[c].after : &run.slabs[c].before);
  }
}

}  // namespace sc
