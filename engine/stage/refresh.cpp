// SPDX-License-Identifier: Apache-2.0
// Refresh: one exchange for each grid and memory, then boundary conditions in the order x, y, z, then
// freshness.
#include "engine/stage/refresh.hpp"

#include <algorithm>
#include <span>

#include "engine/base/align.hpp"
#include "engine/exec/team.hpp"
#include "engine/plan/rehearsal.hpp"
#include "engine/stage/cut.hpp"

namespace sc {

Reach received_for(const Boundaries& boundaries, Reach reach) {
  // Without diagonal reach only own columns are filled; with it also those beside a neighbour, which
  // conditions fill from cells further inside.
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
    const int before = axis < face.axis ? std::max(0, grid.halo(axis) - read) : 0;
    columns.lo[axis] -= grid.physical({axis, 0}) ? before : grow;
    columns.hi[axis] += grid.physical({axis, 1}) ? before : grow;
  }
  return columns;
}

void each_condition(const Boundaries& boundaries, const Grid& grid, Reach reach,
                    const std::function<void(const Condition&)>& action) {
  const int received = received_for(boundaries, reach).diagonal;
  for (const Face face : all_faces) {
    const Boundary* condition = boundaries.get(face);
    if (!condition || !grid.physical(face)) continue;
    const int read = boundaries.tangential_up_to(face.axis);
    const int beside = std::max(read, condition->beside());
    const int grow = std::max(0, received - read);
    action({*condition, face, grow, face_columns(grid, face, -read, beside),
            face_columns(grid, face, grow, beside)});
  }
}

void apply_in_slab(const Boundaries& boundaries, Storage& storage, Reach reach, const NearPlanes& near,
                   HaloPart part) {
  const Grid& grid = storage.grid();
  each_condition(boundaries, grid, reach, [&](const Condition& c) {
    Box columns = c.all;
    if (c.face.axis == 2) {
      if (c.face.side == 0 ? near.lo > 0 : near.hi < grid.own().hi.z) return;
    } else {
      columns.lo.z = std::max(columns.lo.z, near.lo - (near.below ? c.grow : 0));
      columns.hi.z = std::min(columns.hi.z, near.hi + (near.above ? c.grow : 0));
    }
    for (const Box& box : part_of(grid, columns, part)) c.boundary.apply(storage, c.face, {box});
  });
}

namespace {

constexpr std::int64_t worth_sharing = 4096;  // columns for which several threads are faster

/// Applies a condition beside own cells with all threads: no column reads what another one fills. Faces
/// normal to x are divided along z, because each of their columns is a cache line of its own.
void apply_in_shares(const Condition& c, Storage& storage) {
  const int along = c.face.axis == 2 ? 1 : 2;
  const int threads =
      storage.device() || c.inner.cells() < worth_sharing ? 1 : storage.grid().context().threads();
  team(threads, [&](int) {
    Box share = c.inner;
    const auto [first, last] = team_share(c.inner.extent()[along]);
    share.lo[along] = c.inner.lo[along] + static_cast<int>(first);
    share.hi[along] = c.inner.lo[along] + static_cast<int>(last);
    if (!share.empty()) c.boundary.apply(storage, c.face, {share});
  });
}

/// The conditions of a halo that have something to fill, in their order. `action` gets the columns as one
/// box, with `beside_own`, or as one of several strips.
using Action = std::function<void(const Condition&, const Box& columns)>;
void each_filled(const Wanted& w, bool beside_own, bool beside_neighbours, const Action& action) {
  if (w.storage->far()) return;  // conditions are applied in the slots
  each_condition(*w.boundaries, w.storage->grid(), w.reach, [&](const Condition& c) {
    const auto fill = [&](const Box& columns) {
      if (columns.empty() || w.storage->filled(c.boundary, c.face, columns)) return;
      action(c, columns);
      w.storage->set_filled(c.boundary, c.face, columns);
    };
    if (beside_own) fill(c.inner);
    if (!beside_neighbours) return;
    for (const Box& strip : subtract(c.all, c.inner)) fill(strip);
  });
}

/// For storages of one memory; `ahead`: without conditions that read other fields.
void apply_conditions(std::span<const Wanted> wanted, bool beside_own, bool beside_neighbours,
                      bool ahead = false) {
  Device* device = wanted.front().storage->device();
  if (device) device->join();  // they read own cells of the core, and the core reads the halos that they fill
  for (const Wanted& w : wanted) {
    if (ahead && w.boundaries->read_others()) continue;
    each_filled(w, beside_own, beside_neighbours, [&](const Condition& c, const Box& columns) {
      columns == c.inner ? apply_in_shares(c, *w.storage) : c.boundary.apply(*w.storage, c.face, {columns});
    });
  }
  if (device) device->join();
}

}  // namespace

void note_halo(RehearsedRun& run, const Storage& storage, int axis, const Box& columns) {
  const int layers = storage.grid().halo(axis), size = static_cast<int>(size_of(storage.type()));
  // A row through a face normal to x is in a cache line of its own.
  const int each = axis == 0 ? std::max(layers, static_cast<int>(cache_line) / size) : layers;
  run.fills(storage.name(), columns.cells() * each * storage.components(), 2 * size);
}

void note_around(RehearsedRun& run, const Storage& storage, const Box& slab, int times) {
  for (int axis = 0; axis < 2; ++axis) {
    Box columns = slab;
    columns.hi[axis] = columns.lo[axis] + 1;
    for (int n = 0; n < 2 * times; ++n) note_halo(run, storage, axis, columns);
  }
}

class Refresh::HaloExchange final : public Exchange {
 public:
  HaloExchange(Refresh& refresh, const Grid& grid, Parcels parcels)
      : Exchange(grid.context(), std::move(parcels)), refresh_(refresh) {}

 private:
  void before_round() override { refresh_.begin(); }
  Refresh& refresh_;
};

Refresh::Refresh(std::vector<Wanted> wanted, HaloOptions options, Timeline& timeline)
    : wanted_(std::move(wanted)), timeline_(timeline), name_(timeline.name("halo")) {
  std::vector<const Wanted*> left;
  for (const Wanted& w : wanted_) left.push_back(&w);
  while (!left.empty()) {
    const Grid grid = left.front()->storage->grid();
    const Space space = left.front()->storage->space();
    std::vector<HaloItem> items;
    std::erase_if(left, [&](const Wanted* w) {
      if (!(w->storage->grid() == grid) || w->storage->space() != space) return false;
      items.push_back({w->storage, received_for(*w->boundaries, w->reach), w->lattice});
      return true;
    });
    exchanges_.push_back(
        std::make_unique<HaloExchange>(*this, grid, halo_parcels(grid, std::move(items), options)));
  }
}

Refresh::~Refresh() {
  for (const Wanted& w : wanted_)
    if (w.storage->in_flight() == this) w.storage->set_in_flight(nullptr);
}

void Refresh::begin() {
  if (under_way_) return;
  under_way_ = true;
  filled_beside_own_ = false;
  for (const Wanted& w : wanted_) w.storage->set_in_flight(this);
}

bool Refresh::test() {
  bool arrived = true;
  for (const auto& exchange : exchanges_) arrived = exchange->test() && arrived;
  return arrived;
}

bool Refresh::copies_at_once() const {
  return std::ranges::all_of(exchanges_, [](const auto& exchange) { return exchange->copies_at_once(); });
}

void Refresh::wait() {
  if (nothing()) return;
  begin();
  // Without neighbours there is no wait, and no span is recorded.
  if (std::ranges::any_of(exchanges_, [](const auto& exchange) { return exchange->pieces() > 0; })) {
    const Scope scope(timeline_, name_, Phase::wait);
    for (const auto& exchange : exchanges_) exchange->wait();
  }
  apply_boundaries(!filled_beside_own_, true);
  if (settle_on_wait_) {
    const Scope scope(timeline_, name_, Phase::settle);
    for (const auto& exchange : exchanges_) exchange->finish();
  }
  for (const Wanted& w : wanted_) {
    w.storage->set_in_flight(nullptr);
    w.storage->set_fresh(w.storage->fresh(w.lattice) | w.reach, w.lattice);
  }
  under_way_ = false;
}

std::int64_t Refresh::bytes() const {
  std::int64_t sum = 0;
  for (const auto& exchange : exchanges_) sum += exchange->bytes();
  return sum;
}

void Refresh::fill_beside_own() {
  if (wanted_.empty()) return;
  begin();
  apply_boundaries(true, false);
  filled_beside_own_ = true;
}

bool Refresh::has_conditions() const {
  return std::ranges::any_of(wanted_,
                             [](const Wanted& w) { return w.boundaries->any() && !w.storage->far(); });
}

void Refresh::apply_boundaries(bool beside_own, bool beside_neighbours) {
  if (!has_conditions() || wanted_.front().storage->grid().context().rehearses()) return;
  const Scope scope(timeline_, name_, Phase::boundary);
  apply_conditions(wanted_, beside_own, beside_neighbours, ahead_);
}

void Refresh::note_filled(RehearsedRun& run, bool beside_own, bool beside_neighbours) const {
  for (const Wanted& w : wanted_)
    each_filled(w, beside_own, beside_neighbours, [&](const Condition& c, const Box& columns) {
      note_halo(run, *w.storage, c.face.axis, columns);
    });
}

void apply_readers_conditions(const Wanted& read, Timeline& timeline) {
  Storage& storage = *read.storage;
  std::optional<Storage::Ahead>& ahead = storage.ahead();
  if (!ahead || ahead->read.covers(read.reach) || storage.far()) return;
  ahead->read = ahead->read | read.reach;
  ahead->changed = ahead->changed || ahead->conditions != *read.boundaries || read.boundaries->read_others();
  if (!ahead->changed) return;
  const Reach received = received_for(ahead->conditions, storage.fresh());
  if (!received.covers(received_for(*read.boundaries, read.reach))) return storage.set_fresh(point);
  if (!read.boundaries->any() || storage.grid().context().rehearses()) return;
  const Scope scope(timeline, timeline.name("halo"), Phase::boundary);
  apply_conditions({&read, 1}, true, true);
}

Traffic Refresh::traffic(Transport transport) const {
  Traffic sum;
  for (const auto& exchange : exchanges_) {
    const Traffic part = exchange->traffic(transport);
    sum.messages += part.messages;
    sum.bytes += part.bytes;
  }
  return sum;
}

}  // namespace sc
