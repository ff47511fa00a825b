// SPDX-License-Identifier: Apache-2.0
// FarRunner: slots become the places of far fields.
#include "engine/stage/far_runner.hpp"

#include "engine/base/error.hpp"

namespace sc {

namespace {

FarField* far(const Access& access) { return dynamic_cast<FarField*>(access.field); }

}  // namespace

StreamPhase FarRunner::phase_of(Stage& stage) {
  StreamPhase phase;
  for (const Access& a : stage.accesses()) {
    FarField* field = far(a);
    if (!field) continue;
    if (a.reach.diagonal > 0)
      throw Error(Exit::failure, "stage \"" + stage.name() + "\" reads \"" + field->name() +
                                     "\", which lies in files, across corners: only star() is there");
    const auto mode = a.mode == Mode::read    ? StreamUse::Mode::reads
                      : a.mode == Mode::write ? StreamUse::Mode::writes
                                              : StreamUse::Mode::updates;
    for (int k = 0; k < field->storage(0).components(); ++k)
      phase.push_back({&field->array(k), mode, a.reach.width,
                       a.reach.width > 0 ? field->beyond(k, a.reach.width) : nullptr});
  }
  return phase;
}

void FarRunner::run(Stage& stage, Stage* next) {
  stage.check_faces();
  for (const Access& a : stage.accesses()) {
    FarField* field = far(a);
    if (field && a.reach.width > 0) exchange(stage, *field, a.reach.width);
    if (field || a.mode == Mode::read) continue;
    a.storage().settle();
    a.storage().set_fresh(point);
  }
  const StreamPhase phase = phase_of(stage);
  const StreamPhase after = next ? phase_of(*next) : StreamPhase{};
  for (Accumulator& a : stage.accumulators()) a.clear();
  stream_.run(
      phase, [&](const Slot& slot) { compute(stage, slot); }, after.empty() ? nullptr : &after);
}

/// Of the planes that ranks beside this one need; nothing is computed meanwhile.
void FarRunner::exchange(const Stage& stage, FarField& field, int width) {
  Timeline& timeline = context_.timeline();
  const double begin = timeline.now();
  field.exchange(width);
  const double end = timeline.now();
  timeline.add(timeline.name(stage.name()), Phase::wait, begin, end);
  exchanged_.ran(Sampled::Kind::plain, {end - begin, 0}, context_.accounts()[Resource::messages]);
}

void FarRunner::compute(Stage& stage, const Slot& slot) {
  std::vector<Place> places;
  std::size_t use = 0;
  for (const Access& a : stage.accesses()) {
    FarField* field = far(a);
    if (field && a.reach.width > 0) field->close(slot, use, a.reach.width);
    places.push_back(field ? field->place(slot, use) : place_of(a.storage()));
    if (field) use += static_cast<std::size_t>(a.storage().components());
  }
  stage.bind(places);
  Box slab = stage.grid().own();
  slab.lo.z = slot.lo();
  slab.hi.z = slot.hi();
  {
    Timeline& timeline = context_.timeline();
    const Scope scope(timeline, timeline.name(stage.name()), Phase::core);
    stage.compute(slab, context_.threads(), stage.accumulators());
  }
  stage.bind({});
  use = 0;
  for (const Access& a : stage.accesses()) {
    FarField* field = far(a);
    if (field && a.mode != Mode::read) field->keep_ends(slot, use);
    if (field) use += static_cast<std::size_t>(a.storage().components());
  }
}

}  // namespace sc
