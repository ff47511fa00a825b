// SPDX-License-Identifier: Apache-2.0
// Refresh: the exchange, boundary conditions in the order x, y, z, freshness.
#include "engine/stage/refresh.hpp"

#include <algorithm>
#include <optional>

#include "engine/stage/cut.hpp"

namespace sc {

Reach received_for(const Boundaries& boundaries, Reach reach) {
  // Without diagonal reach only own columns are filled; with it those beside a neighbour too, from cells
  // further in.
  if (reach.diagonal == 0) return {std::max(reach.width, boundaries.tangential()), 0};
  const int further = reach.diagonal + boundaries.tangential_up_to(2);
  return {std::max(reach.width, further), further};
}

Box face_columns(const Grid& grid, Face face, int grow, int read) {
  Box columns = grid.own();
  for (int axis = 0; axis < 3; ++axis) {
    if (axis == face.axis) {
      columns.lo[axis] = face.side == 0 ? -1 : columns.hi[axis];
      columns.hi[axis] = columns.lo[axis] + 1;
      continue;
    }
    // Edges belong to the later axis.
    const int before = axis < face.axis ? std::max(0, grid.halo() - read) : 0;
    columns.lo[axis] -= grid.physical({axis, 0}) ? before : grow;
    columns.hi[axis] += grid.physical({axis, 1}) ? before : grow;
  }
  return columns;
}

void each_condition(const Boundaries& boundaries, const Grid& grid, Reach reach,
                    const std::function<void(const Condition&)>& action) {
  const int received = received_for(boundaries, reach).diagonal;
  for (int axis = 0; axis < 3; ++axis)
    for (int side = 0; side < 2; ++side) {
      const Face face{axis, side};
      const Boundary* condition = boundaries.get(face);
      if (!condition || !grid.physical(face)) continue;
      const int read = boundaries.tangential_up_to(axis);
      const int beside = std::max(read, condition->beside());
      const int grow = std::max(0, received - read);
      action({*condition, face, grow, face_columns(grid, face, -read, beside),
              face_columns(grid, face, grow, beside)});
    }
}

namespace {

std::vector<HaloItem> items_of(const std::vector<Wanted>& wanted) {
  std::vector<HaloItem> items;
  for (const Wanted& w : wanted)
    items.push_back({w.storage, received_for(*w.boundaries, w.reach), w.lattice});
  return items;
}

}  // namespace

Refresh::Refresh(Context& context, std::vector<Wanted> wanted, const HaloOptions& options)
    : HaloExchange(context, items_of(wanted), options),
      wanted_(std::move(wanted)),
      timeline_(context.timeline()),
      name_(timeline_.name("halo")) {}

Refresh::~Refresh() {
  for (const Wanted& w : wanted_)
    if (w.storage->in_flight() == this) w.storage->set_in_flight(nullptr);
}

void Refresh::before_round() {
  filled_beside_own_ = false;
  for (const Wanted& w : wanted_) w.storage->set_in_flight(this);
}

void Refresh::wait() {
  if (nothing()) return;
  {
    std::optional<Scope> scope;  // without neighbours there is nothing to wait for, and no span to add
    if (pieces() > 0) scope.emplace(timeline_, name_, Phase::wait);
    Exchange::wait();
  }
  apply_boundaries(!filled_beside_own_, true);
  if (settle_on_wait_) {
    const Scope scope(timeline_, name_, Phase::settle);
    finish();
  }
  for (const Wanted& w : wanted_) {
    w.storage->set_in_flight(nullptr);
    w.storage->set_fresh(w.storage->fresh(w.lattice) | w.reach, w.lattice);
  }
  ++rounds_;
}

void Refresh::fill_beside_own() {
  if (nothing()) return;
  begin();
  apply_boundaries(true, false);
  filled_beside_own_ = true;
}

bool Refresh::has_conditions() const {
  return std::any_of(wanted_.begin(), wanted_.end(),
                     [](const Wanted& w) { return w.boundaries->any() && !w.storage->far(); });
}

void Refresh::apply_boundaries(bool beside_own, bool beside_neighbours) {
  if (!has_conditions()) return;
  const Scope scope(timeline_, name_, Phase::boundary);
  join_lanes();  // conditions read own cells of the core, and it the halos they fill
  for (const Wanted& w : wanted_) {
    if (w.storage->far()) continue;  // in the slots
    each_condition(*w.boundaries, w.storage->grid(), w.reach, [&](const Condition& c) {
      if (beside_own && !c.inner.empty()) c.boundary.apply(*w.storage, c.face, c.inner);
      if (!beside_neighbours) return;
      for (const Box& strip : subtract(c.all, c.inner)) c.boundary.apply(*w.storage, c.face, strip);
    });
  }
  join_lanes();
}

void Refresh::join_lanes() const {
  if (Device* device = wanted_.front().storage->device()) device->join();
}

}  // namespace sc
