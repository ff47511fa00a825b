// SPDX-License-Identifier: Apache-2.0
// WindowRun: its plan, halos, slabs, and arrivals.
#include "engine/overlap/window_run.hpp"

#include <algorithm>

#include "engine/base/index.hpp"
#include "engine/move/waiting.hpp"
#include "engine/overlap/look.hpp"
#include "engine/overlap/window_tile.hpp"
#include "engine/plan/rehearsal.hpp"

namespace sc {

WindowRun::WindowRun(const std::vector<Recorded>& runs, std::span<const Recorded> following, Refresh& inputs,
                     Timeline& timeline, WindowRunOptions options)
    : runs_(runs),
      arrays_(runs),
      grid_(runs.front().grid()),
      inputs_(inputs),
      timeline_(timeline),
      device_(runs.front().device()),
      options_(options),
      name_(timeline.name(std::string("pass") + options.booked_as)) {
  inputs_.record_as(name_);
  if (device_) options_.threads = 1;
  for (const Recorded& run : runs) places_.push_back(run.places);
  if (WindowSlabs::in(arrays_)) slabs_.emplace(arrays_, runs, following, options_.threads);
  find_layers();
  fill_constant();
  // A device computes each run of a trapezoid in one launch: it has no cache for several.
  const int beyond = 2 * grid_.halo();
  const Int3 whole = grid_.own().extent() + Int3{beyond, beyond, beyond};
  const Int3 tile = device_ ? whole : tile_of(runs_, arrays_, grid_);
  for (int axis = 1; axis < 3; ++axis)
    if (options_.tile[axis] == 0) options_.tile[axis] = tile[axis];
}

/// Finds the layers that later runs read of each array, up to the run that overwrites it.
void WindowRun::find_layers() {
  const WindowRuns& runs = arrays_.runs();
  for (std::size_t n = 0; n < runs.size(); ++n) {
    std::vector<int>& layers = layers_.emplace_back();
    for (const WindowAccess& written : runs[n]) {
      int& most = layers.emplace_back(0);
      bool same = written.mode != Mode::read;
      for (std::size_t later = n + 1; same && later < runs.size(); ++later)
        for (const WindowAccess& a : runs[later]) {
          if (a.array != written.array) continue;
          most = std::max(most, a.reach);
          same = same && a.mode == Mode::read;
        }
    }
  }
}

namespace {

/// Whether a storage has the same constant condition at a face in all runs.
bool stays(const std::vector<Recorded>& runs, const Recorded::Use& use, Face face) {
  const Boundary* condition = use.conditions.get(face);
  if (!condition || !condition->constant()) return false;
  for (const Recorded& run : runs)
    for (const Recorded::Use& other : run.uses)
      if (other.storage == use.storage && other.conditions.get(face) != condition) return false;
  return true;
}

}  // namespace

/// Applies the constant conditions of what runs write to the whole halo, not tile by tile.
void WindowRun::fill_constant() {
  for (const Recorded& run : runs_)
    for (const Recorded::Use& use : run.uses) {
      unsigned& constant = constant_[use.storage.get()];
      // Slots hold some planes only, and a caller's memory may have fewer layers than the grid.
      if (use.mode == Mode::read || use.storage->far() || use.storage->external().base) continue;
      for (const Face face : all_faces) {
        if (!grid_.physical(face) || !stays(runs_, use, face)) continue;
        constant |= bit_of(face);
        const Boundary& condition = *use.conditions.get(face);
        const Box columns = face_columns(grid_, face, grid_.halo(), 0);
        if (use.storage->filled(condition, face, columns)) continue;
        if (!rehearses()) condition.apply(*use.storage, face, {columns});
        use.storage->set_filled(condition, face, columns);
      }
    }
}

/// The other conditions have been applied tile by tile, which no storage has recorded.
void WindowRun::forget_filled() const {
  for (const Recorded& run : runs_)
    for (const Recorded::Use& use : run.uses)
      for (const Face face : all_faces)
        if (use.mode != Mode::read && !(constant_.at(use.storage.get()) & bit_of(face)))
          use.storage->forget_filled(face);
}

WindowBlock WindowRun::block(const Strategy& strategy) const {
  WindowBlock block{
      .own = grid_.own(), .threads = options_.threads, .slabs = slabs_.has_value(), .tile = options_.tile};
  bool others = false;
  for (int axis = 0; axis < 3; ++axis)
    others |= grid_.split()[axis] > 1 || (grid_.periodic()[axis] && !inputs_.copies_at_once());
  block.apart = strategy.overlaps && others && !inputs_.nothing();
  // A halo that both copies and conditions fill is complete only after both, at the end of the exchange.
  const bool copies = inputs_.copies_at_once() && !(block.apart && inputs_.has_conditions());
  for (const Face face : all_faces) {
    Side& beyond = block.sides[at(face.axis)][at(face.side)];
    const bool alone = grid_.split()[face.axis] == 1;
    beyond = grid_.physical(face) ? Side::wall : alone && copies ? Side::itself : Side::neighbour;
    if (beyond == Side::wall) block.margin = arrays_.margin();
  }
  return block;
}

void WindowRun::choose_cells(const Strategy& strategy) {
  WindowBlock all = block(strategy);
  // Around an undivided periodic axis z the halo is a copy of the block's other end, and must be there.
  const bool ends = inputs_.copies_at_once() || grid_.split().z > 1 || !grid_.periodic().z;
  if (slabs_ && all.apart && ends && slabs_->begins_apart(arrays_.dependence().depth)) {
    WindowBlock first = all;
    if (slabs_->count() > 1) first.sides[2][1] = Side::wall;  // it ends at the second slab
    of_first_slab_.emplace(arrays_.dependence(), first);
    if (first.waits() && !of_first_slab_->apart()) of_first_slab_.reset();
  }
  if (slabs_) all.apart = false;
  cells_.emplace(arrays_.dependence(), all);
  looks_ = apart_ = cells_->apart() || of_first_slab_;
}

Plan WindowRun::plan() const {
  Plan plan;
  std::vector<int> there;
  for (int n = 0; n < static_cast<int>(inputs_.exchanges().size()); ++n) {
    for (int piece = 0; piece < exchange(n).pieces(); ++piece)
      plan.add(Piece{.movement = n, .number = piece});
    there.push_back(plan.add(Arrival{.movement = n, .number = 0, .step = -1}));
  }
  std::array<int, 1> filled{};
  if (apart_) filled[0] = plan.add(Chunk{.part = fill}, {}, {}, {});
  const std::span<const int> before(filled.data(), apart_ ? 1 : 0);
  if (slabs_) {
    add_slabs(plan, before, there);
    return plan;
  }
  const int closed = plan.add(Chunk{.part = close_inputs}, before, there, {});
  const std::array<int, 1> after{apart_ ? filled[0] : closed};
  const std::array<int, 2> both{closed, plan.add(Chunk{.part = inner, .step = 1}, after, {}, {})};
  if (apart_) plan.add(Chunk{.part = outer, .step = 1}, both, {}, {});
  return plan;
}

/// In the order of the planes: each slab depends on the previous one. Only those at the ends of a divided
/// axis need the halos: along z the first and the last one, along x and y all of them. The first one is then
/// computed in two parts.
void WindowRun::add_slabs(Plan& plan, std::span<const int> filled, std::span<const int> there) const {
  const bool all_wait = grid_.split().x > 1 || grid_.split().y > 1;
  const bool in_parts = of_first_slab_ && of_first_slab_->apart();
  const int last = slabs_->count() - 1;
  std::vector<int> after(filled.begin(), filled.end());
  bool closed = false;
  const auto close = [&] {
    after.push_back(plan.add(Chunk{.part = close_inputs, .step = apart_ ? 1 : 0}, filled, there, {}));
    closed = true;
  };
  for (int n = 0; n <= last; ++n) {
    if (!closed && (!apart_ || (n > 0 && (all_wait || n == last)))) close();
    const std::array<int, 1> near{plan.add(Arrival{.movement = files, .number = n, .step = 1})};
    const std::array<int, 1> leaves{plan.add(Piece{.movement = files, .number = n, .at_once = true})};
    const bool divided = n == 0 && in_parts;
    const std::span<const int> at_end(leaves), later;
    after = {plan.add(Chunk{.part = first_slab + n, .step = 1}, after, near, divided ? later : at_end)};
    if (!divided) continue;
    close();
    after = {plan.add(Chunk{.part = outer, .step = 1}, after, {}, leaves)};
  }
  if (!closed) close();
}

void WindowRun::carry_out(Executor& executor, const Strategy& strategy) {
  choose_cells(strategy);
  overlaps_ = strategy.overlaps;
  const Plan plan = this->plan();
  if (slabs_) begin_stream(!strategy.overlaps);
  Rehearsal* rehearsal = grid_.context().rehearsal();
  if (rehearsal) rehearsal->events.emplace_back(rehearsed(plan));
  if (device_) begin_on_device();
  Rehearsal::at_slab(rehearsal, 0, false);
  executor.carry_out(plan, strategy, *this);
  Rehearsal::at_slab(rehearsal, -1, false);
  forget_filled();
}

void WindowRun::begin_on_device() {
  for (const Recorded& run : runs_)
    for (const Recorded::Use& use : run.uses) use.storage->use_on_device(use.mode != Mode::read);
}

/// Reads the first slabs during the exchange.
void WindowRun::begin_stream(bool alone) {
  stream_ = &slabs_->ring();
  const bool known = !slabs_->next().phase.empty();
  stream_->begin(slabs_->pass(), known ? &slabs_->next() : nullptr, alone);
  if (!alone) stream_->prefetch(slabs_->pass());
}

void WindowRun::start(const Piece& piece) {
  if (piece.movement == files) {
    stream_->give();
    return Rehearsal::at_slab(grid_.context().rehearsal(), piece.number + 1, false);
  }
  const Scope scope(timeline_, name_, Phase::start);
  exchange(piece.movement).start(piece.number);
}

bool WindowRun::arrived(const Arrival& arrival) {
  if (arrival.movement == files) return stream_->arrived();
  return look_for_arrival(timeline_, name_, overlaps_, [&] { return inputs_.test(); });
}

void WindowRun::wait(const Arrival& arrival) {
  if (arrival.movement == files) return stream_->await([&] { return inputs_.test(); });
  const Scope scope(timeline_, name_, Phase::wait);
  wait_for_peers(grid_.context(), [&] { return inputs_.test(); });
}

void WindowRun::compute(const Chunk& chunk) {
  if (rehearses() && chunk.part < first_slab && chunk.part != close_inputs) return;
  switch (chunk.part) {
    case fill:
      return inputs_.fill_beside_own();
    case close_inputs: {
      inputs_.wait();
      looks_ = false;
      const Scope scope(timeline_, name_, Phase::settle);
      for (const Recorded& run : runs_)
        for (const Recorded::Use& use : run.uses)
          if (use.mode != Mode::read) use.storage->settle();
      return;
    }
    case inner:
      return compute_inner();
    case outer:
      return compute_shells();
    default:
      return compute_slab(chunk.part - first_slab);
  }
}

/// Of the first slab only the cells that need no other rank's, if they are computed apart.
void WindowRun::compute_slab(int slab) {
  slot_ = &stream_->take();
  if (rehearses()) return Rehearsal::at_slab(grid_.context().rehearsal(), slab, true);
  const bool first = slab == 0 && of_first_slab_, in_parts = first && of_first_slab_->apart();
  const Slot* before = stream_->held();
  {
    const Scope scope(timeline_, name_, Phase::boundary);
    slabs_->open(*slot_, before, first ? HaloPart::own : HaloPart::all);
    for (std::size_t run = 0; run < runs_.size(); ++run)
      for (std::size_t n = 0; n < places_[run].size(); ++n)
        places_[run][n] = place_of(*runs_[run].uses[n].storage);
  }
  const double begin = begin_to_poke();
  compute_trapezoids(first ? *of_first_slab_ : *cells_, slabs_->slab(slab));
  if (in_parts && device_) await_device();
  add_span(Phase::core, begin, looks_);
  if (!in_parts) close_slab(*slot_, before);
}

/// Of the block, or of the first slab.
void WindowRun::compute_shells() {
  if (slabs_) {
    const Scope scope(timeline_, name_, Phase::boundary);
    slabs_->fill(*slot_, HaloPart::others);
  }
  {
    const WindowPlan& plan = slabs_ ? *of_first_slab_ : *cells_;
    const Trapezoid slab = slabs_ ? slabs_->slab(0) : Trapezoid{};
    const Scope scope(timeline_, name_, Phase::shell);
    for (const Trapezoid& shell : plan.shells())
      sweep(plan, WindowPlan::within(shell, slab), options_.threads);
    if (device_ && !overlaps_) await_device();
  }
  if (slabs_) close_slab(*slot_, nullptr);
}

void WindowRun::close_slab(const Slot& slot, const Slot* before) {
  const Scope scope(timeline_, name_, device_ ? Phase::core : Phase::boundary);
  slabs_->close(slot, before);
  // The host sends the strips, and the next wait is for the stream alone.
  if (device_) device_->wait(device_->record(Stream::edge));
}

}  // namespace sc
