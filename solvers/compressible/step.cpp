// SPDX-License-Identifier: Apache-2.0
// The time step: the classical Runge-Kutta method over rates that are computed axis by axis, then the filter.
#include "solvers/compressible/solver.hpp"

namespace sc::compressible {

StepReport Compressible::step() {
  runner_.begin_step();
  double courant = 0;
  const double dt = choose_step(courant);

  stages_.set_step(dt);
  run_rates();                   // k1 of q_n
  runner_.run(*stages_.first);   // q_n + dt/2 k1
  run_rates();                   // k2
  runner_.run(*stages_.second);  // q_n + dt/2 k2
  run_rates();                   // k3
  runner_.run(*stages_.third);   // q_n + dt k3
  run_rates();                   // k4
  runner_.run(*stages_.last);    // q_n + dt/6 (k1 + 2 k2 + 2 k3 + k4)
  Stage* last = stages_.last.get();

  if (stages_.filters[0]) {
    run_filters();
    runner_.run(*stages_.decode);
    last = stages_.decode.get();
  }
  clock_.time += dt;
  clock_.steps += 1;
  check_state(*last);
  return {clock_.steps, clock_.time, dt, courant};
}

void Compressible::run_rates() {
  run_gradients();                                                // d u_i / d x_a
  for (const StageOf& flux : stages_.fluxes) runner_.run(*flux);  // dq/dt = - d F_x - d F_y - d F_z
  if (!stages_.push) return;
  stages_.set_force(global_);
  runner_.run(*stages_.push);  //         + sqrt(rho) f
}

void Compressible::run_gradients() {
  for (const StageOf& gradient : stages_.gradients) runner_.run(*gradient);
}

void Compressible::run_filters() {
  for (const StageOf& filter : stages_.filters) {
    runner_.run(*filter);
    stages_.q.advance();
  }
}

}  // namespace sc::compressible
