// SPDX-License-Identifier: Apache-2.0
// The time step: the classical Runge-Kutta method over rates that are computed axis by axis, then the filter.
#include "solvers/compressible/gas_solver.hpp"

namespace sc::compressible {

template <bool viscous, class Real>
StepReport GasSolver<viscous, Real>::step() {
  runner_.begin_step();
  double courant = 0;
  const double dt = choose_step(courant);

  run_rates();                                   // k1 of q_n
  runner_.run(stages_.first, {dt, 0.5, gas_});   // q_n + dt/2 k1
  run_rates();                                   // k2
  runner_.run(stages_.middle, {dt, 0.5, gas_});  // q_n + dt/2 k2
  run_rates();                                   // k3
  runner_.run(stages_.middle, {dt, 1, gas_});    // q_n + dt k3
  run_rates();                                   // k4
  runner_.run(stages_.last, {dt, 0, gas_});      // q_n + dt/6 (k1 + 2 k2 + 2 k3 + k4)
  Stage* last = &stages_.last;

  if (filters_) {
    run_filters();
    runner_.run(stages_.decode, {gas_});
    last = &stages_.decode;
  }
  clock_.time += dt;
  clock_.steps += 1;
  check_state(*last);
  return {clock_.steps, clock_.time, dt, courant};
}

template <bool viscous, class Real>
void GasSolver<viscous, Real>::run_rates() {
  run_gradients();              // d u_i / d x_a
  runner_.run(stages_.flux_x);  // dq/dt = - d F_x ...
  runner_.run(stages_.flux_y);  //         - d F_y ...
  runner_.run(stages_.flux_z);  //         - d F_z
  if (forced_)                  //         + sqrt(rho) f
    runner_.run(forced_->push, forced_->forcing.of_state(fields_.s, global_));
}

template <bool viscous, class Real>
void GasSolver<viscous, Real>::run_gradients() {
  runner_.run(stages_.gradient_x);
  runner_.run(stages_.gradient_y);
  runner_.run(stages_.gradient_z);
}

template <bool viscous, class Real>
void GasSolver<viscous, Real>::run_filters() {
  for (Stage* filter : {static_cast<Stage*>(&filters_->x), static_cast<Stage*>(&filters_->y),
                        static_cast<Stage*>(&filters_->z)}) {
    runner_.run(*filter);
    fields_.q.advance();
  }
}

template StepReport GasSolver<false, float>::step();
template StepReport GasSolver<true, float>::step();
template StepReport GasSolver<false, double>::step();
template StepReport GasSolver<true, double>::step();
template void GasSolver<false, float>::run_gradients();
template void GasSolver<true, float>::run_gradients();
template void GasSolver<false, double>::run_gradients();
template void GasSolver<true, double>::run_gradients();

}  // namespace sc::compressible
