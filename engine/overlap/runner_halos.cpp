// SPDX-License-Identifier: Apache-2.0
// Runner: halos that are stale before a stage runs, and halos of its outputs that later stages will read.
#include <algorithm>

#include "engine/overlap/runner.hpp"

namespace sc {

// Records how far this stage reads each input, for the stage that wrote it.
void Runner::note_demand(Stage& stage) {
  for (const Access& a : stage.accesses()) {
    const auto writer = writers_.find(&a.storage());
    if (a.reach.width == 0 || writer == writers_.end()) continue;
    if (writer->second.host_writes != a.storage().host_writes()) continue;
    Reach& demand = (*writer->second.demand)[writer->second.output];
    demand = demand | a.reach;
  }
  for (std::size_t output = 0; output < stage.accesses().size(); ++output) {
    const Access& a = stage.accesses()[output];
    if (a.mode == Mode::read) continue;
    keep(a.storage());
    writers_[&a.storage()] = {stage.demand(), output, a.storage().host_writes()};
    Reach& demand = (*stage.demand())[output];
    demand = demand | a.reach;  // an update is read by its next colour
  }
}

void Runner::end_inputs_under_way(Stage& stage) {
  for (const Access& a : stage.accesses()) {
    Pending* pending = a.storage().in_flight();  // a refresh, or a pass that another runner records
    if (pending && (a.reach.width > 0 || pending->computes())) pending->finish();
  }
}

void Runner::settle_outputs(Stage& stage) {
  const auto written = [](const Access& a) { return a.mode != Mode::read; };
  const auto& accesses = stage.accesses();
  const bool busy =
      std::ranges::any_of(accesses, [&](const Access& a) { return written(a) && a.storage().busy(); });
  if (busy) {  // usually false; then no span is recorded
    Timeline& timeline = context_.timeline();
    const Scope scope(timeline, timeline.name(stage.name()), Phase::settle);
    for (const Access& a : accesses)
      if (written(a)) a.storage().settle();
  }
  for (const Access& a : accesses)
    if (written(a)) a.storage().set_fresh(point, stage.lattice());
}

/// Whether a halo need not be exchanged before it is read with these conditions.
bool Runner::is_fresh(Storage& storage, const Boundaries& conditions, Reach reach) {
  apply_readers_conditions({&storage, &conditions, reach}, context_.timeline());
  return storage.fresh().covers(reach);
}

Refresh& Runner::stale_inputs(Stage& stage) {
  std::vector<Wanted> wanted;
  bool in_place = false;
  for (const Access& a : stage.accesses()) {
    if (a.reach.width == 0 || is_fresh(a.storage(), a.field->boundaries(), a.reach)) continue;
    const auto same =
        std::ranges::find_if(wanted, [&](const Wanted& w) { return w.storage == &a.storage(); });
    if (same == wanted.end())
      wanted.push_back({&a.storage(), &a.field->boundaries(), a.reach, a.storage().stale(a.reach)});
    else
      *same = {same->storage, same->boundaries, same->reach | a.reach,
               a.storage().stale(same->reach | a.reach)};
    in_place = in_place || a.mode == Mode::update;
  }
  Refresh& refresh = refresh_of(Use::input, std::move(wanted));
  refresh.settle_on_wait(in_place);
  return refresh;
}

Refresh& Runner::wanted_outputs(Stage& stage) {
  std::vector<Wanted> wanted;
  auto next = stage.demand()->begin();
  for (const Access& a : stage.accesses()) {
    const Reach demand = *next++;
    if (a.mode != Mode::read && demand.width > 0)
      wanted.push_back({&a.storage(), &a.field->boundaries(), demand, stage.lattice()});
  }
  Refresh& refresh = refresh_of(Use::output, std::move(wanted));
  refresh.set_ahead();
  return refresh;
}

Refresh& Runner::refresh_of(Use use, std::vector<Wanted> wanted) {
  Key key{use, {}};
  auto& storages = key.second;
  for (const Wanted& w : wanted) {
    // Conditions may have changed to others that read more.
    const Reach received = received_for(*w.boundaries, w.reach);
    storages.push_back({w.storage, w.reach.width, w.reach.diagonal, received.width, received.diagonal,
                        w.lattice.colours, w.lattice.colour});
  }
  auto& refresh = refreshes_[key];
  if (!refresh) {
    for (const Wanted& w : wanted) keep(*w.storage);
    refresh = std::make_unique<Refresh>(std::move(wanted), options_.halo, context_.timeline());
  }
  return *refresh;
}

void Runner::refresh(const Access& a) {
  close_pass("halos are refreshed outside a stage");
  if (a.storage().in_flight()) a.storage().in_flight()->finish();
  if (is_fresh(a.storage(), a.field->boundaries(), a.reach)) return;
  const Sampled::Seconds before = seconds_so_far();
  refresh_of(Use::input, {{&a.storage(), &a.field->boundaries(), a.reach, a.storage().stale(a.reach)}})
      .wait();
  add_plain(before);
}

}  // namespace sc
