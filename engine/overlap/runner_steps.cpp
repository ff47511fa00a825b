// SPDX-License-Identifier: Apache-2.0
// Runner::steps: several time steps in a pass. What is recorded, when a pass ends, and which halos are fresh
// afterwards.
#include <algorithm>
#include <cstdio>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/overlap/pass_cost.hpp"
#include "engine/overlap/runner.hpp"
#include "engine/overlap/window_run.hpp"
#include "engine/stage/checked.hpp"

namespace sc {

namespace {

const std::string full_length;  // empty: the pass has its full length

}  // namespace

void Runner::steps(int n, const std::function<void(int step)>& body) {
  const bool outermost = !looping_;
  struct Recording {
    Runner* of;
    ~Recording() {
      if (of) of->leave_steps();
    }
  } recording{outermost ? this : nullptr};
  if (outermost) begin_steps();
  for (int step = 0; step < n; ++step) {
    body(step);
    if (outermost) end_step();
  }
  if (outermost) end_steps();
}

void Runner::begin_steps() {
  if (options_.steps_per_pass == 1) return;
  close_pass("another loop begins");
  looping_ = true;
  step_ = 0;
  if (lengths_) length_ = lengths_->length();
  if (length_ > 1) begin_window();
}

void Runner::begin_window() {
  if (!window_) window_ = std::make_shared<Window>([this] { close_pass("the host asks for a field"); });
}

void Runner::end_step() {
  if (!looping_) return;
  ++step_;
  if (!window_) {
    took(1);
  } else {
    ++passes_.steps;
    carry_out_sealed();
    if (window_->steps() == length_) window_->seal(step_, full_length);
    // During a trial a pass is executed at once, so that its time does not count for the next one.
    if (tries_lengths()) carry_out_sealed();
  }
  adopt_length();
}

void Runner::end_steps() {
  close_pass("the loop has no more steps");
  leave_steps();
}

void Runner::leave_steps() {
  if (window_) window_->take();  // after an error, fields keep the values that they have
  window_.reset();
  looping_ = false;
}

/// Records the end of a pass of so many steps, or of a single step.
void Runner::took(int steps) {
  if (!lengths_ || lengths_->length() != length_) return;
  const bool tried = lengths_->trying(), busy = choice_ && choice_->trying();
  if (lengths_->took(steps, std::exchange(seconds_, 0), busy))
    lengths_->end_turn(context_.max(lengths_->seconds_a_step()));
  if (tried && !lengths_->trying()) passes_.found = lengths_->describe();
}

/// The next pass may have another length.
void Runner::adopt_length() {
  if (!lengths_ || lengths_->length() == length_) return;
  close_pass("passes of another length begin");
  length_ = lengths_->length();
  seconds_ = 0;
  if (length_ > 1)
    begin_window();
  else
    window_.reset();
}

/// Whether the stage will be executed later. If not, all recorded runs have been executed.
bool Runner::record(Stage& stage, const TakeValues& take) {
  if (const std::string why = Window::refusal(stage, bool(take)); !why.empty()) {
    close_pass(why);
    return false;
  }
  stage.check_faces();
  if (const Device* device = stage.device()) {
    check_strategy(*device, stage, options_.strategy);
    if (options_.pass_tile != Int3{})
      refuse("pass_tile is " + to_string(options_.pass_tile) + ", but stage \"" + stage.name() +
             "\" runs on " + device->describe() + ": a pass there has no tiles");
  }
  if (Slabs::in(stage)) const Slabs can_pass(stage, eager());
  std::vector<Recorded> runs;  // one for each colour
  for (int colour = 0; colour < stage.colours(); ++colour) {
    stage.choose_colour(colour);
    runs.emplace_back(stage, step_);
  }
  if (take) {
    const auto values = std::make_shared<std::vector<Accumulator>>(like(stage.accumulators()));
    for (Recorded& run : runs) run.values = values;
    runs.back().take = take;
  }
  return enlist(std::move(runs));
}

/// Adds the runs of one stage to the pass, or to the next one; returns false if none can have them.
bool Runner::enlist(std::vector<Recorded> runs) {
  if (const std::string why = window_->shortage(runs); !why.empty()) {
    if (window_->begins_before(step_)) {  // passes consist of whole steps
      carry_out_sealed();
      window_->seal(step_, why);
    }
    if (!window_->shortage(runs).empty()) close_pass(why);
    if (!window_->shortage(runs).empty()) return false;
  }
  for (Recorded& run : runs) window_->add(std::move(run));
  return true;
}

void Runner::hold_levels(std::span<const Access> levels) {
  if (window_) {
    std::vector<Access> others;
    for (const Access& a : levels)
      if (!window_->holds(a.storage(), a.field->boundaries(), a.reach)) others.push_back(a);
    if (others.empty()) return;
    std::vector<Recorded> runs;
    runs.emplace_back(others, step_);
    if (enlist(std::move(runs))) return;
  }
  for (const Access& a : levels) refresh(a);
}

/// Executes the sealed pass, which had to wait for the step after it.
void Runner::carry_out_sealed() {
  if (!window_->sealed()) return;
  const std::string why = window_->why();
  std::vector<Recorded> runs = window_->take_sealed();
  carry_out(std::move(runs), why);
  window_->mark();
}

void Runner::close_pass(const std::string& why) {
  if (!window_) return;
  carry_out_sealed();
  if (!window_->empty()) carry_out(window_->take(), why);
}

/// The halos that a pass reads, for all its runs together. Conditions that have changed since it was recorded
/// are not those of its beginning: then the refresh is of this pass alone, whose copies it refers to.
Refresh& Runner::halos_of(const std::vector<Recorded>& runs) {
  const RecordedArrays arrays(runs);
  const std::vector<Reach> inputs = arrays.inputs();
  std::vector<Wanted> wanted;
  bool changed = false;
  for (std::size_t n = 0; n < inputs.size(); ++n) {
    const Recorded::Use& use = *arrays.first()[n];
    if (inputs[n].width == 0 || is_fresh(*use.storage, use.conditions, inputs[n])) continue;
    changed = changed || use.conditions != *use.boundaries;
    wanted.push_back({use.storage.get(), use.boundaries, inputs[n], use.storage->stale(inputs[n])});
  }
  if (changed) {
    for (std::size_t n = 0, w = 0; w < wanted.size(); ++n)
      if (const Recorded::Use& use = *arrays.first()[n]; use.storage.get() == wanted[w].storage)
        wanted[w++].boundaries = &use.conditions;
    for (const Wanted& w : wanted) keep(*w.storage);
    return *(of_one_pass_ = std::make_unique<Refresh>(std::move(wanted), options_.halo, context_.timeline()));
  }
  return refresh_of(Use::input, std::move(wanted));
}

void Runner::carry_out(std::vector<Recorded> runs, const std::string& why) {
  ++passes_.passes;
  if (!why.empty()) ++passes_.ended[why];
  const int steps = runs.back().step - runs.front().step + 1;
  if (steps == length_ && steps > 1 && !(passes_.cost && passes_.cost->steps == steps))
    passes_.cost = std::make_shared<const PassCost>(pass_cost(runs, options_.halo));
  const double begin = context_.timeline().now();
  carry_out(std::move(runs));
  seconds_ += context_.timeline().now() - begin;
  took(steps);
}

void Runner::carry_out(std::vector<Recorded> runs) {
  for (const Recorded& run : runs)
    for (const Recorded::Use& use : run.uses)
      if (use.mode != Mode::read) {
        use.storage->settle();
        use.storage->set_fresh(point);
        writers_.erase(use.storage.get());
      }
  for (const Recorded& run : runs)
    for (const Recorded::Use& use : run.uses)
      if (run.watched) poison_stale_halo(*use.storage, use.conditions);
  Refresh& inputs = halos_of(runs);
  const bool hides = options_.strategy.overlaps;
  const bool sample = hides && !tries_lengths() && sampled_passes_.due(context_.accounts().sampling);
  const Sampled::Seconds before = seconds_so_far();
  const std::int64_t sent = inputs.bytes();
  WindowRun run(
      runs, window_->runs(), inputs, context_.timeline(),
      {context_.threads(), options_.poke_seconds, options_.pass_tile, sample ? sampled_suffix : ""});
  run.carry_out(executor_, sample ? Strategy::ordered : options_.strategy);
  if (Device* device = runs.front().device()) end_on(*device, "pass");
  for (const Recorded& r : runs)
    for (const Recorded::Use& use : r.uses)
      if (use.mode != Mode::read) use.storage->set_fresh(point);
  const Sampled::Seconds after = seconds_so_far();
  sampled_passes_.ran(!hides   ? Sampled::Kind::plain
                      : sample ? Sampled::Kind::sample
                               : Sampled::Kind::overlapped,
                      {after.movement - before.movement, after.core - before.core},
                      context_.accounts()[Resource::messages]);
  Counts& counts = counts_["pass"];
  const auto cells = static_cast<double>(run.own_cells());
  ++counts.runs;
  counts.samples += sample ? 1 : 0;
  counts.moved += static_cast<double>(sent);
  for (const Recorded& r : runs) {
    counts.cells += cells * r.share;
    counts.bytes += cells * r.share * r.bytes;
    counts.flops += cells * r.share * r.flops;
  }
  for (const Recorded& r : runs)
    if (r.take) r.take(*r.values);
}

std::string Runner::Passes::plan() const { return cost ? sc::describe(*cost) : ""; }

std::string Runner::Passes::describe() const {
  if (passes == 0) return found.empty() ? "no passes of several steps" : found;
  char mean[32];
  std::snprintf(mean, sizeof mean, "%.3g", static_cast<double>(steps) / static_cast<double>(passes));
  std::string text =
      std::to_string(steps) + " steps in " + std::to_string(passes) + " passes, " + mean + " a pass";
  const char* before = "; ended early: ";
  for (const auto& [why, times] : ended) {
    text += before + why + " (" + std::to_string(times) + ")";
    before = ", ";
  }
  return found.empty() ? text : found + "; " + text;
}

}  // namespace sc
