// SPDX-License-Identifier: Apache-2.0
// Turbulence, one step: fourth-order Runge-Kutta, viscosity by the integrating factor e = exp(-nu k^2 dt /
// 2).
//
//   k1 = N(u)                 v = e (u + dt/2 k1)
//   k2 = N(v)                 v = e u + dt/2 k2
//   k3 = N(v)                 v = e^2 u + dt e k3
//   k4 = N(v)                 u = e^2 u + dt/6 (e^2 k1 + 2 e (k2 + k3) + k4)
#include "solvers/turbulence/solver.hpp"

namespace sc::turbulence {

/// N before its projection: six transforms to the points, three back; the modes are those that two thirds
/// keep.
void Turbulence::nonlinear() {
  // w = i k x v
  Sweep curl("curl", Curl{wavenumbers()}, SweepOptions{.flops = 18}, writes(n_.now()), reads(v_.now()));
  runner_.run(curl);
  fft_.backward(v_.now(), velocity_.now());
  fft_.backward(n_.now(), vorticity_.now());
  // w <- v x w
  Sweep cross("cross product", Cross{}, SweepOptions{.flops = 9}, updates(vorticity_.now()),
              reads(velocity_.now()));
  runner_.run(cross);
  fft_.forward(vorticity_.now(), n_.now());
  forcing_.add(n_.now(), v_.now());
}

StepReport Turbulence::step() {
  const double dt = options_.dt;
  const Projection project{wavenumbers()};
  constexpr Powers none{0, 0, 0};
  const auto one = [](double a) { return Powers{a, 0, 0}; };
  const auto e = [](double a) { return Powers{0, a, 0}; };
  const auto e2 = [](double a) { return Powers{0, 0, a}; };

  Sweep stage("stage", Stage123{project, none, none, none, none, 0}, SweepOptions{.flops = 70},
              writes(v_.now()), updates(sum_.now()), reads(u_.now()), reads(n_.now()), reads(decay_.now()));
  nonlinear();
  runner_.run(stage, Stage123{project, e(1), e(dt / 2), e2(1), e2(dt / 6), 0});
  nonlinear();
  runner_.run(stage, Stage123{project, e(1), one(dt / 2), none, e(dt / 3), 1});
  nonlinear();
  runner_.run(stage, Stage123{project, e2(1), e(dt), none, e(dt / 3), 1});
  nonlinear();
  Sweep last("last stage", Stage4{project, dt / 6}, SweepOptions{.flops = 40}, writes(u_.now()),
             writes(v_.now()), reads(sum_.now()), reads(n_.now()));
  runner_.run(last);
  clock_.steps += 1;
  clock_.time += dt;
  return {.step = clock_.steps, .time = clock_.time, .dt = dt};
}

Field<Mode, 3>& Turbulence::nonlinear_term() {
  nonlinear();
  Sweep project("project", Projected{{wavenumbers()}}, writes(sum_.now()), reads(n_.now()));
  runner_.run(project);
  return sum_;  // free between steps
}

}  // namespace sc::turbulence
