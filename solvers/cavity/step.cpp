// SPDX-License-Identifier: Apache-2.0
// The time step of the cavity. Order 1: V' = E(V), where E is forward Euler and the pressure makes the new
// velocity divergence-free (MAC method). Order 2: V' = (V + E(E(V))) / 2, Heun's method.
#include <algorithm>
#include <cmath>

#include "solvers/cavity/solver.hpp"

namespace sc::cavity {

StepReport Cavity::step() {
  runner_.begin_step();
  const double dt = stable_step();
  StepReport report{{.step = clock_.steps + 1, .time = clock_.time + dt, .dt = dt}};
  double stiffness = clock_.stiffness;
  if (options_.order == 2 && stages_.outflow) runner_.run(*stages_.outflow->keep_begin);

  for (int stage = 0; stage < options_.order; ++stage) {
    // f = nu nabla^2 V - (V . nabla) V
    runner_.run(*stages_.accelerate);

    // on faces of outflow dV/dt + U dV/dn = 0, and as much leaves as enters
    if (stages_.outflow) advance_outflow(dt);

    // Q = J nabla xi . (V / tau + f);  b = J (nabla . V / tau + nabla . f);  tau = dt at order 1
    stages_.flux.set({dt, decay_of_divergence(dt, stiffness)});
    runner_.run(*stages_.flux);
    runner_.run(*stages_.source);
    global_.start(stages_.source->accumulators());

    // nabla^2 p = nabla . V / tau + nabla . f
    const Solved solved = stages_.poisson.solve();
    const double balance = std::abs(global_.value(0)) / std::max(global_.value(1), 1e-300);

    // subtract from p its mean over the volume, unless p is given on a face
    stages_.centre.set(mean_pressure());
    runner_.run(*stages_.centre);

    // V' = V + dt (f - nabla p); at the second stage the mean of that and of V before the first
    if (stage == 1 && stages_.outflow) runner_.run(*stages_.outflow->mean);
    SetStage<double>& correct = stage == 0 ? stages_.correct : stages_.correct_to_mean;
    correct.set(dt);
    runner_.run(*correct);
    stages_.V.advance();
    global_.reduce(correct->accumulators());
    stiffness = global_.value(1);
    report.add(solved, balance, global_.value(0));
  }

  report.courant = std::max(
      {lid_speed_ * dt / stages_.smallest, stages_.through.fastest_inflow * dt, global_.value(2) * dt});
  if (!std::isfinite(report.max_change)) report_loss(report);
  if (stages_.averaged) average(dt);
  clock_ = {report.time, stiffness, report.step};
  return report;
}

void StepReport::add(const Solved& solved, double balance, double change) {
  iterations += solved.iterations;
  residual = std::max(solved.residual, residual);  // in this order NaN stays
  capped = capped || solved.capped;
  source_balance = std::max(source_balance, balance);
  max_change = change;
}

}  // namespace sc::cavity
