// SPDX-License-Identifier: Apache-2.0
// The time step: forward Euler, both fields in one sweep.
#include "solvers/dendrite/phase_solver.hpp"

namespace sc::dendrite {

template <class Real, bool noisy, bool turned>
StepReport PhaseSolver<Real, noisy, turned>::steps(int n) {
  runner_.steps(n, [this](int) { step_once(); });
  return {.step = clock_.steps, .time = clock_.time, .dt = dt_};
}

template <class Real, bool noisy, bool turned>
void PhaseSolver<Real, noisy, turned>::step_once() {
  runner_.begin_step();
  // phi'   = phi + dt M [div(eps^2 grad phi + eps deps/d(grad phi) |grad phi|^2)
  //                      + 4 W phi (1 - phi) (phi - 1/2 + beta(T) + a chi)]
  // theta' = theta + dt kappa lap theta + (L / C) (h(phi') - h(phi))
  advance_.set({coefficients_of<Real>(options_, dt_, clock_.steps)});
  runner_.run(advance_);
  fields_.advance();

  clock_.steps += 1;
  clock_.time += dt_;
}

#define SC_STEP(Real, noisy, turned) template StepReport PhaseSolver<Real, noisy, turned>::steps(int n);
SC_STEP(float, false, false)
SC_STEP(float, false, true)
SC_STEP(float, true, false)
SC_STEP(float, true, true)
SC_STEP(double, false, false)
SC_STEP(double, false, true)
SC_STEP(double, true, false)
SC_STEP(double, true, true)
#undef SC_STEP

}  // namespace sc::dendrite
