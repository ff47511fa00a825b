// SPDX-License-Identifier: Apache-2.0
// The time step (forward Euler, both fields in one sweep), set-up, measurements, and the report of a state
// that is not finite.
#include "solvers/dendrite/solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "engine/stage/slabs.hpp"
#include "solvers/common/report.hpp"
#include "solvers/dendrite/model.hpp"
#include "solvers/dendrite/start.hpp"

namespace sc::dendrite {

namespace {

/// The halo beside neighbours has the layers that all steps of a pass read together.
Grid grid_of(Context& context, const DendriteOptions& o) {
  return {context,
          {.cells = o.cells,
           .periodic = o.periodic(),
           .halo = o.reach() * o.engine.steps_per_pass,
           .wall_halo = o.reach(),
           .split = o.split}};
}

std::unique_ptr<FarMemory> files_of(Context& context, const DendriteOptions& o, const Budget& budget) {
  std::unique_ptr<FarMemory> files;
  if (budget.where == Where::files)
    context.together([&] { files = far_files(context, o.storage, o.engine.strategy.overlaps); });
  return files;
}

FieldOptions where(Context& context, const DendriteOptions& o, const Budget& budget, FarMemory* files) {
  if (budget.where == Where::files) return {.place = in_files(*files, budget.pieces)};
  if (budget.where == Where::host) return {.place = in_host_memory_of(context.device(), budget.pieces)};
  return {.space = o.space};
}

/// The planned ring; no stage needs more than the step, or a pass of several steps.
void plan_ring(Stage& step, const AnyField& field, const Budget& budget) {
  StreamPhase phase = Slabs(step, true).pass().phase;
  std::size_t slot = SlabStream::slot_bytes(phase);
  const bool passes = budget.room > 0;
  for (StreamUse& use : phase) use = {.array = use.array, .room = budget.room};
  if (passes) slot = std::max(slot, SlabStream::slot_bytes(phase));
  step.grid().context().together(
      [&] { far_cells(field.storage(0)).place()->plan(slot, budget.ahead, passes); });
}

}  // namespace

Dendrite::Dendrite(Context& context, const DendriteOptions& options)
    : Dendrite(context, options, grid_of(context, checked_options(options))) {}

Dendrite::Dendrite(Context& context, const DendriteOptions& options, const Grid& grid)
    : options_(options),
      dt_(options.dt > 0 ? options.dt : options.safety * largest_step(options)),
      runner_(context, options.engine),
      budget_(make_budget(grid, options)),
      files_(files_of(context, options, budget_)),
      stages_(make_stages(grid, options, where(context, options, budget_, files_.get()), dt_)),
      global_(context) {
  if (Slabs::in(stages_.advance)) plan_ring(stages_.advance, phase(), budget_);
  set_initial();
}

void Dendrite::set_initial() {
  const Start start(options_);
  typed(phase(), [&]<class Real>(Field<Real>& phi) {
    phi.fill([&](int x, int y, int z) { return Real(start.phase(x, y, z)); });
  });
  typed(heat(), [&]<class Real>(Field<Real>& theta) {
    const Real melt = Real(options_.temperature - options_.melting());
    theta.fill([&](int, int, int) { return melt; });
  });
  if (!stages_.orientation) return;
  typed<4>(*stages_.orientation, [&]<class Real>(Field<Real, 4>& q) {
    q.fill([&](int k, int x, int y, int z) { return Real(start.orientation(x, y, z)[std::size_t(k)]); });
  });
}

StepReport Dendrite::steps(int n) {
  runner_.steps(n, [this](int) {
    runner_.begin_step();
    // phi'   = phi + dt M [div(eps^2 grad phi + eps deps/d(grad phi) |grad phi|^2)
    //                      + 4 W phi (1 - phi) (phi - 1/2 + beta(T) + a chi)]
    // theta' = theta + dt kappa lap theta + (L / C) (h(phi') - h(phi))
    // or as Karma and Rappel have it, see karma_rappel.hpp
    stages_.advance.set(clock_.steps);
    runner_.run(stages_.advance);
    stages_.phi->advance();
    stages_.theta->advance();
    runner_.discard(*stages_.phi, 1);
    runner_.discard(*stages_.theta, 1);

    clock_.steps += 1;
    clock_.time += dt_;
  });
  return {.step = clock_.steps, .time = clock_.time, .dt = dt_};
}

std::optional<PassCost> Dendrite::pass_cost() {
  if (budget_.where != Where::memory || options_.space == Space::device) return std::nullopt;
  return cost_of_pass(options_.engine, [this](const auto& run) {
    run(stages_.advance);
    stages_.phi->advance();
    stages_.theta->advance();
  });
}

Measures Dendrite::extremes() {
  runner_.run(*stages_.extremes);
  global_.start(stages_.extremes->accumulators());
  Measures m;
  m.phi_high = global_.value(0);
  if (!std::isfinite(m.phi_high)) report_loss();
  m.phi_low = 0 - global_.value(1);
  m.T_high = options_.melting() + global_.value(2);
  m.T_low = options_.melting() - global_.value(3);
  return m;
}

Measures Dendrite::measure() {
  Measures m = extremes();
  runner_.run(*stages_.sums);
  global_.start(stages_.sums->accumulators());
  const Int3 n = options_.cells;
  const double cells = double(n.x) * n.y * n.z;
  m.solid = global_.value(0) / cells;
  m.total = options_.melting() + global_.value(1) / cells;
  if (options_.karma_rappel)
    m.free_energy = std::pow(options_.spacing, options_.dimensions()) * global_.value(2);

  const std::array<double, 6> length = arms();
  m.arms = length;
  m.tip = *std::ranges::max_element(length);
  const double since = clock_.time - clock_.tip_time;
  const auto velocity = [&](double now, double before) {
    return clock_.tip >= 0 && since > 0 ? (now - before) / since : std::numeric_limits<double>::quiet_NaN();
  };
  m.tip_velocity = velocity(m.tip, clock_.tip);
  for (std::size_t arm = 0; arm < length.size(); ++arm)
    m.arm_velocities[arm] = velocity(length[arm], clock_.arms[arm]);
  if (clock_.tip < 0 || since > 0) {
    clock_.tip = m.tip;
    clock_.tip_time = clock_.time;
    clock_.arms = length;
  }
  return m;
}

void Dendrite::report_loss() const {
  const std::string time =
      options_.karma_rappel ? shown(clock_.time) : std::to_string(clock_.time * 1e9) + " ns";
  const Loss loss{.when = "after step " + std::to_string(clock_.steps) + " (time " + time + ")",
                  .point = "cell",
                  .advice = "a smaller run.safety or run.dt may help"};
  std::string sentence = loss.of(*stages_.phi, "the phase");
  if (sentence.empty()) sentence = loss.of(*stages_.theta, "the temperature");
  loss.report(grid().context(), sentence, "the crystal");
}

}  // namespace sc::dendrite
