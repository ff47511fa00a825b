// SPDX-License-Identifier: Apache-2.0
// Runner: freshness before, strategy, freshness after.
#include "engine/overlap/runner.hpp"

#include <algorithm>

#include "engine/stage/checked.hpp"

namespace sc {

Runner::Runner(Context& context, RunnerOptions options) : context_(context), options_(options) {
  const Strategy& s = options.strategy;
  if (s.divides_threads && !s.joins && context.threads() < 2)
    refuse("strategy " + std::string(s.name) +
           " needs engine.threads of at least 2 where thread 0 computes no core");
  if (options.steps_per_pass < 1)
    refuse("steps_per_pass is " + std::to_string(options.steps_per_pass) + "; at least 1 is needed");
}

void Runner::prefetch(Stage& stage) {
  if (window_ && !window_->empty()) return;
  if (alone() || !Slabs::in(stage)) return;
  const Slabs slabs(stage, options_.strategy.eager);
  slabs.ring().prefetch(slabs.pass());
}

void Runner::run(Stage& stage, Stage* next) {
  if (window_ && record(stage)) return;
  if (stage.sampled().runs() == 0) {
    if (const std::string why = stage.refusal(options_.strategy); !why.empty()) refuse(why);
    stage.check_faces();
  }
  std::optional<Slabs> slabs, next_slabs;
  if (Slabs::in(stage)) {
    slabs.emplace(stage, options_.strategy.eager);
    if (next && Slabs::in(*next)) next_slabs.emplace(*next, options_.strategy.eager);
  }
  Device* device = stage.device();
  if (device) begin_on(*device, stage);
  note_demand(stage);
  for (Accumulator& a : stage.accumulators()) a.clear();
  Sampled& sampled = stage.sampled();
  const bool hides = options_.strategy.overlaps;
  const bool sample = hides && sampled.due(context_.accounts().sampling);
  const bool measure = sample || !hides || !sampled.known();
  const Sampled::Seconds before = measure ? booked() : Sampled::Seconds{};
  for (int colour = 0; colour < stage.colours(); ++colour) {
    stage.choose_colour(colour);
    run_colour(stage, sample, slabs ? &*slabs : nullptr, next_slabs ? &next_slabs->pass() : nullptr);
  }
  if (device) end_on(*device, stage);
  const Sampled::Seconds after = measure ? booked() : Sampled::Seconds{};
  sampled.ran(!hides   ? Sampled::Kind::plain
              : sample ? Sampled::Kind::sample
                       : Sampled::Kind::overlapped,
              {after.movement - before.movement, after.core - before.core},
              context_.accounts()[Resource::messages]);
  Counts& counts = counts_[stage.name()];
  const auto cells = static_cast<double>(stage.grid().own().cells());
  ++counts.runs;
  counts.samples += sample ? 1 : 0;
  counts.cells += cells;
  counts.bytes += cells * stage.bytes_per_cell();
  counts.flops += cells * stage.flops();
}

void Runner::begin_on(Device& device, Stage& stage) {
  if (options_.strategy.divides_threads)
    refuse("engine.strategy \"" + std::string(options_.strategy.name) +
           "\" divides the threads of a rank, and stage \"" + stage.name() + "\" runs on " +
           device.describe() + "; allowed there are " +
           Strategy::names([](const Strategy& s) { return !s.divides_threads; }));
  for (const Access& a : stage.accesses()) a.storage().use_on_device(a.mode != Mode::read);
}

// The host stays at most two runs ahead, or its clock would say nothing of the device's.
void Runner::end_on(Device& device, Stage& stage) {
  stage.collect();
  device.join();
  runs_ahead_.push_back(device.mark(Lane::core));
  if (runs_ahead_.size() <= 2) return;
  if (!device.reached(runs_ahead_.front())) {
    Timeline& timeline = context_.timeline();
    const Scope scope(timeline, timeline.name(stage.name()), Phase::core);
    device.wait(runs_ahead_.front());
  }
  runs_ahead_.pop_front();
}

Sampled::Seconds Runner::booked() const {
  const Timeline& timeline = context_.timeline();
  const auto messages = [&](Phase phase) { return timeline.total(Resource::messages, phase).seconds; };
  return {messages(Phase::start) + messages(Phase::poke) + messages(Phase::wait),
          timeline.total(Phase::core).seconds + timeline.total(Phase::all).seconds};
}

void Runner::run_colour(Stage& stage, bool sample, const Slabs* slabs, const StreamPass* next) {
  end_inputs_under_way(stage);
  if (stage.watched()) poison_stale_halos(stage);
  Refresh& inputs = stale_inputs(stage);
  settle_outputs(stage);
  const std::optional<Stage::Own> own = stage.own();
  // What the stage writes is whole only when it has taken what arrives: too late for an eager halo.
  Refresh& outputs = options_.strategy.eager && !own ? wanted_outputs(stage) : refresh_of(Use::output, {});
  const Strategy& strategy = sample ? Strategy::ordered : options_.strategy;
  StageRun run(stage, inputs, outputs, own, context_.timeline(),
               {context_.threads(), options_.poke_seconds, sample ? sampled_suffix : ""});
  if (Device* device = stage.device()) device->join();
  if (slabs && own)
    refuse("stage \"" + stage.name() + "\" moves by itself and cannot pass through files slab by slab");
  if (slabs) run.through(*slabs, next, alone());
  const StageShape shape = run.shape(strategy, own);
  plan_.make(shape);
  run.carry_out(executor_, plan_, strategy, shape.cut);
  // A lazy strategy has written new values beside halos that still hold the neighbours' old ones.
  if (outputs.nothing())
    for (const Access& a : stage.accesses())
      if (a.mode != Mode::read) a.storage().set_fresh(point, stage.lattice());
  std::int64_t sent = inputs.bytes() + outputs.bytes();
  for (PieceMovement* movement : {own ? own->gathers : nullptr, own ? own->sums : nullptr}) {
    if (!movement) continue;
    sent += movement->bytes();
    own_movements_.insert(movement->shared_from_this());
  }
  counts_[stage.name()].moved += static_cast<double>(sent);
}

// Whoever wrote what this stage reads now knows how far it is read.
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
    demand = demand | a.reach;  // of an update: the next colour reads it
  }
}

void Runner::end_inputs_under_way(Stage& stage) {
  for (const Access& a : stage.accesses()) {
    Pending* refresh = a.storage().in_flight();
    if (a.reach.width > 0 && refresh) refresh->finish();
  }
}

void Runner::settle_outputs(Stage& stage) {
  const auto written = [](const Access& a) { return a.mode != Mode::read; };
  const auto& accesses = stage.accesses();
  const bool busy = std::any_of(accesses.begin(), accesses.end(),
                                [&](const Access& a) { return written(a) && a.storage().busy(); });
  if (busy) {  // most often not, and then not worth a span
    Timeline& timeline = context_.timeline();
    const Scope scope(timeline, timeline.name(stage.name()), Phase::settle);
    for (const Access& a : accesses)
      if (written(a)) a.storage().settle();
  }
  for (const Access& a : accesses)
    if (written(a)) a.storage().set_fresh(point, stage.lattice());
}

Refresh& Runner::stale_inputs(Stage& stage) {
  std::vector<Wanted> wanted;
  bool in_place = false;
  for (const Access& a : stage.accesses()) {
    if (a.reach.width == 0 || a.storage().fresh().covers(a.reach)) continue;
    const auto same = std::find_if(wanted.begin(), wanted.end(),
                                   [&](const Wanted& w) { return w.storage == &a.storage(); });
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
  return refresh_of(Use::output, std::move(wanted));
}

Refresh& Runner::refresh_of(Use use, std::vector<Wanted> wanted) {
  Key key{use, {}};
  auto& storages = key.second;
  for (const Wanted& w : wanted)
    storages.emplace_back(w.storage, w.reach.width, w.reach.diagonal, w.lattice.colours, w.lattice.colour);
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
  if (a.storage().fresh().covers(a.reach)) return;
  const Sampled::Seconds before = booked();
  refresh_of(Use::input, {{&a.storage(), &a.field->boundaries(), a.reach, a.storage().stale(a.reach)}})
      .wait();
  book_plain(before);
}

/// What has been booked since is a movement that nothing overlaps.
void Runner::book_plain(const Sampled::Seconds& before) {
  Sampled().ran(Sampled::Kind::plain, {booked().movement - before.movement, 0},
                context_.accounts()[Resource::messages]);
}

void Runner::move(const Access& from, const Access& to) {
  close_pass("a field moves to another decomposition");
  to.storage().settle();
  to.storage().set_fresh(point);
  auto& movement = moves_[{&from.storage(), &to.storage()}];
  if (!movement) {
    keep(from.storage());
    keep(to.storage());
    movement = std::make_unique<Redistribute>(from.storage(), to.storage());
  }
  writers_.erase(&to.storage());
  Timeline& timeline = context_.timeline();
  const std::uint16_t name = timeline.name("redistribute");
  const Sampled::Seconds before = booked();
  {
    const Scope scope(timeline, name, Phase::start);
    movement->start();
  }
  {
    const Scope scope(timeline, name, Phase::wait);
    movement->wait();
  }
  book_plain(before);
}

Traffic Runner::traffic(Transport transport) const {
  Traffic sum;
  const auto add = [&](const auto& movement) {
    const Traffic part = movement->traffic(transport);
    sum.messages += part.messages;
    sum.bytes += part.bytes;
  };
  for (const auto& [key, refresh] : refreshes_) add(refresh);
  for (const auto& movement : own_movements_) add(movement);
  return sum;
}

}  // namespace sc
