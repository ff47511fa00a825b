// SPDX-License-Identifier: Apache-2.0
// WindowSlabs: phases from the first reads and the last writes of the runs; planes copied from slot to slot.
#include "engine/overlap/window_slabs.hpp"

#include <algorithm>

#include "engine/exec/team.hpp"
#include "engine/plan/rehearsal.hpp"
#include "engine/stage/refresh.hpp"

namespace sc {

namespace {

/// Whether the runs read a storage before they overwrite it; `otherwise` if they do not use it.
bool needed_by(std::span<const Recorded> runs, const Storage* storage, bool otherwise) {
  for (const Recorded& run : runs) {
    bool used = false, read = false;
    for (const Recorded::Use& use : run.uses) {
      if (use.storage.get() != storage) continue;
      used = true;
      read = read || use.mode != Mode::write;
    }
    if (used) return read;
  }
  return otherwise;
}

/// Whether a storage is discarded after its last use.
bool discards(std::span<const Recorded> runs, const Storage* storage) {
  bool discarded = false;
  for (const Recorded& run : runs) {
    for (const Recorded::Use& use : run.uses) discarded = discarded && use.storage.get() != storage;
    discarded =
        discarded || std::find(run.discarded.begin(), run.discarded.end(), storage) != run.discarded.end();
  }
  return discarded;
}

/// Number of planes of the thinnest block, so that all ranks get the same result.
int thinnest_block(const Grid& grid) {
  const std::vector<int>& cuts = grid.cuts(2);
  int least = grid.cells().z;
  for (std::size_t n = 0; n + 1 < cuts.size(); ++n) least = std::min(least, cuts[n + 1] - cuts[n]);
  return least;
}

WindowSlabs::Planes planes_of(const RecordedArrays& arrays) {
  return {.most_behind = arrays.dependence().most_behind(), .reach = arrays.reach()};
}

Mode mode_of(bool read, bool written) {
  if (read) return written ? Mode::update : Mode::read;
  return written ? Mode::write : Mode::scratch;
}

}  // namespace

bool WindowSlabs::in(const RecordedArrays& arrays) {
  const auto& all = arrays.first();
  return std::ranges::any_of(all, [](const Recorded::Use* use) { return use->storage->far(); });
}

std::string WindowSlabs::shortage(const RecordedArrays& arrays) {
  std::shared_ptr<SlabPlace> place;
  for (const Recorded::Use* use : arrays.first()) {
    if (!use->storage->far()) continue;
    const FarCells& cells = far_cells(*use->storage);
    if (place && place != cells.place()) return "fields in two places follow each other";
    place = cells.place();
    const int least = planes_of(arrays).least(arrays.margin());
    const int pieces = place->pieces(), planes = thinnest_block(use->storage->grid()) / pieces;
    if (pieces > 1 && planes < least)
      return "pieces of " + std::to_string(planes) + " planes hold no more steps";
  }
  return "";
}

WindowSlabs::WindowSlabs(const RecordedArrays& arrays, std::span<const Recorded> runs,
                         std::span<const Recorded> following, int threads)
    : grid_(arrays.first().front()->storage->grid()), planes_(planes_of(arrays)), threads_(threads) {
  const std::vector<Reach> inputs = arrays.inputs();
  for (std::size_t n = 0; n < inputs.size(); ++n) {
    const Recorded::Use* use = arrays.first()[n];
    if (!use->storage->far()) continue;
    place_ = far_cells(*use->storage).place();
    const Storage* storage = use->storage.get();
    Array& array = arrays_.emplace_back(Array{.use = use, .input = inputs[n]});
    array.read = needed_by(runs, storage, false);
    for (const auto& run : arrays.runs())
      for (const WindowAccess& a : run)
        array.written = array.written || (a.array == static_cast<int>(n) && a.mode != Mode::read);
    array.discarded = discards(runs, storage);
    array.kept = array.written && !array.discarded && needed_by(following, storage, true);
  }
  // In an order that does not depend on the first run, so that the next pass can use prefetched pieces.
  std::ranges::sort(arrays_, [](const Array& a, const Array& b) { return a.use->storage < b.use->storage; });
  add_phases();
  predict(following);
}

void WindowSlabs::add_phases() {
  const int room = std::max(planes_.below(), grid_.halo(2));
  pass_.held = true;
  for (Array& array : arrays_) {
    array.first = pass_.phase.size();
    for (FarArray& part : cells(array).arrays())
      pass_.phase.push_back({&part, mode_of(array.read, array.kept), 0, room});
  }
}

/// Predicts the next pass, for prefetching: the same arrays, as if the program continued alike. If the
/// program discards arrays at all, those that it does not discard are read.
void WindowSlabs::predict(std::span<const Recorded> following) {
  const bool any = std::ranges::any_of(arrays_, [](const Array& a) { return a.discarded; });
  next_ = pass_;
  for (const Array& array : arrays_) {
    const Storage* storage = array.use->storage.get();
    const bool guess = any && !array.discarded;
    const bool read = needed_by(following, storage, guess);
    if (!any && needed_by(following, storage, !guess) != read) return next_.phase.clear();
    for (std::size_t k = 0; k < cells(array).arrays().size(); ++k)
      next_.phase[array.first + k].mode = mode_of(read, false);
  }
}

Trapezoid WindowSlabs::slab(int n) const {
  const FarArray& array = *pass_.phase[0].array;
  Trapezoid trapezoid;
  if (n > 0) trapezoid.lo[2] = {array.first(n) - planes_.reach, -1, false};
  if (n + 1 < count()) trapezoid.hi[2] = {array.first(n + 1) - planes_.reach, -1, false};
  return trapezoid;
}

bool WindowSlabs::begins_apart(int depth) const {
  const int planes = count() > 1 ? pass_.phase[0].array->first(1) : grid_.own().extent().z;
  return planes > depth + 2 * planes_.most_behind + planes_.reach;
}

void WindowSlabs::open(const Slot& slot, const Slot* before, HaloPart part) const {
  for (const Array& array : arrays_) {
    if (before) copy_planes(array, *before, slot, slot.lo() - planes_.below(), slot.lo(), true);
    show_in(slot, array.first, *array.use->storage);
  }
  fill(slot, part);
}

void WindowSlabs::fill(const Slot& slot, HaloPart part) const {
  const int halo = grid_.halo(2);
  for (const Array& array : arrays_) {
    if (array.input.width == 0) continue;
    cells(array).bring_strips(*array.use->storage, slot.lo() - (first(slot) ? halo : 0),
                              slot.hi() + (last(slot) ? halo : 0), part);
    // Planes below were copied from the previous slot, with their halos.
    apply_in_slab(array.use->conditions, *array.use->storage, array.input,
                  {slot.lo(), slot.hi(), first(slot), last(slot)}, part);
  }
}

void WindowSlabs::close(const Slot& slot, const Slot* before) const {
  for (const Array& array : arrays_)
    if (before && array.kept)
      copy_planes(array, slot, *before, slot.lo() - planes_.below() + planes_.reach, slot.lo(), false);
  if (before) keep(*before);
  if (last(slot)) keep(slot);
  for (const Array& array : arrays_) array.use->storage->show(nullptr);
}

void WindowSlabs::note_filled(RehearsedRun& run, int n) const {
  const FarArray& pieces = *pass_.phase[0].array;
  Box box = grid_.own();
  box.lo.z = pieces.first(n);
  box.hi.z = pieces.first(n + 1);
  const Int3 cells = box.extent();
  const std::int64_t below = n > 0 ? std::int64_t{cells.x} * cells.y * planes_.below() : 0;  // of two slots
  for (const Array& array : arrays_) {
    const Storage& storage = *array.use->storage;
    const int strips = int{array.input.width > 0} + int{array.kept}, copies = 1 + int{array.kept};
    note_around(run, storage, box, strips);
    run.fills(storage.name(), copies * below * storage.components(),
              2 * static_cast<double>(size_of(storage.type())));
  }
}

/// Updates the strips from a piece that is complete.
void WindowSlabs::keep(const Slot& slot) const {
  for (const Array& array : arrays_) {
    if (!array.kept) continue;
    show_in(slot, array.first, *array.use->storage);
    cells(array).keep_strips(*array.use->storage, slot.lo(), slot.hi());
  }
}

/// `tail`: includes the halo at the end of the last row, which in memory may lie beyond its plane, before the
/// first cell of the next plane.
void WindowSlabs::copy_planes(const Array& array, const Slot& from, const Slot& to, int lo, int hi,
                              bool tail) const {
  const Storage& storage = *array.use->storage;
  const Layout& layout = grid_.layout();
  const std::ptrdiff_t beyond = layout.origin - layout.offset(grid_.halos());
  const auto size = static_cast<std::ptrdiff_t>(size_of(storage.type()));
  const std::ptrdiff_t bytes = ((hi - lo) * layout.sz + (tail ? beyond : 0)) * size;
  team(threads_, [&](int) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(storage.components()); ++k) {
      const auto [first, last] = team_share(bytes);
      place_->memory().copy_within(to.plane(array.first + k, lo) + first,
                                   from.plane(array.first + k, lo) + first,
                                   static_cast<std::size_t>(last - first));
    }
  });
}

}  // namespace sc
