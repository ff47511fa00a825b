// SPDX-License-Identifier: Apache-2.0
// The time step of the cavity: forward Euler, pressure from the divergence it must remove (the MAC method).
#include <algorithm>
#include <cmath>

#include "solvers/cavity/flow_solver.hpp"

namespace sc::cavity {

template <class Real, bool mixed>
StepReport FlowSolver<Real, mixed>::step() {
  Runner& runner = *runner_;
  runner.begin_step();
  Flow<Real>& w = flow_;
  const double dt = stable_step();
  const Walls walls{grid().cells(), grid().periodic()};
  StepReport report{.step = clock_.steps + 1, .time = clock_.time + dt, .dt = dt};

  // f = nu nabla^2 V - (V . nabla) V
  runner.run(stages_.accelerate, {Real(nu()), Real(alpha())});

  // Q = J nabla xi . (V / dt + f);  b = J (nabla . V / dt + nabla . f)
  runner.run(stages_.flux, {Real(1 / dt), walls});
  runner.run(stages_.source);
  global_.start(stages_.source.accumulators());

  // nabla^2 p = nabla . V / dt + nabla . f
  const Solved solved = poisson_->solve();
  report.source_balance = std::abs(global_.value(0)) / std::max(global_.value(1), 1e-300);

  // p - its mean over the volume
  runner.run(stages_.mean);
  global_.reduce(stages_.mean.accumulators());
  runner.run(stages_.centre, {Real(global_.value(0) / global_.value(1))});

  // V' = V + dt (f - nabla p)
  runner.run(stages_.correct, {Real(dt), Real(nu()), Real(alpha())});
  w.V.advance();
  global_.reduce(stages_.correct.accumulators());

  report.iterations = solved.iterations;
  report.residual = solved.residual;
  report.capped = solved.capped;
  report.courant = lid_speed_ * dt / mesh_->smallest();
  report.max_change = global_.value(0);
  if (!std::isfinite(report.max_change)) report_loss(report);
  clock_ = {report.time, global_.value(1), report.step};
  return report;
}

template StepReport FlowSolver<double, false>::step();
template StepReport FlowSolver<double, true>::step();
template StepReport FlowSolver<float, false>::step();
template StepReport FlowSolver<float, true>::step();

}  // namespace sc::cavity
