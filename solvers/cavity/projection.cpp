// SPDX-License-Identifier: Apache-2.0
// The stages of generalised conjugate residuals.
#include "solvers/cavity/poisson_stages.hpp"

namespace sc::cavity {

template <class Points>
Krylov<Points>::Krylov(PoissonLevel<Points>& l, PoissonLevel<Points>& z, Field<Real>& scale)
    : d(l.grid, "direction", {.space = l.space}),
      q(l.grid, "A direction", {.space = l.space}),
      w(l.grid, "A correction", {.space = l.space}),
      project(stage_of("project", ApplyAndProject<Real, Points>{}, SweepOptions{.reduce = Reduce::sum},
                       writes(w.now()), reads(z.x.now(), Points::reach), reads(q.now()), reads(z.b.now()),
                       reads(z.a.now(), Points::coefficient_reach))),
      advance(set_stage<Factors>(
          stage_of("advance", Advance<Real>{}, SweepOptions{.reduce = Reduce::max}, updates(d.now()),
                   updates(q.now()), updates(l.x.now()), updates(z.b.now()), reads(z.x.now()), reads(w.now()),
                   reads(scale.now())),
          [](const Factors& f) {
            return Advance<Real>{Real(f.alpha), Real(f.beta)};
          })) {}

template struct Krylov<SevenPoints<double, false>>;
template struct Krylov<SevenPoints<double, true>>;
template struct Krylov<NineteenPoints<double>>;
template struct Krylov<SevenPoints<float, false>>;
template struct Krylov<SevenPoints<float, true>>;
template struct Krylov<NineteenPoints<float>>;

}  // namespace sc::cavity
