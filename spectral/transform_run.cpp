// SPDX-License-Identifier: Apache-2.0
// TransformRun: computes slabs, starts transposes and waits for them.
#include "spectral/transform_run.hpp"

#include <algorithm>
#include <string>

#include "engine/base/error.hpp"
#include "engine/move/waiting.hpp"
#include "engine/plan/rehearsal.hpp"

namespace sc::spectral {

namespace {

/// Makes progress on the sends of the other transposes too: a peer that waits for them would never send this
/// slab. Cells in peers' memory are copied for this slab only, so that they are in the cache when it is
/// computed.
bool is_there(std::span<const TransformStage> stages, const Arrival& arrival) {
  const TransformStage* from = &stages[static_cast<std::size_t>(arrival.movement)];
  for (const TransformStage& stage : stages)
    for (Transpose* transpose : stage.gives)
      if (&stage != from) transpose->push();
  bool all = true;
  for (Transpose* transpose : from->gives) all = transpose->chunk_arrived(arrival.number) && all;
  return all;
}

}  // namespace

TransformRun::TransformRun(Context& context, const Strategy& strategy)
    : context_(context),
      strategy_(strategy),
      name_(context.timeline().name("fft transpose")),
      sample_name_(context.timeline().name(std::string("fft transpose") + sampled_suffix)) {
  if (strategy.divides_threads)
    refuse(
        "strategy is \"" + std::string(strategy.name) +
        "\", which gives one thread the halos and the others the core, but all threads share the lines of a "
        "transform; allowed are " +
        Strategy::names([](const Strategy& s) { return !s.divides_threads; }));
  if (strategy.chooses) choice_ = std::make_unique<Choice>(context);
}

/// Without communication slabs are computed while they are in the cache. Each slab is a step, so that
/// boundary_first sends its pieces with the slab; `pipelined` would be the same and is not tried.
Choice::Run TransformRun::choose_strategy(std::span<const TransformStage> stages, TransformKind& kind) {
  if (!choice_) return {.strategy = &strategy_};
  if (std::ranges::none_of(stages, [](const TransformStage& stage) { return !stage.gives.empty(); }))
    return {.strategy = &Strategy::boundary_first};
  const auto differ = [](const Strategy& s) { return !s.divides_threads && !(s == Strategy::pipelined); };
  if (kind.number < 0) kind.number = choice_->add(kind.name, differ, false);
  return choice_->begin(kind.number);
}

void TransformRun::run(std::span<const TransformStage> stages, TransformKind& kind) {
  begin(stages, kind);
  finish();
}

void TransformRun::begin(std::span<const TransformStage> stages, TransformKind& kind) {
  const double begin = context_.timeline().now();
  kind_ = &kind;
  chosen_ = choose_strategy(stages, kind);
  const bool hides = chosen_.strategy->overlaps;
  const bool trying = chosen_.kind >= 0 && choice_->trying();
  const bool sample = hides && !trying && kind.sampled.due(context_.accounts().sampling);
  const bool trial_is_sample = !hides && chosen_.trial;  // because it runs without overlap
  counts_as_ = sample || trial_is_sample ? Sampled::Kind::sample
               : hides                   ? Sampled::Kind::overlapped
                                         : Sampled::Kind::plain;
  const Strategy& strategy = sample ? Strategy::ordered : *chosen_.strategy;
  recorded_as_ = sample || trial_is_sample ? sample_name_ : name_;
  overlaps_ = strategy.overlaps;
  moving_ = 0;
  shape(stages);
  plan_.make(shapes_, !strategy.overlaps);
  if (context_.rehearsal()) rehearse(kind.name);
  executor_.begin(plan_.plan(), strategy, *this);
  spent_ = context_.timeline().now() - begin;
}

void TransformRun::advance() {
  const double begin = context_.timeline().now();
  if (rehearsed_) rehearse_chunk();
  executor_.advance(*this);
  spent_ += context_.timeline().now() - begin;
}

void TransformRun::finish() {
  const double begin = context_.timeline().now();
  if (rehearsed_) {
    while (rehearsed_->plan.chunks().size() < plan_.plan().chunks().size()) rehearse_chunk();
    context_.rehearsal()->events.emplace_back(std::move(*rehearsed_));
    rehearsed_.reset();
  }
  executor_.finish(*this);
  for (const TransformStage& stage : stages_)
    for (Transpose* transpose : stage.gives) timed(Phase::wait, [&] { transpose->wait(); });
  spent_ += context_.timeline().now() - begin;
  kind_->sampled.ran(counts_as_, {moving_, spent_ - moving_}, context_.accounts()[Resource::messages]);
  if (chosen_.kind >= 0)
    choice_->end(chosen_, counts_as_ != Sampled::Kind::sample || !chosen_.strategy->overlaps);
}

void TransformRun::shape(std::span<const TransformStage> stages) {
  stages_ = stages;
  shapes_.clear();
  for (const TransformStage& stage : stages)
    shapes_.push_back({stage.slabs,
                       stage.gives.empty()                 ? Next::in_memory
                       : stage.gives.front()->cuts_agree() ? Next::from_the_same
                                                           : Next::from_all,
                       stage.by_array});
}

void TransformRun::start(const Piece& piece) {
  timed(Phase::start, [&] {
    each_given(piece, [](Transpose& transpose, int leaving, int arriving) {
      transpose.start_chunk(leaving, arriving);
    });
  });
}

/// In the order in which the next stage uses them: a slab of all arrays. By array, the last third of the
/// slabs leaves with each array: about as much as travels while the lines of the other arrays are computed,
/// if messages take as long as all computation.
void TransformRun::each_given(const Piece& piece, const Given& action) const {
  const TransformStage& from = stage(piece.movement);
  const int slabs = from.gives.front()->arriving(), arrays = static_cast<int>(from.gives.size());
  const auto give = [&](int array, int leaving, int slab) {
    action(*from.gives[static_cast<std::size_t>(array)], leaving, slab);
  };
  const int with_its_array = from.by_array ? slabs - slabs / 3 : slabs;  // the first of those slabs
  const bool all_computed = !from.by_array || piece.number + 1 == from.slabs;
  for (int slab = 0; all_computed && slab < with_its_array; ++slab)
    for (int array = 0; array < arrays; ++array) give(array, from.by_array ? 0 : piece.number, slab);
  for (int slab = with_its_array; slab < slabs; ++slab) give(piece.number, 0, slab);
}

bool TransformRun::arrived(const Arrival& arrival) {
  Timeline& timeline = context_.timeline();
  const double begin = timeline.now();
  const bool there = is_there(stages_, arrival);
  const double end = timeline.now();
  moving_ += end - begin;
  if (overlaps_ && !there)  // other slabs may be computed; without a span, because there are many
    timeline.add_total(recorded_as_, Phase::poke, end - begin);
  else
    timeline.add(recorded_as_, Phase::wait, begin, end);
  return there;
}

void TransformRun::wait(const Arrival& arrival) {
  timed(Phase::wait, [&] { wait_for_peers(context_, [&] { return is_there(stages_, arrival); }); });
}

void TransformRun::compute(const Chunk& chunk) {
  if (context_.rehearses()) return;  // rehearsed() has recorded the work
  const TransformPlan::Slab slab = plan_.slab(chunk);
  stage(slab.stage).compute(slab.number);
}

template <class Action>
void TransformRun::timed(Phase phase, Action&& action) {
  Timeline& timeline = context_.timeline();
  const double begin = timeline.now();
  action();
  const double end = timeline.now();
  moving_ += end - begin;
  timeline.add(recorded_as_, phase, begin, end);
}

}  // namespace sc::spectral
