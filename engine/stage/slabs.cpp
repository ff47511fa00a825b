// SPDX-License-Identifier: Apache-2.0
// Slabs: the phase of a stream that belongs to a stage.
#include "engine/stage/slabs.hpp"

#include <algorithm>

#include "engine/base/error.hpp"

namespace sc {

bool Slabs::in(const Stage& stage) {
  const auto& all = stage.accesses();
  return std::ranges::any_of(all, [](const Access& a) { return a.storage().far() != nullptr; });
}

Slabs::Slabs(Stage& stage, bool ends_first) : grid_(stage.grid()) {
  check(stage);
  for (const Access& a : stage.accesses())
    if (a.storage().far()) add(stage, a);
  for (Use& use : uses_) {
    if (use.reach.width > 0) check_thickness(stage, use);
    use.first = pass_.phase.size();
    use.around = planes_around(stage, use);
    // The halo at the end of a slab's last row may lie beyond its plane in memory.
    const int room = use.reach.width > 0 ? 1 : 0;
    for (FarArray& array : far_cells(*use.storage).arrays())
      pass_.phase.push_back({&array, use.mode, use.around, room});
  }
  for (int piece = 0; piece < pass_.pieces(); ++piece) pass_.order.push_back(piece);
  std::stable_partition(pass_.order.begin(), pass_.order.end(),
                        [&](int piece) { return piece_at_end(piece, false) == ends_first; });
}

void Slabs::add(const Stage& stage, const Access& a) {
  const auto place = far_cells(a.storage()).place();
  if (place_ && place != place_)
    refuse("stage \"" + stage.name() + "\" has fields in two places, \"" + a.field->name() +
           "\" among them; give all whose slabs come and go the same one");
  place_ = place;
  const auto same = std::ranges::find_if(uses_, [&](const Use& use) { return use.storage == &a.storage(); });
  if (same != uses_.end())
    same->reach = same->reach | a.reach;
  else
    uses_.push_back({&a.storage(), &a.field->boundaries(), a.mode, a.reach, 0, 0});
}

/// Lines along x and y read the halo at their own ends only, so they need no planes around the slab, unless
/// conditions read them.
int Slabs::planes_around(const Stage& stage, const Use& use) const {
  bool conditions = false;
  for (const Face face : all_faces) conditions = conditions || use.boundaries->get(face);
  const bool within = (stage.whole_axis() == 0 || stage.whole_axis() == 1) && !conditions;
  return use.reach.width > 0 && !within ? grid_.halo(2) : 0;
}

void Slabs::check(const Stage& stage) const {
  const auto where = "stage \"" + stage.name() + "\" cannot be computed slab by slab: ";
  if (stage.colours() > 1)
    refuse(where + "it runs in " + std::to_string(stage.colours()) +
           " colours, and every colour would read and write the whole field again; use a second level");
  if (stage.whole_axis() == 2 && !stage.takes_parts())
    refuse(where + "it needs whole lines along z, across which slabs are cut");
  for (const Access& a : stage.accesses()) {
    const std::string field = "field \"" + a.field->name() + "\"";
    if (a.across()) refuse(where + field + " is of another grid, whose slabs are others");
    if (!a.storage().far() || a.reach.width == 0) continue;
    for (const Face face : all_faces)
      if (!grid_.periodic()[face.axis] && a.field->boundaries().beyond(face) == Beyond::given)
        refuse(where + "the halo of " + field + " beyond its face " + face_name(face) +
               " is given by the program, and slabs come without one; give it a condition by boundary()");
  }
}

/// A condition across z reads and fills as many planes as the halo has; one slot must contain all of them.
void Slabs::check_thickness(const Stage& stage, const Use& use) const {
  const FarArray& array = far_cells(*use.storage).arrays()[0];
  bool across_z = false;
  for (int side = 0; side < 2; ++side) across_z = across_z || use.boundaries->get({2, side});
  if (across_z && array.planes() / array.pieces() < grid_.halo(2))
    refuse("stage \"" + stage.name() + "\" reads field \"" + use.storage->name() + "\", of which " +
           std::to_string(array.pieces()) + " pieces of " + std::to_string(array.planes()) +
           " planes are thinner than the halo of " + std::to_string(grid_.halo(2)) +
           " that a condition across z fills; take fewer pieces");
}

SlabStream& Slabs::ring(const StreamPass* next) const {
  const auto bytes = [](const StreamPass& pass) { return SlabStream::slot_bytes(pass.phase); };
  return place_->ring(std::max(bytes(pass_), next ? bytes(*next) : 0));
}

Box Slabs::box(int n) const {
  const FarArray& array = *pass_.phase[0].array;
  Box box = grid_.own();
  box.lo.z = array.first(pass_.piece(n));
  box.hi.z = array.first(pass_.piece(n) + 1);
  return box;
}

bool Slabs::piece_at_end(int piece, bool self) const {
  const auto with_neighbour = [&](int axis, int side) {
    return grid_.halo(axis) > 0 && !grid_.physical({axis, side}) && (self || grid_.split()[axis] > 1);
  };
  for (int axis = 0; axis < 2; ++axis)  // along an undivided axis a slab has both ends
    if (grid_.split()[axis] > 1 && (with_neighbour(axis, 0) || with_neighbour(axis, 1))) return true;
  const FarArray& array = *pass_.phase[0].array;
  const bool low = array.first(piece) < grid_.halo(2);
  const bool high = array.first(piece + 1) > array.planes() - grid_.halo(2);
  return (low && with_neighbour(2, 0)) || (high && with_neighbour(2, 1));
}

void Slabs::open(const Slot& slot) const {
  for (const Use& use : uses_) show_in(slot, use.first, *use.storage);
  for (const Use& use : uses_)
    if (use.reach.width > 0)
      far_cells(*use.storage).bring_strips(*use.storage, slot.lo() - use.around, slot.hi() + use.around);
  for (const Use& use : uses_)
    if (use.reach.width > 0)
      apply_in_slab(*use.boundaries, *use.storage, use.reach, {slot.lo(), slot.hi(), true, true});
}

void Slabs::close(const Slot& slot) const {
  for (const Use& use : uses_) {
    if (use.mode != Mode::read) far_cells(*use.storage).keep_strips(*use.storage, slot.lo(), slot.hi());
    use.storage->show(nullptr);
  }
}

void Slabs::note_filled(RehearsedRun& run, int n) const {
  for (const Use& use : uses_)
    note_around(run, *use.storage, box(n), int{use.reach.width > 0} + int{use.mode != Mode::read});
}

}  // namespace sc
