// SPDX-License-Identifier: Apache-2.0
// Stage: checks of declarations, and the order of rows.
#include "engine/stage/stage.hpp"

#include <algorithm>
#include <cmath>

#include "engine/exec/caches.hpp"

namespace sc {

namespace {

constexpr double nothing_stays = 32 << 20;  // bytes of a rank; less may stay in a cache between runs
constexpr int least_rows = 16;              // of a block: rows at its edges are read twice
constexpr double in_flight = 8 << 10;  // bytes prefetched: latency of memory times a core's share of its rate

int colours_needed(Reach reach) {
  if (reach.width == 0) return 1;
  if (reach.width > 1) return 0;
  return reach.diagonal > 0 ? 8 : 2;
}

bool writes_to(const Access& access) { return access.mode != Mode::read; }

/// Bytes for each cell, of the fields on the stage's own grid.
double bytes_a_cell(const Stage& stage) {
  double bytes = 0;
  for (const Access& a : stage.accesses())
    if (a.storage().grid() == stage.grid())
      bytes += static_cast<double>(size_of(a.storage().type())) * a.storage().components();
  return bytes;
}

/// Whether the blocks of `coarse` cover those of `fine`, with `factor` times fewer cells along each axis, or
/// the same number.
bool same_blocks(const Grid& coarse, const Grid& fine, int factor) {
  const auto follow = [&](int axis, int f) {
    const std::vector<int>&few = coarse.cuts(axis), &many = fine.cuts(axis);
    for (std::size_t b = 0; b < few.size(); ++b)
      if (few.size() != many.size() || few[b] != (many[b] + f - 1) / f) return false;
    return true;
  };
  for (int axis = 0; axis < 3; ++axis)
    if (!follow(axis, factor) && !follow(axis, 1)) return false;
  return true;
}

/// Whether a block of `fine` has no cell of `coarse`: then it has no halo for its parents either.
bool childless(const Grid& coarse, const Grid& fine) {
  for (int axis = 0; axis < 3; ++axis) {
    const std::vector<int>&few = coarse.cuts(axis), &many = fine.cuts(axis);
    for (std::size_t b = 0; b + 1 < many.size(); ++b)
      if (many[b] < many[b + 1] && few[b] == few[b + 1]) return true;
  }
  return false;
}

}  // namespace

Stage::Stage(std::string name, std::vector<Access> accesses, double flops, int colours,
             std::vector<Accumulator> accumulators)
    : name_(std::move(name)),
      accesses_(std::move(accesses)),
      colours_(colours),
      flops_(flops),
      accumulators_(std::move(accumulators)),
      demand_(std::make_shared<Demand>(accesses_.size())) {
  lattice_.colours = colours;
  const auto written = std::ranges::find_if(accesses_, writes_to);
  if (!accesses_.empty()) grid_ = &(written == accesses_.end() ? accesses_.front() : *written).field->grid();
}

void Stage::check_writes() const {
  if (std::ranges::none_of(accesses_, writes_to)) refuse("stage \"" + name() + "\" writes no field");
}

void Stage::check_axis(int axis) const {
  if (axis < 0 || axis > 2)
    refuse("stage \"" + name() + "\" runs along axis " + std::to_string(axis) +
           "; allowed are 0, 1 and 2 for x, y and z");
}

void Stage::check_whole_lines() const {
  const int axis = whole_axis();
  const std::vector<int>& cuts = grid().cuts(axis);
  int blocks = 0;
  for (std::size_t b = 0; b + 1 < cuts.size(); ++b) blocks += cuts[b] < cuts[b + 1] ? 1 : 0;
  if (blocks > 1)
    refuse("stage \"" + name() + "\" needs whole lines along " + std::string(1, "xyz"[axis]) +
           ", which the split " + to_string(grid().split()) +
           " divides between ranks; choose a split with 1 there");
}

void Stage::check_box(const Box& box) const {
  const int axis = whole_axis();
  if (!box.empty() && !takes_parts() && (box.lo[axis] != 0 || box.hi[axis] != grid().own().hi[axis]))
    throw Error(Exit::failure, "stage \"" + name() + "\" was given a part of its lines: cells " +
                                   to_string(box.lo) + " to " + to_string(box.hi));
}

Device* Stage::device() const {
  const auto& all = accesses();
  if (all.empty()) return nullptr;
  Device* device = all.front().storage().device();
  for (const Access& a : all)
    if (a.storage().device() != device)
      refuse("stage \"" + name() + "\" has field \"" + all.front().field->name() + "\" and field \"" +
             a.field->name() + "\" in different memories; a device computes with its own only");
  if (device && !runs_on_devices())
    refuse("stage \"" + name() + "\" runs on the host only, and field \"" + all.front().field->name() +
           "\" is computed by " + device->describe());
  return device;
}

double Stage::bytes_per_cell() const {
  double bytes = 0;
  for (const Access& a : accesses()) {
    const Storage& s = a.storage();
    const double share = static_cast<double>(s.grid().own().cells()) /
                         std::max<double>(1.0, static_cast<double>(grid().own().cells()));
    bytes +=
        static_cast<double>(size_of(s.type())) * s.components() * (a.mode == Mode::update ? 2 : 1) * share;
  }
  return bytes;
}

/// Non-temporal stores for fields that the stage accesses only once, as output, in blocks of rows whose
/// inputs stay in the second-level cache. A device, and slabs of fields in files, have orders of their own.
RowOrder Stage::order_of_much() const {
  RowOrder order;
  double read = 0;  // bytes a cell
  const auto& all = accesses();
  for (std::size_t n = 0; n < std::min<std::size_t>(all.size(), 32); ++n) {
    const Access& a = all[n];
    const auto shares = [&](const Access& other) { return &other.storage() == &a.storage(); };
    if (a.storage().far() || a.storage().device()) return {};
    if (a.mode == Mode::write && a.storage().grid() == grid() && std::ranges::count_if(all, shares) == 1)
      order.past_caches |= 1U << n;
    if (a.mode == Mode::read)
      read += static_cast<double>(size_of(a.storage().type())) * a.storage().components();
    order.planes_ahead = std::max(order.planes_ahead, a.reach.width);
  }
  if (order.past_caches == 0 && order.planes_ahead == 0) return {};
  const double row = bytes_a_cell(*this) * static_cast<double>(grid().layout().sy);
  const double rows = static_cast<double>(second_level_cache()) / ((2 * order.planes_ahead + 2) * row);
  order.block = std::max(least_rows, static_cast<int>(rows));
  const double ahead = in_flight / (std::max(read, 1.0) * static_cast<double>(grid().layout().sy));
  order.rows_ahead = std::clamp(static_cast<int>(std::lround(ahead)), 1, least_rows);
  return order;
}

/// From the mean size of a rank's fields, so that all ranks get the same result even with unequal blocks.
bool Stage::passes_over_much() const {
  const Int3 n = grid().cells();
  return bytes_a_cell(*this) * n.x * n.y * n.z / grid().context().size() > nothing_stays;
}

bool Stage::measures_rows() {
  return grid().context().options().past_caches == PastCaches::measured &&
         sampled_.runs() < RowTrial::first_runs && row_orders().tried;
}

const Stage::RowOrders& Stage::row_orders() {
  if (!row_orders_) {
    const RowOrder much = order_of_much();
    row_orders_ = {much, much.block > 0 && passes_over_much()};
  }
  return *row_orders_;
}

RowTrial::Timing Stage::time_rows(const Box& box, int threads) {
  const Context& context = grid().context();
  const auto& [much, tried] = row_orders();
  if (context.options().past_caches == PastCaches::always) return {nullptr, much, 0, 0};
  if (context.options().past_caches == PastCaches::never || !tried) return {nullptr, {}, 0, 0};
  // Only runs that use all threads are timed, not boxes of single threads.
  RowTrial* trial = threads == context.threads() ? &row_trial_ : nullptr;
  return {trial, row_trial_.much() ? much : RowOrder{}, box.cells(), grid().own().cells()};
}

void Stage::check_faces() const {
  for (const Access& a : accesses()) {
    if (a.reach.width == 0) continue;
    const Grid& grid = a.field->grid();
    for (int axis = 0; axis < 3; ++axis) {
      const bool lines_elsewhere = whole_axis() >= 0 && axis != whole_axis();
      if (grid.periodic()[axis] || lines_elsewhere) continue;
      for (int side = 0; side < 2; ++side)
        if (a.field->boundaries().beyond({axis, side}) == Beyond::unset)
          refuse(
              "stage \"" + name() + "\" reads field \"" + a.field->name() + "\" beyond its face " +
              face_name({axis, side}) +
              ", for which nothing is set; give it a condition by boundary(), or say by boundaries().leave() "
              "that the halo there is given or unread");
    }
  }
}

void Stage::check_colours() const {
  const auto where = "stage \"" + name() + "\" ";
  if (colours_ != 1 && colours_ != 2 && colours_ != 4 && colours_ != 8)
    refuse(where + "has " + std::to_string(colours_) + " colours; allowed are 1, 2, 4 and 8");
  for (const Access& a : accesses()) {
    if (a.mode != Mode::update || a.reach.width == 0) continue;
    const std::string field = "field \"" + a.field->name() + "\"";
    const int needed = colours_needed(a.reach);
    // Four colours are sufficient for 19 points, which are box(1) without its eight corners.
    const bool enough = colours_ >= needed || (needed == 8 && colours_ == 4);
    if (needed == 0 || !enough)
      refuse(where + "updates " + field +
             " in place while reading its neighbours; that needs a coloured sweep of reach 1 (" +
             std::to_string(needed) + " colours) or a second level");
    for (int axis = 0; axis < 3; ++axis)
      if (const int cells = grid().cells()[axis]; grid().periodic()[axis] && cells % 2 != 0)
        refuse(where + "updates " + field + " in colours around a periodic axis of " + std::to_string(cells) +
               " cells; an odd number puts neighbours of one colour side by side");
  }
}

void Stage::check_accesses() {
  const auto where = "stage \"" + name() + "\" ";
  if (!grid_) refuse(where + "declares no field");
  for (const Access& a : accesses()) {
    const std::string field = "field \"" + a.field->name() + "\"";
    if (a.level < 0 || a.level >= a.field->levels())
      refuse(where + "uses level " + std::to_string(a.level) + " of " + field + ", which has " +
             std::to_string(a.field->levels()));
    if (a.reach.width < 0 || a.reach.diagonal < 0)
      refuse(where + "reads " + field + " with a reach of " + std::to_string(a.reach.width) +
             "; it cannot be negative");
    if (a.reach.width > a.field->grid().least_halo())
      refuse(where + "reads " + field + " " + std::to_string(a.reach.width) +
             " cells away, but its grid has a halo of " + std::to_string(a.field->grid().least_halo()));
    if (a.mode != Mode::read && !(a.field->grid() == grid()))
      refuse(where + "writes " + field + ", which is on another grid than the stage's other outputs");
    if (!a.across() && !(a.field->grid() == grid()))
      refuse(where + "reads " + field +
             ", which is on another grid; say refine() or coarsen() with its reach");
    if (a.across() && a.finer >= a.coarser && !same_blocks(grid(), a.field->grid(), a.finer))
      refuse(where + "reads " + field + ", whose grid is not " + std::to_string(a.finer) +
             " times finer with the same blocks; move() it to one that is");
    if (a.across() && a.coarser > a.finer && !same_blocks(a.field->grid(), grid(), a.coarser))
      refuse(where + "reads " + field + ", whose grid is not " + std::to_string(a.coarser) +
             " times coarser with the same blocks; move() it to one that is");
    if (a.coarser > 1 && childless(a.field->grid(), grid()))
      refuse(
          where + "reads " + field +
          ", whose grid leaves a block empty that has cells here; move() to fewer ranks before coarsening");
    for (const Access& b : accesses())
      if (&a != &b && a.field == b.field && a.level == b.level && a.mode != Mode::read)
        refuse(where + "writes and also declares again the same level of " + field +
               "; declare it once, with updates()");
  }
  check_colours();
  row_orders();  // computed here, before several threads may ask for it
}

}  // namespace sc
