// SPDX-License-Identifier: Apache-2.0
// WindowPlan: how far each run computes beyond the block (backwards, from what later runs read), and how far
// it lags behind earlier runs (forwards).
#include "engine/overlap/window_plan.hpp"

#include <algorithm>

#include "engine/base/index.hpp"

namespace sc {

namespace {

int most(const std::vector<int>& numbers) { return numbers.empty() ? 0 : *std::ranges::max_element(numbers); }

/// The number of cells by which a run with access `later` must lag behind one with access `earlier` to the
/// same array, so that it reads what that run wrote and overwrites nothing that it reads. -1: no dependence.
int lag(const WindowAccess& earlier, const WindowAccess& later) {
  if (earlier.array != later.array) return -1;
  if (earlier.mode == Mode::read && later.mode == Mode::read) return -1;
  return std::max(earlier.reach, later.reach);
}

}  // namespace

int Dependence::most_behind() const { return most(behind); }
int Dependence::most_halo() const { return most(halo); }

Dependence dependence_of(const WindowRuns& runs, int arrays) {
  const int count = static_cast<int>(runs.size());
  Dependence d{std::vector<int>(at(count)), std::vector<int>(at(count)), std::vector<int>(at(arrays)), 0};
  std::vector<int>& read = d.halo;  // layers of each array that later runs read
  for (int n = count - 1; n >= 0; --n) {
    int& beyond = d.beyond[at(n)];
    for (const WindowAccess& a : runs[at(n)])
      if (a.mode != Mode::read) beyond = std::max(beyond, read[at(a.array)]);
    for (const WindowAccess& a : runs[at(n)])
      if (a.mode == Mode::write) read[at(a.array)] = 0;
    for (const WindowAccess& a : runs[at(n)])
      if (a.mode != Mode::write) read[at(a.array)] = std::max(read[at(a.array)], beyond + a.reach);
  }
  for (int n = 0; n < count; ++n)
    for (int before = 0; before < n; ++before)
      for (const WindowAccess& a : runs[at(before)])
        for (const WindowAccess& b : runs[at(n)])
          if (const int cells = lag(a, b); cells >= 0)
            d.behind[at(n)] = std::max(d.behind[at(n)], d.behind[at(before)] + cells);
  // Until the exchange is complete, neighbours may read the cells sent to them in place.
  for (int n = 0; n < count; ++n)
    for (const WindowAccess& a : runs[at(n)])
      d.depth = std::max(d.depth, (a.mode == Mode::read ? a.reach : d.halo[at(a.array)]) - d.behind[at(n)]);
  return d;
}

bool WindowBlock::waits() const {
  return std::ranges::any_of(sides, [](const std::array<Side, 2>& axis) {
    return axis[0] == Side::neighbour || axis[1] == Side::neighbour;
  });
}

WindowPlan::WindowPlan(Dependence dependence, const WindowBlock& block)
    : dependence_(std::move(dependence)), block_(block), most_behind_(dependence_.most_behind()) {
  if (block_.own.empty()) return;
  block_.apart = block_.apart && fits_apart(0) && fits_apart(1) && fits_apart(2);
  const Trapezoid inner = interior();
  divide(inner);
  if (block_.apart) add_shells(inner);
}

/// Number of layers at a side that must wait for the neighbour, in the first run.
int WindowPlan::depth(int axis, int side) const {
  const bool waits = block_.sides[at(axis)][at(side)] == Side::neighbour && block_.apart;
  return waits ? dependence_.depth : 0;
}

bool WindowPlan::fits_apart(int axis) const {
  const auto& [low, high] = block_.sides[at(axis)];
  if (low != Side::neighbour && high != Side::neighbour) return true;
  const int shells = depth(axis, 0) + depth(axis, 1) + 2 * most_behind_;
  return block_.own.extent()[axis] > shells + 2 * block_.margin;
}

Trapezoid WindowPlan::interior() const {
  Trapezoid trapezoid;
  for (int axis = 0; axis < 3; ++axis) {
    const auto& [low, high] = block_.sides[at(axis)];
    if (block_.apart && low == Side::neighbour) trapezoid.lo[at(axis)] = {depth(axis, 0), 1, false};
    if (block_.apart && high == Side::neighbour)
      trapezoid.hi[at(axis)] = {block_.own.hi[axis] - depth(axis, 1), -1, false};
  }
  return trapezoid;
}

void WindowPlan::divide(const Trapezoid& interior) {
  const Int3 n = block_.own.extent();
  const int axis = n.z >= n.y && !block_.slabs ? 2 : 1;
  const int lo = depth(axis, 0), hi = n[axis] - depth(axis, 1);
  const int least = 2 * most_behind_ + 2 * block_.margin + 1;
  const int count = (hi - lo) / least >= block_.threads ? block_.threads : 1;
  Trapezoid part = interior;
  for (int k = 1; k < count; ++k) {
    const int cut = lo + static_cast<int>(std::int64_t{hi - lo} * k / count);
    part.hi[at(axis)] = {cut, -1, false};
    parts_.push_back(part);
    Trapezoid inverted = interior;
    inverted.lo[at(axis)] = {cut, -1, false};
    inverted.hi[at(axis)] = {cut, 1, false};
    inverted_.push_back(inverted);
    part.lo[at(axis)] = {cut, 1, false};
  }
  part.hi[at(axis)] = interior.hi[at(axis)];
  parts_.push_back(part);
}

/// Shells of later axes come last: they extend over those of earlier axes, which must have been computed.
void WindowPlan::add_shells(const Trapezoid& interior) {
  Trapezoid around = interior;
  for (int axis = 0; axis < 3; ++axis) {
    Trapezoid shell = around;
    const Edge lo = interior.lo[at(axis)], hi = interior.hi[at(axis)];
    if (!lo.outer) {
      shell.lo[at(axis)] = {};
      shell.hi[at(axis)] = lo;
      shells_.push_back(shell);
    }
    if (!hi.outer) {
      shell.lo[at(axis)] = hi;
      shell.hi[at(axis)] = {};
      shells_.push_back(shell);
    }
    around.lo[at(axis)] = around.hi[at(axis)] = {};
  }
}

Box WindowPlan::cells(int run) const {
  Box box = block_.own;
  for (int axis = 0; axis < 3; ++axis) {
    const auto& [low, high] = block_.sides[at(axis)];
    if (low != Side::wall) box.lo[axis] -= dependence_.beyond[at(run)];
    if (high != Side::wall) box.hi[axis] += dependence_.beyond[at(run)];
  }
  return box;
}

Box WindowPlan::cells(const Trapezoid& trapezoid, int run) const {
  Box box = cells(run);
  const int behind = dependence_.behind[at(run)];
  for (int axis = 0; axis < 3; ++axis) {
    const Edge& lo = trapezoid.lo[at(axis)];
    const Edge& hi = trapezoid.hi[at(axis)];
    if (!lo.outer) box.lo[axis] = std::max(box.lo[axis], lo.at + lo.slope * behind);
    if (!hi.outer) box.hi[axis] = std::min(box.hi[axis], hi.at + hi.slope * behind);
  }
  return box;
}

Box WindowPlan::cells(const Trapezoid& trapezoid, const Trapezoid& tile, int run) const {
  return intersect(cells(trapezoid, run), cells(tile, run));
}

Trapezoid WindowPlan::within(const Trapezoid& trapezoid, const Trapezoid& slab) {
  Trapezoid cut = trapezoid;
  if (cut.lo[2].outer) cut.lo[2] = slab.lo[2];
  if (cut.hi[2].outer) cut.hi[2] = slab.hi[2];
  return cut;
}

/// The boundaries between tiles of a trapezoid along an axis, in the first run.
std::vector<int> WindowPlan::cuts(const Trapezoid& trapezoid, int axis) const {
  const Box first = cells(trapezoid, 0);
  const auto& [low, high] = block_.sides[at(axis)];
  const int thick = std::max(1, block_.tile[axis]);
  int next = first.lo[axis] + thick;
  if (low == Side::wall && first.lo[axis] == 0) next = std::max(next, most_behind_ + block_.margin);
  int end = first.hi[axis];
  if (high == Side::wall) end = std::min(end, block_.own.hi[axis] - block_.margin + 1);
  std::vector<int> cuts;
  for (; next < end; next += thick) cuts.push_back(next);
  return cuts;
}

std::vector<std::vector<Trapezoid>> WindowPlan::tiles(const Trapezoid& trapezoid) const {
  std::vector<std::vector<Trapezoid>> tiles;
  const std::vector<int> planes = cuts(trapezoid, 2), rows = cuts(trapezoid, 1);
  const auto edge = [](const std::vector<int>& cuts, std::size_t n) {
    return n < cuts.size() ? Edge{cuts[n], -1, false} : Edge{};
  };
  for (std::size_t y = 0; y <= rows.size(); ++y) {
    std::vector<Trapezoid>& row = tiles.emplace_back();
    for (std::size_t z = 0; z <= planes.size(); ++z) {
      Trapezoid& tile = row.emplace_back();
      if (z > 0) tile.lo[2] = edge(planes, z - 1);
      tile.hi[2] = edge(planes, z);
      if (y > 0) tile.lo[1] = edge(rows, y - 1);
      tile.hi[1] = edge(rows, y);
    }
  }
  return tiles;
}

}  // namespace sc
