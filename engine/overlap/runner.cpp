// SPDX-License-Identifier: Apache-2.0
// Runner: executes stages in the order of a strategy; their halos are in runner_halos.cpp, the choice of the
// strategy in runner_choice.cpp.
#include "engine/overlap/runner.hpp"

#include "engine/move/redistribute.hpp"
#include "engine/overlap/window_tile.hpp"
#include "engine/stage/checked.hpp"

namespace sc {

Runner::Runner(Runner&&) noexcept = default;
Runner::~Runner() = default;

Runner::Runner(Context& context, RunnerOptions options) : context_(context), options_(options) {
  const Strategy& s = options.strategy;
  if (s.divides_threads && !s.joins && context.threads() < 2)
    refuse("strategy " + std::string(s.name) +
           " needs engine.threads of at least 2 where thread 0 computes no core");
  if (options.steps_per_pass < 1)
    refuse("steps_per_pass is " + std::to_string(options.steps_per_pass) + "; at least 1 is needed");
  check_tile(options.pass_tile, options.steps_per_pass > 1 || options.finds_length);
  if (options.finds_length) {
    if (options.steps_per_pass == 1) options_.steps_per_pass = PassTrial::most_tried;
    lengths_.emplace(options_.steps_per_pass);
  } else {
    length_ = options.steps_per_pass;
  }
  // Passes leave no choice: their halos are exchanged when they begin. The runs outside of them do.
  if (s.chooses) choice_ = std::make_unique<Choice>(context);
}

void Runner::prefetch(Stage& stage) {
  if (Stage* before = stage.before()) return prefetch(*before);
  if (window_ && !window_->empty()) return;
  if (alone() || !Slabs::in(stage)) return;
  const Slabs slabs(stage, eager());
  slabs.ring().prefetch(slabs.pass());
}

void Runner::run(Stage& stage, Stage* next) {
  if (!window_ || !record(stage, {})) run_single(stage, next);
}

void Runner::run(Stage& stage, const TakeValues& take) {
  if (window_ && record(stage, take)) return;
  run_single(stage, nullptr);
  take(stage.accumulators());
}

void Runner::run_single(Stage& stage, Stage* next) {
  const double begin = context_.timeline().now();
  if (Stage* before = stage.before()) run_now(*before, &stage);
  Stage* before_next = next ? next->before() : nullptr;
  run_now(stage, before_next ? before_next : next);
  seconds_ += context_.timeline().now() - begin;
}

void Runner::run_now(Stage& stage, Stage* next) {
  if (stage.sampled().runs() == 0) {
    if (const std::string why = choice_ ? "" : stage.refusal(options_.strategy); !why.empty()) refuse(why);
    stage.check_faces();
  }
  const bool far = Slabs::in(stage);
  Choice::Run chosen = choose_strategy(stage, far);
  const Strategy& strategy = *chosen.strategy;
  std::optional<Slabs> slabs, next_slabs;
  if (far) {
    slabs.emplace(stage, strategy.eager);
    if (next && Slabs::in(*next)) next_slabs.emplace(*next, strategy.eager);
  }
  Device* device = stage.device();
  if (device) begin_on(*device, stage, strategy);
  if (device && chosen.trial) {
    drain(*device, stage);
    choice_->restart_clock(chosen);
  }
  note_demand(stage);
  for (Accumulator& a : stage.accumulators()) a.clear();
  Sampled& sampled = stage.sampled();
  const bool hides = strategy.overlaps;
  const bool trying = (chosen.kind >= 0 && choice_->trying()) || tries_lengths();
  const bool sample = hides && !trying && sampled.due(context_.accounts().sampling);
  const bool trial_is_sample = !hides && chosen.trial;  // because it runs without overlap
  const bool measure = sample || !hides || !sampled.known();
  const Sampled::Seconds before = measure ? seconds_so_far() : Sampled::Seconds{};
  double core_share = 1;
  for (int colour = 0; colour < stage.colours(); ++colour) {
    stage.choose_colour(colour);
    core_share =
        run_colour(stage, {sample ? Strategy::ordered : strategy, strategy.eager, sample || trial_is_sample},
                   slabs ? &*slabs : nullptr, next_slabs ? &next_slabs->pass() : nullptr);
  }
  if (device) {
    stage.collect();
    end_on(*device, stage.name());
  }
  if (device && chosen.trial) drain(*device, stage);
  const Sampled::Seconds after = measure ? seconds_so_far() : Sampled::Seconds{};
  sampled.ran(
      sample || trial_is_sample ? Sampled::Kind::sample
      : !hides                  ? Sampled::Kind::plain
                                : Sampled::Kind::overlapped,
      {after.movement - before.movement, (trial_is_sample ? core_share : 1) * (after.core - before.core)},
      context_.accounts()[Resource::messages]);
  if (chosen.kind >= 0) choice_->end(chosen, !sample);
  Counts& counts = counts_[stage.name()];
  const auto cells = static_cast<double>(stage.grid().own().cells());
  ++counts.runs;
  counts.samples += sample || trial_is_sample ? 1 : 0;
  counts.cells += cells;
  counts.bytes += cells * stage.bytes_per_cell();
  counts.flops += cells * stage.flops();
}

void Runner::check_strategy(const Device& device, const Stage& stage, const Strategy& strategy) const {
  if (strategy.divides_threads)
    refuse("engine.strategy \"" + std::string(strategy.name) +
           "\" divides the threads of a rank, and stage \"" + stage.name() + "\" runs on " +
           device.describe() + "; allowed there are " +
           Strategy::names([](const Strategy& s) { return !s.divides_threads; }));
}

void Runner::begin_on(Device& device, Stage& stage, const Strategy& strategy) {
  check_strategy(device, stage, strategy);
  for (const Access& a : stage.accesses()) a.storage().use_on_device(a.mode != Mode::read);
}

// Limits the host to two runs ahead of the device; otherwise the host's times would not reflect the device's.
void Runner::end_on(Device& device, const std::string& what) {
  device.join();
  runs_ahead_.push_back(device.record(Stream::core));
  if (runs_ahead_.size() <= 2) return;
  if (!device.reached(runs_ahead_.front())) {
    Timeline& timeline = context_.timeline();
    const Scope scope(timeline, timeline.name(what), Phase::core);
    device.wait(runs_ahead_.front());
  }
  runs_ahead_.pop_front();
}

/// Waits until the device has completed all its work.
void Runner::drain(Device& device, Stage& stage) {
  if (runs_ahead_.empty()) return;
  Timeline& timeline = context_.timeline();
  const Scope scope(timeline, timeline.name(stage.name()), Phase::core);
  device.wait(runs_ahead_.back());
  runs_ahead_.clear();
}

Sampled::Seconds Runner::seconds_so_far() const {
  const Timeline& timeline = context_.timeline();
  const auto messages = [&](Phase phase) { return timeline.total(Resource::messages, phase).seconds; };
  return {messages(Phase::start) + messages(Phase::poke) + messages(Phase::wait),
          timeline.total(Phase::core).seconds + timeline.total(Phase::all).seconds};
}

/// Returns the core's share of the cells.
double Runner::run_colour(Stage& stage, const Order& order, const Slabs* slabs, const StreamPass* next) {
  end_inputs_under_way(stage);
  if (stage.watched()) poison_stale_halos(stage);
  Refresh& inputs = stale_inputs(stage);
  settle_outputs(stage);
  if (stage.watched()) poison_outputs(stage);
  const std::optional<Stage::Own> own = stage.own();
  // With movements of its own, a stage's outputs are complete only after the last arrival, too late for an
  // eager halo exchange.
  Refresh& outputs = order.eager && !own ? wanted_outputs(stage) : refresh_of(Use::output, {});
  StageRun run(stage, inputs, outputs, own, context_.timeline(),
               {context_.threads(), options_.poke_seconds, order.apart ? sampled_suffix : ""});
  if (Device* device = stage.device()) device->join();
  if (slabs && own && own->gathers)
    refuse("stage \"" + stage.name() + "\" fetches by itself and cannot be computed slab by slab");
  if (slabs) run.through(*slabs, next, alone());
  const StageShape shape = run.shape(order.strategy, own);
  plan_.make(shape);
  run.begin(plan_, order.strategy, shape.cut);
  executor_.carry_out(plan_.plan(), order.strategy, run);
  run.end();
  for (const Access& a : stage.accesses()) {
    if (a.mode == Mode::read) continue;
    // Without an eager exchange, the halos around the new values hold the neighbours' old values.
    if (outputs.nothing()) a.storage().set_fresh(point, stage.lattice());
    if (a.storage().fresh().width > 0) a.storage().ahead() = {a.field->boundaries()};
  }
  std::int64_t sent = inputs.bytes() + outputs.bytes();
  for (Exchange* exchange : {own ? own->gathers : nullptr, own ? own->sums : nullptr}) {
    if (!exchange) continue;
    sent += exchange->bytes();
    own_exchanges_.insert(exchange->shared_from_this());
  }
  counts_[stage.name()].moved += static_cast<double>(sent);
  const auto all = static_cast<double>(shape.cut.all.cells());
  return all > 0 ? static_cast<double>(shape.cut.core.cells()) / all : 1;
}

/// Records the times since `before` as those of a movement without overlap.
void Runner::add_plain(const Sampled::Seconds& before) {
  Sampled().ran(Sampled::Kind::plain, {seconds_so_far().movement - before.movement, 0},
                context_.accounts()[Resource::messages]);
}

void Runner::move(const Access& from, const Access& to) {
  close_pass("a field moves to another decomposition");
  Pending* pending = from.storage().in_flight();
  if (pending && pending->computes()) pending->finish();
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
  const Sampled::Seconds before = seconds_so_far();
  {
    const Scope scope(timeline, name, Phase::start);
    movement->start();
  }
  {
    const Scope scope(timeline, name, Phase::wait);
    movement->wait();
  }
  add_plain(before);
}

Traffic Runner::traffic(Transport transport) const {
  Traffic sum;
  const auto add = [&](const auto& sender) {
    const Traffic part = sender->traffic(transport);
    sum.messages += part.messages;
    sum.bytes += part.bytes;
  };
  for (const auto& [key, refresh] : refreshes_) add(refresh);
  for (const auto& exchange : own_exchanges_) add(exchange);
  return sum;
}

}  // namespace sc
