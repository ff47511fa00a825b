// SPDX-License-Identifier: Apache-2.0
// StageRun: computation with pokes, waiting with progress of all movements, recording of times.
#include "engine/overlap/stage_run.hpp"

#include <algorithm>
#include <thread>

#include "engine/exec/team.hpp"
#include "engine/move/waiting.hpp"
#include "engine/overlap/look.hpp"
#include "engine/plan/rehearsal.hpp"

namespace sc {

namespace {

constexpr int tiles_per_thread = 16;

bool any(const std::array<Movement*, roles>& movements) {
  return std::any_of(movements.begin(), movements.end(), [](const Movement* m) { return m != nullptr; });
}

bool is_there(Movement& movement, int number) {
  switch (number) {
    case StagePlan::from_all:
      return movement.test();
    case StagePlan::from_others:
      return movement.test_others();
    default:
      return movement.arrived(number);
  }
}

}  // namespace

StageRun::StageRun(Stage& stage, Refresh& inputs, Refresh& outputs, const std::optional<Stage::Own>& own,
                   Timeline& timeline, StageRunOptions options)
    : stage_(stage),
      inputs_(inputs),
      outputs_(outputs),
      moves_{inputs.nothing() ? nullptr : &inputs, own ? own->gathers : nullptr,
             outputs.nothing() ? nullptr : &outputs, own ? own->sums : nullptr},
      timeline_(timeline),
      options_(options),
      device_(stage.device()),
      name_(timeline.name(stage.name() + options.booked_as)),
      own_cut_(own.has_value()) {
  inputs_.book_on(name_);
  outputs_.book_on(name_);
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
  std::copy(moves_.begin(), moves_.end(), shape.moves.begin());
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

void StageRun::carry_out(Executor& executor, const StagePlan& plan, const Strategy& strategy,
                         const Cut& cut) {
  plan_ = &plan;
  Rehearsal* rehearsal = stage_.grid().context().rehearsal();
  if (rehearsal) rehearsal->events.emplace_back(rehearsed(cut));
  overlaps_ = strategy.overlaps;
  late_ = plan.late();
  all_ = cut.all;
  core_ = cut.core;
  Rehearsal::at_slab(rehearsal, 0, false);
  executor.carry_out(plan.plan(), strategy, *this);
  Rehearsal::at_slab(rehearsal, -1, false);
}

void StageRun::start(const Piece& piece) {
  if (piece.movement == slab_stream) {
    stream_->give();
    return Rehearsal::at_slab(stage_.grid().context().rehearsal(), piece.number + 1, false);
  }
  const Scope scope(timeline_, name_, Phase::start);
  move(piece.movement)->start(piece.number);
}

bool StageRun::arrived(const Arrival& arrival) {
  if (arrival.movement == slab_stream) {
    if (any(moves_)) poke(timeline_, name_, [&] { return all_there(); });
    return stream_->arrived();
  }
  const auto look = [&] {
    all_there();
    return is_there(*move(arrival.movement), arrival.number);
  };
  return look_for_arrival(timeline_, name_, overlaps_, look);
}

/// Makes progress on all movements; returns whether all have completed.
bool StageRun::all_there() {
  bool there = true;
  for (int role = 0; role < roles; ++role)
    if (Movement* movement = move(role))
      there = (role == outputs && late_ ? movement->test_others() : movement->test()) && there;
  return there;
}

void StageRun::wait(const Arrival& arrival) {
  if (arrival.movement == slab_stream) return stream_->await([&] { return all_there(); });
  const Scope scope(timeline_, name_, Phase::wait);
  wait_for_peers(stage_.grid().context(), [&] {
    all_there();
    return is_there(*move(arrival.movement), arrival.number);
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
      return stage_.take(*move(task.role), task.number, options_.threads);
    }
    case Task::What::close_inputs:
      inputs_.wait();
      if (move(gathers)) move(gathers)->wait();
      return;
    case Task::What::compute:
      return task.slab ? compute_slab(task) : compute(task.box, chunk.divisible);
    case Task::What::close_outputs:
      return close_outputs();
  }
}

void StageRun::close_outputs() {
  outputs_.wait();
  if (move(sums)) move(sums)->wait();
  if ((!move(gathers) && !move(sums)) || rehearses()) return;
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

Phase StageRun::phase_of(const Box& box) const {
  if (slabs_) return box == intersect(box, core_) ? Phase::core : Phase::shell;
  return box == core_ ? Phase::core : box == all_ ? Phase::all : Phase::shell;
}

void StageRun::compute(const Box& box, bool divisible) {
  if (box.empty()) return;
  const bool pokes = divisible && overlaps_ && any(moves_);
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
  stage_.compute(box, 1, by_thread_[static_cast<std::size_t>(thread)]);
}

/// Runs `work` in all threads. Each has accumulators of its own, which are merged at the end.
void StageRun::in_parallel(const std::function<void(int thread)>& work) {
  by_thread_.assign(static_cast<std::size_t>(options_.threads), like(stage_.accumulators()));
  team(options_.threads, work);
  for (const auto& part : by_thread_) merge(stage_.accumulators(), part);
}

void StageRun::compute_beside(const Chunk& chunk, const std::function<void()>& drive, bool joins) {
  TileQueue tiles(plan_->task(chunk).box, tiles_per_thread * options_.threads, stage_.whole_axis());
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
