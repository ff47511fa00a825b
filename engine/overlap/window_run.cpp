// SPDX-License-Identifier: Apache-2.0
// WindowRun: tiles, boundary conditions after the runs that write their fields, pokes.
#include "engine/overlap/window_run.hpp"

#include <algorithm>

#include "engine/base/index.hpp"
#include "engine/exec/team.hpp"
#include "engine/move/waiting.hpp"
#include "engine/overlap/look.hpp"
#include "engine/overlap/window_tile.hpp"
#include "engine/plan/rehearsal.hpp"
#include "engine/stage/cut.hpp"

namespace sc {

namespace {

/// Calls action(part, wrap) for the parts of a box that lie in one period of the grid; global position + wrap
/// is a cell of the grid.
template <class Action>
void each_period(const Grid& grid, const Box& box, const Action& action, int axis = 0, Int3 wrap = {}) {
  if (axis == 3) return action(box, wrap);
  if (!grid.periodic()[axis]) return each_period(grid, box, action, axis + 1, wrap);
  const int n = grid.cells()[axis], origin = grid.origin()[axis];
  for (int period = -1; period <= 1; ++period) {
    Box part = box;
    part.lo[axis] = std::max(part.lo[axis], period * n - origin);
    part.hi[axis] = std::min(part.hi[axis], (period + 1) * n - origin);
    wrap[axis] = -period * n;
    if (!part.empty()) each_period(grid, part, action, axis + 1, wrap);
  }
}

}  // namespace

WindowRun::WindowRun(const std::vector<Recorded>& runs, std::span<const Recorded> following, Refresh& inputs,
                     Timeline& timeline, WindowRunOptions options)
    : runs_(runs),
      arrays_(runs),
      grid_(runs.front().grid()),
      inputs_(inputs),
      timeline_(timeline),
      options_(options),
      name_(timeline.name(std::string("pass") + options.booked_as)) {
  inputs_.book_on(name_);
  for (const Recorded& run : runs) places_.push_back(run.places);
  if (WindowSlabs::in(arrays_)) slabs_.emplace(arrays_, runs, following, options.threads);
  find_layers();
  const Int3 tile = tile_of(runs_, arrays_, grid_);
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

WindowBlock WindowRun::block(const Strategy& strategy) const {
  WindowBlock block{
      .own = grid_.own(), .threads = options_.threads, .slabs = slabs_.has_value(), .tile = options_.tile};
  bool others = false;
  for (int axis = 0; axis < 3; ++axis)
    others |= grid_.split()[axis] > 1 || (grid_.periodic()[axis] && !inputs_.copies_at_once());
  block.apart = strategy.overlaps && others && !inputs_.nothing() && !slabs_;
  // A halo that both copies and conditions fill is complete only after both, at the end of the exchange.
  const bool copies = inputs_.copies_at_once() && !(block.apart && inputs_.has_conditions());
  for (int axis = 0; axis < 3; ++axis)
    for (int side = 0; side < 2; ++side) {
      Side& beyond = block.sides[at(axis)][at(side)];
      const bool alone = grid_.split()[axis] == 1;
      beyond = grid_.physical({axis, side}) ? Side::wall : alone && copies ? Side::itself : Side::neighbour;
      if (beyond == Side::wall) block.margin = arrays_.margin();
    }
  return block;
}

Plan WindowRun::plan() const {
  Plan plan;
  for (int piece = 0; piece < inputs_.pieces(); ++piece)
    plan.add(Piece{.movement = neighbours, .number = piece});
  const std::array<int, 1> there{plan.add(Arrival{.movement = neighbours, .number = 0, .step = -1})};
  if (!apart_) {
    const std::array<int, 1> closed{plan.add(Chunk{.part = close_inputs}, {}, there, {})};
    if (slabs_)
      add_slabs(plan, closed[0]);
    else
      plan.add(Chunk{.part = inner, .step = 1}, closed, {}, {});
    return plan;
  }
  const std::array<int, 1> filled{plan.add(Chunk{.part = fill}, {}, {}, {})};
  const int closed = plan.add(Chunk{.part = close_inputs}, filled, there, {});
  const int computed = plan.add(Chunk{.part = inner, .step = 1}, filled, {}, {});
  const std::array<int, 2> both{closed, computed};
  plan.add(Chunk{.part = outer, .step = 1}, both, {}, {});
  return plan;
}

/// In the order of the planes: each slab depends on the previous one.
void WindowRun::add_slabs(Plan& plan, int closed) const {
  for (int n = 0, before = closed; n < slabs_->count(); ++n) {
    const std::array<int, 1> after{before};
    const std::array<int, 1> near{plan.add(Arrival{.movement = files, .number = n, .step = 1})};
    const std::array<int, 1> leaves{plan.add(Piece{.movement = files, .number = n, .at_once = true})};
    before = plan.add(Chunk{.part = first_slab + n, .step = 1}, after, near, leaves);
  }
}

void WindowRun::carry_out(Executor& executor, const Strategy& strategy) {
  cells_.emplace(arrays_.dependence(), block(strategy));
  apart_ = cells_->apart();
  overlaps_ = strategy.overlaps;
  const Plan plan = this->plan();
  if (slabs_) begin_stream(!strategy.overlaps);
  Rehearsal* rehearsal = grid_.context().rehearsal();
  if (rehearsal) rehearsal->events.emplace_back(rehearsed(plan));
  Rehearsal::at_slab(rehearsal, 0, false);
  executor.carry_out(plan, strategy, *this);
  Rehearsal::at_slab(rehearsal, -1, false);
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
  inputs_.start(piece.number);
}

bool WindowRun::arrived(const Arrival& arrival) {
  if (arrival.movement == files) return stream_->arrived();
  return look_for_arrival(timeline_, name_, overlaps_, [&] { return inputs_.test(); });
}

void WindowRun::wait(const Arrival& arrival) {
  if (arrival.movement == files) return stream_->await([] { return true; });
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
      const Scope scope(timeline_, name_, Phase::settle);
      for (const Recorded& run : runs_)
        for (const Recorded::Use& use : run.uses)
          if (use.mode != Mode::read) use.storage->settle();
      return;
    }
    case inner:
      return compute_inner();
    case outer: {
      const Scope scope(timeline_, name_, Phase::shell);
      for (const Tower& shell : cells_->shells()) sweep(shell, options_.threads, false);
      return;
    }
    default:
      return compute_slab(chunk.part - first_slab);
  }
}

void WindowRun::compute_beside(const Chunk& chunk, const std::function<void()>&, bool) { compute(chunk); }

void WindowRun::compute_inner() {
  const double begin = timeline_.now();
  looked_ = begin;
  poked_ = 0;
  compute_towers(nullptr);
  timeline_.add(name_, apart_ ? Phase::core : Phase::all, begin, timeline_.now() - poked_);
  if (apart_) timeline_.add_total(name_, Phase::poke, poked_);
}

void WindowRun::compute_slab(int slab) {
  const Slot& slot = stream_->take();
  if (rehearses()) return Rehearsal::at_slab(grid_.context().rehearsal(), slab, true);
  const Slot* before = stream_->held();
  {
    const Scope scope(timeline_, name_, Phase::boundary);
    slabs_->open(slot, before);
    for (std::size_t run = 0; run < runs_.size(); ++run)
      for (std::size_t n = 0; n < places_[run].size(); ++n)
        places_[run][n] = place_of(*runs_[run].uses[n].storage);
  }
  {
    const Scope scope(timeline_, name_, Phase::core);
    const Tower cells = slabs_->slab(slab);
    compute_towers(&cells);
  }
  const Scope scope(timeline_, name_, Phase::boundary);
  slabs_->close(slot, before);
}

/// Computes all towers, or their parts in a slab.
void WindowRun::compute_towers(const Tower* slab) {
  const auto cut = [&](const Tower& tower) { return slab ? WindowPlan::within(tower, *slab) : tower; };
  const auto& parts = cells_->parts();
  if (parts.size() > 1)
    team(options_.threads, [&](int thread) { sweep(cut(parts[at(thread)]), 1, thread == 0 && apart_); });
  else if (!parts.empty())
    sweep(cut(parts.front()), options_.threads, apart_);
  for (const Tower& joint : cells_->joints()) sweep(cut(joint), options_.threads, apart_);
}

void WindowRun::sweep(const Tower& tower, int threads, bool pokes) {
  for (const Tower& tile : cells_->tiles(tower))
    for (int run = 0; run < cells_->runs(); ++run) {
      const Box box = cells_->cells(tower, tile, run);
      if (box.empty()) continue;
      compute(run, box, threads);
      if (pokes) poke();
    }
}

void WindowRun::poke() {
  const double now = timeline_.now();
  if (now - looked_ < options_.poke_seconds) return;
  inputs_.test();
  ++grid_.context().accounts()[Resource::messages].looks;
  looked_ = timeline_.now();
  poked_ += looked_ - now;
}

/// Cells beyond the block belong to other ranks, or are own cells once more: their values do not count.
void WindowRun::compute(int number, const Box& box, int threads) {
  const Recorded& run = runs_[at(number)];
  if (run.values) {
    std::vector<Accumulator> mine = like(*run.values);
    const Box own = intersect(box, grid_.own());
    if (!own.empty()) compute_cells(number, own, threads, mine);
    for (const Box& beyond : subtract(box, own)) compute_cells(number, beyond, threads, {});
    const std::lock_guard lock(merging_);
    merge(*run.values, mine);
  } else {
    compute_cells(number, box, threads, {});
  }
  for (std::size_t n = 0; n < run.uses.size(); ++n)
    if (const int layers = layers_[at(number)][n]; layers > 0) apply_conditions(run.uses[n], layers, box);
}

void WindowRun::compute_cells(int number, const Box& box, int threads, std::span<Accumulator> into) const {
  const Recorded& run = runs_[at(number)];
  const Int3 origin = grid_.origin();
  if (run.stage.by_position)
    each_period(grid_, box, [&](const Box& part, Int3 wrap) {
      run.stage.compute(places_[at(number)], part, origin + wrap, threads, into);
    });
  else
    run.stage.compute(places_[at(number)], box, origin, threads, into);
}

/// Applies conditions beside the cells just computed, in the order x, y, z; edges belong to the later axis.
void WindowRun::apply_conditions(const Recorded::Use& use, int layers, const Box& box) const {
  if (!use.conditions.any()) return;
  Box columns = box;
  const Box own = grid_.own();
  for (int axis = 0; axis < 3; ++axis) {
    const bool low = grid_.physical({axis, 0}) && box.lo[axis] == 0;
    const bool high = grid_.physical({axis, 1}) && box.hi[axis] == own.hi[axis];
    for (int side = 0; side < 2; ++side) {
      const Boundary* condition = use.conditions.get({axis, side});
      if (!condition || !(side == 0 ? low : high)) continue;
      Box face = columns;
      face.lo[axis] = side == 0 ? -1 : own.hi[axis];
      face.hi[axis] = face.lo[axis] + 1;
      condition->apply(*use.storage, {axis, side}, {face, layers});
    }
    if (low) columns.lo[axis] -= layers;
    if (high) columns.hi[axis] += layers;
  }
}

}  // namespace sc
