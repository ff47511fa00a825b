// SPDX-License-Identifier: Apache-2.0
// What the stages of a step find: states that are not finite, and points at a floor. In a pass of several
// steps this is known when the pass has been executed; ranks end passes at the same steps.
#include <algorithm>
#include <cmath>

#include "solvers/magnetosphere/diagnostics.hpp"
#include "solvers/magnetosphere/solver.hpp"

namespace sc::magnetosphere {

void Magnetosphere::run(const SetStage<Numbers>& half, const Numbers& numbers,
                        const std::shared_ptr<Found>& found) {
  half.set(numbers);
  const Half which = &half == &stages_.second ? Half::nodes : Half::centres;
  runner_.run(half, [found, which](std::span<const Accumulator> flag) { found->of(which).flag = flag[0]; });
}

void Magnetosphere::count_floors(Half which, const std::shared_ptr<Found>& found) {
  FloorStage& stage = which == Half::nodes ? diagnostics_->low_nodes : diagnostics_->low_centres;
  stage.set({options_.density_floor, options_.pressure_floor});
  runner_.run(stage, [found, which](std::span<const Accumulator> points) {
    found->of(which).low = points[0];
    found->of(which).counted = true;
  });
}

// The number of points at a floor is counted only after a stage that applied one; in a pass always, because
// later steps overwrite the values before that is known.
void Magnetosphere::end_step(const std::shared_ptr<Found>& found) {
  const bool recorded = runner_.records();
  for (const Half half : {Half::centres, Half::nodes})
    if (recorded) count_floors(half, found);
  found->recorded = recorded;
  found_.push_back(found);
  reduce_found();
}

// A single reduction carries the flags of all steps, and NaN if a state is not finite; another one, only if
// there are any, the numbers of points.
void Magnetosphere::reduce_found() {
  const auto open = std::ranges::find_if(found_, [](const auto& f) { return !f->executed(); });
  const std::vector<std::shared_ptr<Found>> done(found_.begin(), open);
  found_.erase(found_.begin(), open);
  if (done.empty()) return;
  std::vector<Accumulator> flags, low;
  for (const auto& step : done)
    for (const FoundHalf& half : step->halves) flags.push_back(half.flag);
  global_.start(flags);
  int n = 0;
  for (const auto& step : done)
    for (FoundHalf& half : step->halves) half.applied = global_.value(n++);
  for (const auto& step : done)
    for (const Half half : {Half::centres, Half::nodes}) {
      const FoundHalf& of = step->of(half);
      if (!std::isfinite(of.applied)) report_loss(*step);
      if (of.applied > 0 && !of.counted) count_floors(half, step);
      if (of.applied > 0) low.push_back(of.low);
    }
  if (!low.empty()) global_.start(low);
  n = 0;
  for (const auto& step : done) {
    last_floors_ = 0;
    for (const FoundHalf& half : step->halves)
      if (half.applied > 0) last_floors_ += std::llround(global_.value(n++));
    clock_.floors += last_floors_;
  }
}

void Magnetosphere::report_loss(const Found& at) {
  const std::string name = "the plasma", advice = "a smaller run.courant or more diffusion may help",
                    when =
                        "after step " + std::to_string(at.step) + " (time " + std::to_string(at.time) + ")";
  if (at.step < clock_.steps)  // its values have been overwritten
    throw Error(Exit::diverged, name + " is not finite " + when + "; " + advice +
                                    ", and engine.steps_per_pass = 1 names the node");
  const Loss loss{.when = when, .point = "node", .advice = advice};
  std::string sentence = loss.of(nodes_.rho, name);
  if (sentence.empty()) sentence = loss.of(nodes_.p, name);
  if (sentence.empty()) sentence = loss.of<3>(nodes_.v, name);
  if (sentence.empty()) sentence = loss.of<3>(nodes_.B, name);
  loss.report(grid().context(), sentence, name);
}

}  // namespace sc::magnetosphere
