// SPDX-License-Identifier: Apache-2.0
// WindowRun: the computation of trapezoids tile by tile, boundary conditions after the runs that write their
// fields, and progress of messages meanwhile.
#include <algorithm>
#include <atomic>
#include <thread>

#include "engine/base/index.hpp"
#include "engine/exec/team.hpp"
#include "engine/overlap/window_run.hpp"
#include "engine/stage/cut.hpp"
#include "engine/stage/poison.hpp"

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

/// Whether threads that take rows of tiles in turn have about the same number of cells: the first row may be
/// much wider than the others.
bool divides_evenly(const WindowPlan& plan, const Trapezoid& trapezoid,
                    const std::vector<std::vector<Trapezoid>>& rows, std::size_t threads) {
  if (threads == 1 || rows.size() < threads) return false;
  std::vector<int> width(threads, 0);
  for (std::size_t row = 0; row < rows.size(); ++row)
    width[row % threads] += plan.cells(trapezoid, rows[row].front(), 0).extent().y;
  const int most = *std::ranges::max_element(width);
  const double mean = plan.cells(trapezoid, 0).extent().y / static_cast<double>(threads);
  return most <= 1.4 * mean;
}

}  // namespace

void WindowRun::compute_inner() {
  const double begin = begin_to_poke();
  compute_trapezoids(*cells_, {});
  if (device_) await_device();
  add_span(apart_ ? Phase::core : Phase::all, begin, apart_);
}

double WindowRun::begin_to_poke() {
  poked_ = 0;
  return looked_ = timeline_.now();
}

/// Records a computation that has begun then; `poked`: with progress of messages meanwhile.
void WindowRun::add_span(Phase phase, double begin, bool poked) {
  timeline_.add(name_, phase, begin, timeline_.now() - poked_);
  if (poked) timeline_.add_total(name_, Phase::poke, poked_);
}

/// Messages make progress meanwhile, until all have arrived.
void WindowRun::await_device() {
  const Device::Event computed = device_->record(Stream::edge);
  if (!overlaps_) return device_->wait(computed);
  while (apart_ && !inputs_.test() && !device_->reached(computed)) std::this_thread::yield();
}

/// Parts and the inverted trapezoids between them, as far as they are in a slab.
void WindowRun::compute_trapezoids(const WindowPlan& plan, const Trapezoid& slab) {
  const auto& parts = plan.parts();
  if (parts.size() > 1)
    team(options_.threads, [&](int thread) {
      sweep(plan, WindowPlan::within(parts[at(thread)], slab), 1, thread == 0 && looks_);
    });
  else if (!parts.empty())
    sweep_by_rows(plan, WindowPlan::within(parts.front(), slab));
  for (const Trapezoid& inverted : plan.inverted())
    sweep(plan, WindowPlan::within(inverted, slab), options_.threads, looks_);
}

void WindowRun::sweep(const WindowPlan& plan, const Trapezoid& trapezoid, int threads, bool pokes) {
  for (const auto& row : plan.tiles(trapezoid))
    for (const Trapezoid& tile : row) compute_tile(plan, trapezoid, tile, threads, pokes);
}

/// Threads take rows of tiles in turn, each tile after its predecessor in the row before.
void WindowRun::sweep_by_rows(const WindowPlan& plan, const Trapezoid& trapezoid) {
  const auto rows = plan.tiles(trapezoid);
  const auto threads = at(options_.threads);
  if (!divides_evenly(plan, trapezoid, rows, threads))
    return sweep(plan, trapezoid, options_.threads, looks_);
  std::vector<std::atomic<std::size_t>> done(rows.size());  // tiles of a row
  std::atomic<bool> failed = false;
  team(options_.threads, [&](int thread) {
    try {
      for (std::size_t row = at(thread); row < rows.size(); row += threads)
        for (std::size_t n = 0; n < rows[row].size(); ++n) {
          while (row > 0 && done[row - 1].load(std::memory_order_acquire) <= n) {
            if (failed) return;
            std::this_thread::yield();
          }
          compute_tile(plan, trapezoid, rows[row][n], 1, thread == 0 && looks_);
          done[row].store(n + 1, std::memory_order_release);
        }
    } catch (...) {
      failed = true;
      throw;
    }
  });
}

void WindowRun::compute_tile(const WindowPlan& plan, const Trapezoid& trapezoid, const Trapezoid& tile,
                             int threads, bool pokes) {
  for (int run = 0; run < plan.runs(); ++run) {
    const Box box = plan.cells(trapezoid, tile, run);
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
  const bool poisons = run.watched && run.share == 1;  // a colour leaves the cells of the others
  for (std::size_t n = 0; poisons && n < run.uses.size(); ++n)
    if (const Recorded::Use& use = run.uses[n]; use.mode == Mode::write)
      poison_cells(*use.storage, places_[at(number)][n], box);
  if (run.stage.by_position || run.watched)  // which names its cells
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
  const unsigned constant = constant_.at(use.storage.get());
  for (int axis = 0; axis < 3; ++axis) {
    const bool low = grid_.physical({axis, 0}) && box.lo[axis] == 0;
    const bool high = grid_.physical({axis, 1}) && box.hi[axis] == own.hi[axis];
    for (int side = 0; side < 2; ++side) {
      const Boundary* condition = use.conditions.get({axis, side});
      if (!condition || !(side == 0 ? low : high) || (constant & bit_of({axis, side}))) continue;
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
