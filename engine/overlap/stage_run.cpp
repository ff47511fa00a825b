// SPDX-License-Identifier: Apache-2.0
// StageRun: the shape of its plan, the start of pieces, and waiting with progress of all movements.
#include "engine/overlap/stage_run.hpp"

#include <algorithm>
#include <thread>

#include "engine/move/waiting.hpp"
#include "engine/overlap/look.hpp"
#include "engine/plan/rehearsal.hpp"

namespace sc {

namespace {

bool is_there(Exchange& exchange, int number) {
  switch (number) {
    case StagePlan::from_all:
      return exchange.test();
    case StagePlan::from_others:
      return exchange.test_others();
    default:
      return exchange.arrived(number);
  }
}

}  // namespace

StageRun::StageRun(Stage& stage, Refresh& inputs, Refresh& outputs, const std::optional<Stage::Own>& own,
                   Timeline& timeline, StageRunOptions options)
    : stage_(stage),
      inputs_(inputs),
      outputs_(outputs),
      gathers_(own ? own->gathers : nullptr),
      sums_(own ? own->sums : nullptr),
      timeline_(timeline),
      options_(options),
      device_(stage.device()),
      name_(timeline.name(stage.name() + options.booked_as)),
      own_cut_(own.has_value()) {
  inputs_.record_as(name_);
  outputs_.record_as(name_);
  for (const auto& exchange : inputs.exchanges()) moves_.push_back({Role::inputs, exchange.get()});
  if (gathers_) moves_.push_back({Role::gathers, gathers_});
  for (const auto& exchange : outputs.exchanges()) moves_.push_back({Role::outputs, exchange.get()});
  if (sums_) moves_.push_back({Role::sums, sums_});
}

StageShape StageRun::shape(const Strategy& strategy, const std::optional<Stage::Own>& own) const {
  StageShape shape;
  shape.parts = strategy.parts;
  shape.fills = strategy.overlaps && inputs_.has_conditions();
  shape.sums_at_once = strategy.overlaps && own && own->sums_at_once;
  shape.copies_at_once =
      !own && inputs_.copies_at_once() && outputs_.copies_at_once() && !conditions_cross(stage_);
  shape.whole_lines = !own && stage_.whole_axis() >= 0;
  shape.cut = own ? own->cut : cut_of(stage_, shape.copies_at_once);
  if (slabs_) add_slabs(shape);
  shape.moves = moves_;
  return shape;
}

void StageRun::through(const Slabs& slabs, const StreamPass* next, bool alone) {
  slabs_ = &slabs;
  stream_ = &slabs.ring(next);
  stream_->begin(slabs.pass(), next, alone);
}

/// The core: slabs that no other rank waits for. A stage's own movements may send cells of any slab.
void StageRun::add_slabs(StageShape& shape) const {
  shape.whole_lines = false;
  shape.cut.core = Box{};
  for (int n = 0; n < slabs_->count(); ++n) {
    const Box box = slabs_->box(n);
    const bool at_end = slabs_->at_end(n, false), gives = own_cut_ || at_end;
    shape.slabs.push_back({box, at_end || (!shape.copies_at_once && slabs_->at_end(n, true)), gives});
    Box& core = shape.cut.core;
    if (gives) continue;
    const int lo = core.empty() ? box.lo.z : std::min(core.lo.z, box.lo.z);
    const int hi = core.empty() ? box.hi.z : std::max(core.hi.z, box.hi.z);
    core = box;
    core.lo.z = lo;
    core.hi.z = hi;
  }
}

void StageRun::begin(const StagePlan& plan, const Strategy& strategy, const Cut& cut) {
  plan_ = &plan;
  Rehearsal* rehearsal = stage_.grid().context().rehearsal();
  if (rehearsal) rehearsal->events.emplace_back(rehearsed(cut));
  overlaps_ = strategy.overlaps;
  late_ = plan.late();
  all_ = cut.all;
  core_ = cut.core;
  Rehearsal::at_slab(rehearsal, 0, false);
}

void StageRun::end() { Rehearsal::at_slab(stage_.grid().context().rehearsal(), -1, false); }

void StageRun::start(const Piece& piece) {
  if (piece.movement == slab_stream) {
    stream_->give();
    return Rehearsal::at_slab(stage_.grid().context().rehearsal(), piece.number + 1, false);
  }
  const Scope scope(timeline_, name_, Phase::start);
  exchange(piece.movement).start(piece.number);
}

bool StageRun::arrived(const Arrival& arrival) {
  if (arrival.movement == slab_stream) {
    if (!moves_.empty()) poke(timeline_, name_, [&] { return all_there(); });
    return stream_->arrived();
  }
  const auto look = [&] {
    all_there();
    return is_there(exchange(arrival.movement), arrival.number);
  };
  return look_for_arrival(timeline_, name_, overlaps_, look);
}

/// Makes progress on all movements; returns whether all have completed.
bool StageRun::all_there() {
  bool there = true;
  for (const auto& [role, exchange] : moves_)
    there = (role == outputs && late_ ? exchange->test_others() : exchange->test()) && there;
  return there;
}

void StageRun::wait(const Arrival& arrival) {
  if (arrival.movement == slab_stream) return stream_->await([&] { return all_there(); });
  const Scope scope(timeline_, name_, Phase::wait);
  wait_for_peers(stage_.grid().context(), [&] {
    all_there();
    return is_there(exchange(arrival.movement), arrival.number);
  });
}

void StageRun::compute(const Chunk& chunk) {
  const Task& task = plan_->task(chunk);
  switch (task.what) {
    case Task::What::fill:
      return inputs_.fill_beside_own();
    case Task::What::take: {
      const Scope scope(timeline_, name_, Phase::shell);
      if (rehearses()) return;
      return stage_.take(task.role == gathers ? *gathers_ : *sums_, task.number, options_.threads);
    }
    case Task::What::close_inputs:
      inputs_.wait();
      if (gathers_) gathers_->wait();
      return;
    case Task::What::compute:
      return task.slab ? compute_slab(task) : compute(task.box, chunk.divisible);
    case Task::What::close_outputs:
      return close_outputs();
  }
}

void StageRun::close_outputs() {
  outputs_.wait();
  if (sums_) sums_->wait();
  if ((!gathers_ && !sums_) || rehearses()) return;
  const Scope scope(timeline_, name_, Phase::shell);
  stage_.finish(options_.threads);
}

/// The stream itself records the time spent waiting for it. A device completes a slab before the next one is
/// taken, so that its strips can be sent and the next wait is for the stream alone.
void StageRun::compute_slab(const Task& task) {
  const Slot& slot = stream_->take();
  if (rehearses()) return Rehearsal::at_slab(stage_.grid().context().rehearsal(), task.number, true);
  {
    const Scope scope(timeline_, name_, Phase::boundary);
    slabs_->open(slot);
  }
  if (device_) {
    const Scope scope(timeline_, name_, phase_of(task.box));
    run(task.box);
    slabs_->close(slot);
    await_device();
  } else {
    compute(task.box, true);
    const Scope scope(timeline_, name_, Phase::boundary);
    slabs_->close(slot);
  }
  if (task.number + 1 == slabs_->count()) late_ = false;
}

/// Waits for the device to complete its stream. If the strategy overlaps, movements make progress meanwhile.
void StageRun::await_device() {
  const Device::Event done = device_->record(stage_.stream());
  if (!overlaps_) return device_->wait(done);
  while (!device_->reached(done)) {
    all_there();
    std::this_thread::yield();
  }
}

}  // namespace sc
