// SPDX-License-Identifier: Apache-2.0
// The time step of the cavity: forward Euler; the pressure makes the new velocity divergence-free (MAC
// method).
#include <algorithm>
#include <cmath>

#include "solvers/cavity/solver.hpp"

namespace sc::cavity {

StepReport Cavity::step() {
  runner_.begin_step();
  const double dt = stable_step();
  StepReport report{.step = clock_.steps + 1, .time = clock_.time + dt, .dt = dt};

  // f = nu nabla^2 V - (V . nabla) V
  runner_.run(*stages_.accelerate);

  // on faces of outflow dV/dt + U dV/dn = 0, and as much leaves as enters
  if (stages_.outflow) let_out(dt);

  // Q = J nabla xi . (V / dt + f);  b = J (nabla . V / dt + nabla . f)
  stages_.flux.set(dt);
  runner_.run(*stages_.flux);
  runner_.run(*stages_.source);
  global_.start(stages_.source->accumulators());

  // nabla^2 p = nabla . V / dt + nabla . f
  const Solved solved = stages_.poisson.solve();
  report.source_balance = std::abs(global_.value(0)) / std::max(global_.value(1), 1e-300);

  // subtract from p its mean over the volume, unless p is given on a face
  stages_.centre.set(mean_pressure());
  runner_.run(*stages_.centre);

  // V' = V + dt (f - nabla p)
  stages_.correct.set(dt);
  runner_.run(*stages_.correct);
  stages_.V.advance();
  global_.reduce(stages_.correct->accumulators());

  report.iterations = solved.iterations;
  report.residual = solved.residual;
  report.capped = solved.capped;
  report.courant =
      std::max({lid_speed_ * dt / stages_.smallest, stages_.crossing.fastest * dt, global_.value(2) * dt});
  report.max_change = global_.value(0);
  if (!std::isfinite(report.max_change)) report_loss(report);
  clock_ = {report.time, global_.value(1), report.step};
  return report;
}

}  // namespace sc::cavity
