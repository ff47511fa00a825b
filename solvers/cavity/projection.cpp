// SPDX-License-Identifier: Apache-2.0
// The stages of generalised conjugate residuals.
#include "solvers/cavity/poisson_stages.hpp"

namespace sc::cavity {

template <class Real, class Points>
std::unique_ptr<Stage> projection(PoissonLevel<Real, Points>& z, Krylov<Real>& k) {
  return stage_of("project", ApplyAndProject<Real, Points>{}, SweepOptions{.reduce = Reduce::sum},
                  writes(k.w.now()), reads(z.x.now(), Points::reach), reads(k.q.now()), reads(z.b.now()),
                  reads(z.a.now(), Points::coefficient_reach));
}

template <class Real, class Points>
SetStage<Factors> advance(PoissonLevel<Real, Points>& l, PoissonLevel<Real, Points>& z, Krylov<Real>& k,
                          Field<Real>& scale) {
  auto stage = stage_of("advance", Advance<Real>{}, SweepOptions{.reduce = Reduce::max}, updates(k.d.now()),
                        updates(k.q.now()), updates(l.x.now()), updates(z.b.now()), reads(z.x.now()),
                        reads(k.w.now()), reads(scale.now()));
  return set_stage<Factors>(std::move(stage), [](const Factors& f) {
    return Advance<Real>{Real(f.alpha), Real(f.beta)};
  });
}

template std::unique_ptr<Stage> projection(PoissonLevel<double, SevenPoints<double, false>>&,
                                           Krylov<double>&);
template std::unique_ptr<Stage> projection(PoissonLevel<double, SevenPoints<double, true>>&, Krylov<double>&);
template std::unique_ptr<Stage> projection(PoissonLevel<double, NineteenPoints<double>>&, Krylov<double>&);
template std::unique_ptr<Stage> projection(PoissonLevel<float, SevenPoints<float, false>>&, Krylov<float>&);
template std::unique_ptr<Stage> projection(PoissonLevel<float, SevenPoints<float, true>>&, Krylov<float>&);
template std::unique_ptr<Stage> projection(PoissonLevel<float, NineteenPoints<float>>&, Krylov<float>&);
template SetStage<Factors> advance(PoissonLevel<double, SevenPoints<double, false>>&,
                                   PoissonLevel<double, SevenPoints<double, false>>&, Krylov<double>&,
                                   Field<double>&);
template SetStage<Factors> advance(PoissonLevel<double, SevenPoints<double, true>>&,
                                   PoissonLevel<double, SevenPoints<double, true>>&, Krylov<double>&,
                                   Field<double>&);
template SetStage<Factors> advance(PoissonLevel<double, NineteenPoints<double>>&,
                                   PoissonLevel<double, NineteenPoints<double>>&, Krylov<double>&,
                                   Field<double>&);
template SetStage<Factors> advance(PoissonLevel<float, SevenPoints<float, false>>&,
                                   PoissonLevel<float, SevenPoints<float, false>>&, Krylov<float>&,
                                   Field<float>&);
template SetStage<Factors> advance(PoissonLevel<float, SevenPoints<float, true>>&,
                                   PoissonLevel<float, SevenPoints<float, true>>&, Krylov<float>&,
                                   Field<float>&);
template SetStage<Factors> advance(PoissonLevel<float, NineteenPoints<float>>&,
                                   PoissonLevel<float, NineteenPoints<float>>&, Krylov<float>&,
                                   Field<float>&);

}  // namespace sc::cavity
