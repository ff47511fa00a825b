// SPDX-License-Identifier: Apache-2.0
// Turbulence, one step; low_storage.cpp has that of third order. Viscosity by the integrating factor e =
// exp(-nu k^2 dt / 2); fourth order:
//
//   k1 = N(u)                 v = e (u + dt/2 k1)
//   k2 = N(v)                 v = e u + dt/2 k2
//   k3 = N(v)                 v = e^2 u + dt e k3
//   k4 = N(v)                 u = e^2 u + dt/6 (e^2 k1 + 2 e (k2 + k3) + k4)
//
// A scalar, with e = exp(-kappa k^2 dt / 2), is the fourth component of all these: N is then also
// - i k . F(theta u) - G . u.
#include "solvers/turbulence/solver.hpp"
#include "solvers/turbulence/stages.hpp"

namespace sc::turbulence {

StepReport Turbulence::step() {
  runner_.begin_step();
  transforms_->begin_step();
  options_.scheme == Scheme::rk4 ? runge_kutta_4() : low_storage_3();
  clock_.steps += 1;
  clock_.time += dt_;
  return {.step = clock_.steps, .time = clock_.time, .dt = dt_};
}

void Turbulence::runge_kutta_4() {
  constexpr Powers none{0, 0, 0};
  const auto one = [](double a) { return Powers{a, 0, 0}; };
  const auto e = [](double a) { return Powers{0, a, 0}; };
  const auto e2 = [](double a) { return Powers{0, 0, a}; };
  const Projection project = projection();
  const SweepOptions flops{.flops = has_scalar() ? 92.0 : 70.0};

  ModeSweep first("stage", Stage123{}, flops, updates(v_), writes(*sum_), reads(*u_));
  ModeSweep middle("stage", Stage23{}, flops, updates(v_), updates(*sum_), reads(*u_));
  ModeSweep last("last stage", Stage4{}, flops, updates(v_), reads(*sum_));
  // v = e (u + dt/2 k1),   sum = e^2 (u + dt/6 k1)
  nonlinear({.next = first, .keep = true, .choose_dt = true});
  const double dt = dt_;
  first.set(Stage123{project, decay(0), e(1), e(dt / 2), e2(1), e2(dt / 6)});
  store_->run(first);
  // v = e u + dt/2 k2,     sum += e dt/3 k2
  nonlinear({.next = middle});
  middle.set(Stage23{{project, decay(0), e(1), one(dt / 2), none, e(dt / 3)}});
  store_->run(middle);
  // v = e^2 u + dt e k3,   sum += e dt/3 k3
  nonlinear({.next = middle});
  middle.set(Stage23{{project, decay(0), e2(1), e(dt), none, e(dt / 3)}});
  store_->run(middle);
  // v = sum + dt/6 k4
  nonlinear({.next = last});
  last.set(Stage4{project, dt / 6});
  store_->run(last);
}

}  // namespace sc::turbulence
