// SPDX-License-Identifier: Apache-2.0
// StageRun: the computation of boxes of cells, with pokes, by a team of threads or on a device.
#include <algorithm>
#include <thread>

#include "engine/exec/team.hpp"
#include "engine/overlap/look.hpp"
#include "engine/overlap/stage_run.hpp"

namespace sc {

namespace {

constexpr int tiles_per_thread = 16;

}  // namespace

Phase StageRun::phase_of(const Box& box) const {
  if (slabs_) return box == intersect(box, core_) ? Phase::core : Phase::shell;
  return box == core_ ? Phase::core : box == all_ ? Phase::all : Phase::shell;
}

void StageRun::compute(const Box& box, bool divisible) {
  if (box.empty()) return;
  const bool pokes = divisible && overlaps_ && !moves_.empty();
  if (pokes && !poke(timeline_, name_, [&] { return all_there(); })) {
    device_ ? on_device(box) : with_pokes(box);
  } else {
    const Scope scope(timeline_, name_, phase_of(box));
    run(box);
    if (device_ && !overlaps_) await_device();
  }
  if (box == core_ || box == all_) late_ = false;
}

/// Launches the whole box. This thread makes progress on movements until they or the device have completed.
void StageRun::on_device(const Box& box) {
  const Scope scope(timeline_, name_, phase_of(box));
  run(box);
  const Device::Event computed = device_->record(stage_.stream());
  while (!all_there() && !device_->reached(computed)) std::this_thread::yield();
}

/// Computes in slabs with a poke after each, until all movements have completed.
void StageRun::with_pokes(const Box& box) {
  const int whole = stage_.whole_axis();
  const Int3 n = box.extent();
  const int axis = n.y == 1 && n.z == 1 && whole != 0 ? 0 : whole == 2 ? 1 : 2;
  const double begin = timeline_.now();
  const int end = box.hi[axis];
  double poked = 0, last = begin;
  int looks = 0;
  int planes = 1;  // in a slab; adapted to the time of the last one
  for (int next = box.lo[axis]; next < end;) {
    Box slab = box;
    slab.lo[axis] = next;
    slab.hi[axis] = std::min(end, next + planes);
    run(slab);
    next = slab.hi[axis];
    const double computed = timeline_.now();
    if (next < end && ++looks && all_there()) planes = end - next;
    const double tested = timeline_.now();
    poked += tested - computed;
    const double fit = planes * options_.poke_seconds / std::max(computed - last, 1e-9);
    if (planes < end - next) planes = static_cast<int>(std::clamp(fit, 1.0, 4.0 * planes));
    last = tested;
  }
  timeline_.add(name_, phase_of(box), begin, timeline_.now() - poked);
  timeline_.add_total(name_, Phase::poke, poked);
  stage_.grid().context().accounts()[Resource::messages].looks += looks;
}

void StageRun::run(const Box& box) {
  if (rehearses()) return;
  if (in_team_) return compute_in_team(box, 0);
  if (device_) {  // the core on a stream of its own: the other one, of higher priority, has what neighbours
                  // wait for
    stage_.choose_stream(!slabs_ && box == core_ && box != all_ ? Stream::core : Stream::edge);
    return stage_.compute(box, 1, stage_.accumulators());
  }
  const Int3 n = box.extent();
  constexpr int part = 64;  // cells, whole cache lines
  const bool few_rows = std::int64_t{n.y} * n.z < options_.threads && n.x >= 2 * part;
  if (!few_rows || own_cut_ || stage_.whole_axis() >= 0)
    return stage_.compute(box, options_.threads, stage_.accumulators());
  // Fewer rows than threads, as in vectors: stages distribute whole rows, so rows are divided here.
  const int parts = (n.x + part - 1) / part;
  in_parallel([&](int thread) {
    const auto [first, last] = team_share(parts);
    Box mine = box;
    mine.lo.x = box.lo.x + static_cast<int>(first) * part;
    mine.hi.x = std::min(box.hi.x, box.lo.x + static_cast<int>(last) * part);
    if (!mine.empty()) compute_in_team(mine, thread);
  });
}

void StageRun::compute_in_team(const Box& box, int thread) {
  if (rehearses()) return;
  stage_.compute(box, 1, by_thread_[static_cast<std::size_t>(thread)]);
}

/// Runs `work` in all threads. Each has accumulators of its own, which are merged at the end.
void StageRun::in_parallel(const std::function<void(int thread)>& work) {
  by_thread_.assign(static_cast<std::size_t>(options_.threads), like(stage_.accumulators()));
  team(options_.threads, work);
  for (const auto& part : by_thread_) merge(stage_.accumulators(), part);
}

void StageRun::compute_beside(const Chunk& chunk, const std::function<void()>& drive, bool joins) {
  // A single thread has nobody to divide the core with.
  const int parts = options_.threads == 1 ? 1 : tiles_per_thread * options_.threads;
  TileQueue tiles(plan_->task(chunk).box, parts, stage_.whole_axis());
  std::vector<std::pair<double, double>> times(static_cast<std::size_t>(options_.threads));
  timeline_.weigh(1.0 / options_.threads);
  in_team_ = true;
  in_parallel([&](int thread) {
    if (thread == 0) drive();
    if (thread == 0 && !joins) return;
    auto& [begin, end] = times[static_cast<std::size_t>(thread)];
    begin = timeline_.now();
    while (const auto tile = tiles.next()) compute_in_team(*tile, thread);
    end = timeline_.now();
  });
  in_team_ = false;
  for (int thread = 0; thread < options_.threads; ++thread)
    if (const auto& [begin, end] = times[static_cast<std::size_t>(thread)]; end > begin)
      timeline_.add(name_, Phase::core, begin, end, thread);
  timeline_.weigh(1);
}

}  // namespace sc
