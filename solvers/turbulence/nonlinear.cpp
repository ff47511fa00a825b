// SPDX-License-Identifier: Apache-2.0
// The nonlinear term of a step: forcing, shifted points, dt. products.cpp has the products of one evaluation.
#include <algorithm>

#include "solvers/turbulence/solver.hpp"
#include "solvers/turbulence/stages.hpp"

namespace sc::turbulence {

/// v <- N(v) + c v in the forced modes
void Turbulence::nonlinear(const Evaluation& how) {
  forcing_.hold(v_);
  const bool speed = how.choose_dt && options_.courant > 0;
  if (options_.dealiasing == Dealiasing::two_thirds)
    evaluate({how.next, how.keep, speed});
  else
    evaluate_twice({how.next, how.keep, speed});
  forcing_.add(v_);
  if (speed) choose_dt();
}

/// v <- the mean of N(v) on the points and on points shifted by half a spacing
void Turbulence::evaluate_twice(const Evaluation& how) {
  const SweepOptions flops{.flops = has_scalar() ? 32.0 : 24.0};
  ModeSweep shift("shift", Shifted{half_spacing()}, flops, writes(*held_), reads(v_));
  ModeSweep exchange("exchange", Exchange{}, {}, updates(v_), updates(*held_));
  ModeSweep average("average", Averaged{half_spacing()}, flops, updates(v_), reads(*held_));
  store_->run(shift);
  evaluate({exchange, how.keep, how.choose_dt});
  store_->run(exchange);
  evaluate({average});
  store_->run(average, &how.next);
}

/// dt from the Courant number and the speeds of the step's first evaluation.
void Turbulence::choose_dt() {
  const double per_time = speed_.value();
  dt_ = per_time > 0 ? std::min(options_.dt, options_.courant / per_time) : options_.dt;
  tabulate();
}

AnyField& Turbulence::nonlinear_term() {
  ModeSweep copy("copy", Copy{}, {}, writes(term()), reads(v_));
  ModeSweep exchange("exchange", Exchange{}, {}, updates(v_), updates(term()));
  ModeSweep project("project", Projected{projection()}, {}, updates(term()));
  runner_.run(copy);
  nonlinear({.next = copy});
  runner_.run(exchange);
  runner_.run(project);
  return term();
}

}  // namespace sc::turbulence
