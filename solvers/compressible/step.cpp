// SPDX-License-Identifier: Apache-2.0
// The time step: the classical Runge-Kutta method over rates that are computed axis by axis, then the filter.
#include "solvers/compressible/solver.hpp"

namespace sc::compressible {

StepReport Compressible::step() {
  runner_.begin_step();
  double courant = 0;
  const double dt = dt_ = choose_step(courant);

  stages_.set_step(dt);
  worst_.clear();
  run_rates(*stages_.first);   // k1 of q_n, then q_n + dt/2 k1
  run_rates(*stages_.second);  // k2, then q_n + dt/2 k2
  run_rates(*stages_.third);   // k3, then q_n + dt k3
  run_rates(*stages_.last);    // k4, then q_n + dt/6 (k1 + 2 k2 + 2 k3 + k4)

  if (stages_.filters[0]) {
    sum_kinetic(0);
    run_filters();
    runner_.run(*stages_.decode);
    worst_.merge(stages_.decode->accumulators()[0]);
    sum_kinetic(1);
  }
  clock_.time += dt;
  clock_.steps += 1;
  check_state();
  return {{clock_.steps, clock_.time, dt}, courant};
}

/// Of fields in files, each stage's first slabs are read while the one before is computed.
void Compressible::run_in_turn(const std::vector<Stage*>& stages) {
  for (std::size_t n = 0; n < stages.size(); ++n)
    runner_.run(*stages[n], n + 1 < stages.size() ? stages[n + 1] : nullptr);
}

/// dq/dt, and what an update makes of it. The sums for the force travel under the rates.
void Compressible::run_rates(Stage& update) {
  const auto& [G_x, G_y, G_z] = stages_.gradients;  // d u_i / d x_a
  const auto& [F_x, F_y, F_z] = stages_.fluxes;     // dq/dt = - d F_x - d F_y - d F_z
  if (stages_.push) stages_.start_force(global_);
  std::vector<Stage*> stages;
  if (options_.gas.viscosity > 0) stages = {G_x.get(), G_y.get(), G_z.get()};  // for the stress
  stages.insert(stages.end(), {F_x.get(), F_y.get(), F_z.get()});
  if (stages_.push) {  // + sqrt(rho) f
    run_in_turn(stages);
    stages_.set_force(global_);
    stages = {stages_.push.get()};
  }
  stages.push_back(&update);
  run_in_turn(stages);
  worst_.merge(update.accumulators()[0]);
}

void Compressible::run_gradients(Stage& after) {
  const auto& [x, y, z] = stages_.gradients;
  run_in_turn({x.get(), y.get(), z.get(), &after});
}

/// Before the filter (0) and after it (1).
void Compressible::sum_kinetic(std::size_t when) {
  runner_.run(*stages_.kinetic);
  kinetic_[when] = stages_.kinetic->accumulators()[0];
}

void Compressible::run_filters() {
  for (const StageOf& filter : stages_.filters) {
    runner_.run(*filter);
    stages_.q.advance();
  }
}

}  // namespace sc::compressible
