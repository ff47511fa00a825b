// SPDX-License-Identifier: Apache-2.0
// Work: shell and core from the declarations, computing with pokes, booking.
#include "engine/stage/work.hpp"

#include <algorithm>
#include <thread>

#include "engine/exec/team.hpp"

namespace sc {

Work::Work(Stage& stage, Refresh& inputs, Refresh& outputs, Timeline& timeline, WorkOptions options)
    : stage_(stage),
      inputs_(inputs),
      outputs_(outputs),
      timeline_(timeline),
      options_(options),
      device_(stage.device()),
      name_(timeline.name(stage.name() + options.booked_as)),
      all_(stage.grid().own()) {
  inputs_.book_on(name_);
  outputs_.book_on(name_);
  by_thread_.assign(static_cast<std::size_t>(options.threads), like(stage.accumulators()));
  const int threads = options.threads;
  if (stage.gathers()) inputs_.absorb_with([&stage, threads](int piece) { stage.absorb(piece, threads); });
  if (stage.sums()) outputs_.absorb_with([&stage, threads](int piece) { stage.absorb_sum(piece, threads); });
  if (auto parts = stage.parts()) {
    follows_halos_ = false;
    all_ = parts->all;
    core_ = parts->core;
    shell_ = std::move(parts->shell);
  } else {
    split_shell();
  }
}

void Work::split_shell() {
  int margin = 0;
  int read = 0;  // the part of it that inputs ask for
  auto demand = stage_.demand()->begin();
  for (const Access& a : stage_.accesses()) {
    const int tangential = a.field->boundaries().tangential_up_to(2);
    if (a.reach.width > 0) read = std::max(read, a.margin + tangential);
    if (demand->width > 0) margin = std::max(margin, demand->width + tangential);
    ++demand;
  }
  margin = std::max(margin, read);
  core_ = all_;
  const Grid& grid = stage_.grid();
  const int whole = stage_.whole_axis();
  at_once_ = !device_ && inputs_.copies_at_once() && outputs_.copies_at_once() && !conditions_cross();
  for (int axis = 0; axis < 3; ++axis) {
    if (closes_at_once(axis)) continue;
    if (axis == whole) {
      // A line is computed as one: where the axis closes on itself, each reads the halo at its ends.
      if (grid.periodic()[axis] && read > 0) core_ = Box{};
      continue;
    }
    const bool alone = grid.split()[axis] == 1 && !grid.periodic()[axis];
    if (!alone && !grid.physical({axis, 0})) core_.lo[axis] += margin;
    if (!alone && !grid.physical({axis, 1})) core_.hi[axis] -= margin;
  }
  if (core_.empty()) core_ = Box{};
  align_core();
  if (!all_.empty()) shell_ = subtract(all_, core_);
}

bool Work::closes_at_once(int axis) const {
  const Grid& grid = stage_.grid();
  return at_once_ && grid.split()[axis] == 1 && grid.periodic()[axis];
}

/// Whether a boundary condition has to be filled beside a periodic face before what lies there is computed:
/// where a kernel or a condition reads across the edge.
bool Work::conditions_cross() const {
  const auto& accesses = stage_.accesses();
  return std::any_of(accesses.begin(), accesses.end(), [](const Access& a) {
    const Boundaries& conditions = a.field->boundaries();
    return conditions.any() && (a.reach.diagonal > 0 || conditions.tangential_up_to(2) > 0);
  });
}

/// Rows of the shell along x are whole cache lines, and those of the core begin with one, where that leaves
/// the core at least half of its cells: a row of one cell costs as much as a row of eight.
void Work::align_core() {
  if (device_ || core_.empty() || whole_axis() == 0) return;
  constexpr int line = 64;
  std::size_t bytes = line;
  for (const Access& a : stage_.accesses())
    if (a.mode != Mode::read) bytes = std::min(bytes, size_of(a.storage().type()));
  const int cells = line / static_cast<int>(bytes);
  Box aligned = core_;
  if (core_.lo.x > all_.lo.x) aligned.lo.x = (core_.lo.x + cells - 1) / cells * cells;
  if (core_.hi.x < all_.hi.x) aligned.hi.x = core_.hi.x / cells * cells;
  if (2 * aligned.extent().x >= core_.extent().x) core_ = aligned;
}

void Work::start(Refresh& movement) {
  for (int piece = 0; piece < movement.pieces(); ++piece) start(movement, piece);
}

void Work::start(Refresh& movement, int piece) {
  // Along an axis on which the rank is its own neighbour, the halo is filled from the core.
  const bool early =
      follows_halos_ && (at_once_ || whole_axis() >= 0) && &movement == &outputs_ && !core_computed_;
  // A piece to another rank comes out of the shell alone, though the box around its parts may hold the core.
  const bool waits = early && (!at_once_ || movement.to_self(piece));
  if (waits && !intersect(movement.source(piece), core_).empty()) {
    left_.push_back(piece);
    return;
  }
  const Scope scope(timeline_, name_, Phase::start);
  movement.start(piece);
}

void Work::arrive(Refresh& movement) {
  if (left_.empty() || &movement != &outputs_) return movement.arrive();
  if (at_once_) return movement.idle() ? void() : movement.arrive_from_others();
  compute(core_);
  movement.arrive();
}

void Work::start_left() {
  if (left_.empty()) return;
  const Scope scope(timeline_, name_, Phase::start);
  for (const int piece : left_) outputs_.start(piece);
  left_.clear();
}

bool Work::arrived(Refresh& movement) {
  return !left_.empty() && &movement == &outputs_ && at_once_ ? movement.test_others() : movement.test();
}

// The core on a lane of its own: the other one, of higher priority, has all that neighbours wait for.
void Work::run_on_device(const Box& box) {
  stage_.choose_lane(box == core_ && box != all_ ? Lane::core : Lane::edge);
  stage_.compute(box, 1, stage_.accumulators());
}

void Work::run(const Box& box) {
  if (device_) return run_on_device(box);
  const Int3 n = box.extent();
  constexpr int part = 64;  // cells, whole cache lines
  const bool few_rows = std::int64_t{n.y} * n.z < options_.threads && n.x >= 2 * part;
  if (!few_rows || !follows_halos_ || whole_axis() >= 0) {
    stage_.compute(box, options_.threads, stage_.accumulators());
    return;
  }
  // Fewer rows than threads, as in vectors: stages share out whole rows, so each thread gets a part of them.
  const int parts = (n.x + part - 1) / part;
  team(options_.threads, [&](int thread) {
    const auto [first, last] = team_share(parts);
    Box mine = box;
    mine.lo.x = box.lo.x + static_cast<int>(first) * part;
    mine.hi.x = std::min(box.hi.x, box.lo.x + static_cast<int>(last) * part);
    if (!mine.empty()) compute_alone(mine, thread);
  });
  join();
}

void Work::compute(const Box& box) {
  if (box.empty() || (core_computed_ && box == core_)) return;  // see arrive()
  {
    const Scope scope(timeline_, name_, box == core_ ? Phase::core : box == all_ ? Phase::all : Phase::shell);
    run(box);
    if (device_ && options_.wait_for_device) device_->wait(device_->mark(stage_.lane()));
  }
  core_computed_ = core_computed_ || box == core_ || box == all_;
  if (core_computed_) start_left();
}

void Work::compute(const Box& box, Refresh& movement) {
  if (box.empty()) return;
  if (movement.idle() || arrived(movement)) {
    compute(box);
    return;
  }
  const double begin = timeline_.now();
  if (device_) {
    // All at once: the device computes while this thread drives the movement, until either has come to its
    // end.
    run(box);
    const Device::Mark computed = device_->mark(stage_.lane());
    while (!movement.test() && !device_->reached(computed)) std::this_thread::yield();
    core_computed_ = core_computed_ || box == core_;
    timeline_.add(name_, Phase::core, begin, timeline_.now());
    return;
  }
  double poked = 0;
  double last = begin;
  int axis = whole_axis() == 2 ? 1 : 2;  // that the slabs are cut across
  if (const Int3 n = box.extent(); n.y == 1 && n.z == 1 && whole_axis() != 0) axis = 0;
  const int end = box.hi[axis];
  int planes = 1;  // of a slab; follows the time the last one took
  for (int next = box.lo[axis]; next < end;) {
    Box slab = box;
    slab.lo[axis] = next;
    slab.hi[axis] = std::min(end, next + planes);
    run(slab);
    next = slab.hi[axis];
    const double computed = timeline_.now();
    if (next < end && arrived(movement)) planes = end - next;
    const double tested = timeline_.now();
    poked += tested - computed;
    if (planes < end - next)
      planes = std::clamp(static_cast<int>(planes * options_.poke_seconds / std::max(computed - last, 1e-9)),
                          1, 4 * planes);
    last = tested;
  }
  core_computed_ = core_computed_ || box == core_;
  timeline_.add(name_, Phase::core, begin, timeline_.now() - poked);
  timeline_.add_total(name_, Phase::poke, poked);
  if (core_computed_) start_left();
}

void Work::compute_alone(const Box& box, int thread) {
  stage_.compute(box, 1, by_thread_[static_cast<std::size_t>(thread)]);
}

void Work::finish() {
  const Scope scope(timeline_, name_, Phase::shell);
  stage_.finish(options_.threads);
}

void Work::book(Phase phase, double begin, double end, int thread) {
  timeline_.add(name_, phase, begin, end, thread);
}

void Work::join() {
  for (auto& part : by_thread_) {
    merge(stage_.accumulators(), part);
    for (Accumulator& a : part) a.clear();
  }
}

}  // namespace sc
