// SPDX-License-Identifier: Apache-2.0
// Work: shell and core from the declarations, computing with pokes, booking.
#include "engine/stage/work.hpp"

#include <algorithm>

namespace sc {

Work::Work(Stage& stage, Refresh& inputs, Refresh& outputs, Timeline& timeline, WorkOptions options)
    : stage_(stage),
      inputs_(inputs),
      outputs_(outputs),
      timeline_(timeline),
      options_(options),
      name_(timeline.name(stage.name() + options.booked_as)),
      all_(stage.grid().own()) {
  inputs_.book_on(name_);
  outputs_.book_on(name_);
  by_thread_.assign(static_cast<std::size_t>(options.threads), like(stage.accumulators()));
  split_shell();
}

void Work::split_shell() {
  int margin = 0;
  auto demand = stage_.demand()->begin();
  for (const Access& a : stage_.accesses()) {
    const int tangential = a.field->boundaries().tangential_up_to(2);
    if (a.reach.width > 0) margin = std::max(margin, a.margin + tangential);
    if (demand->width > 0) margin = std::max(margin, demand->width + tangential);
    ++demand;
  }
  core_ = all_;
  const Grid& grid = stage_.grid();
  for (int axis = 0; axis < 3; ++axis) {
    const bool alone = grid.split()[axis] == 1 && !grid.periodic()[axis];
    if (!alone && !grid.physical({axis, 0})) core_.lo[axis] += margin;
    if (!alone && !grid.physical({axis, 1})) core_.hi[axis] -= margin;
  }
  if (core_.empty()) core_ = Box{};
  if (!all_.empty()) shell_ = subtract(all_, core_);
}

void Work::start(Refresh& movement) {
  for (int piece = 0; piece < movement.pieces(); ++piece) start(movement, piece);
}

void Work::start(Refresh& movement, int piece) {
  const Scope scope(timeline_, name_, Phase::start);
  movement.start(piece);
}

void Work::run(const Box& box) { stage_.compute(box, options_.threads, stage_.accumulators()); }

void Work::compute(const Box& box) {
  if (box.empty()) return;
  const Scope scope(timeline_, name_, box == core_ ? Phase::core : box == all_ ? Phase::all : Phase::shell);
  run(box);
}

void Work::compute(const Box& box, Refresh& movement) {
  if (box.empty()) return;
  if (movement.idle() || movement.test()) {
    compute(box);
    return;
  }
  const double begin = timeline_.now();
  double poked = 0;
  double last = begin;
  int planes = 1;  // of a slab; follows the time the last one took
  for (int z = box.lo.z; z < box.hi.z;) {
    Box slab = box;
    slab.lo.z = z;
    slab.hi.z = std::min(box.hi.z, z + planes);
    run(slab);
    z = slab.hi.z;
    const double computed = timeline_.now();
    if (z < box.hi.z && movement.test()) planes = box.hi.z - z;
    const double tested = timeline_.now();
    poked += tested - computed;
    if (planes < box.hi.z - z)
      planes = std::clamp(static_cast<int>(planes * options_.poke_seconds / std::max(computed - last, 1e-9)),
                          1, 4 * planes);
    last = tested;
  }
  timeline_.add(name_, Phase::core, begin, timeline_.now() - poked);
  timeline_.add_total(name_, Phase::poke, poked);
}

void Work::compute_alone(const Box& box, int thread) {
  stage_.compute(box, 1, by_thread_[static_cast<std::size_t>(thread)]);
}

void Work::book(Phase phase, double begin, double end, int thread) {
  timeline_.add(name_, phase, begin, end, thread);
}

void Work::join() {
  for (const auto& part : by_thread_) merge(stage_.accumulators(), part);
}

}  // namespace sc
