// SPDX-License-Identifier: Apache-2.0
// The residual of the finest level and its size, in the convergence tests.
#include "solvers/cavity/poisson_stages.hpp"

namespace sc::cavity {

template <class Points>
std::unique_ptr<Stage> residual(PoissonLevel<Points>& l, Field<typename Points::Real>& scale,
                                PoissonLevel<Points>* z) {
  using Real = typename Points::Real;
  if (!z)
    return stage_of("residual size", ResidualSize<Real, Points>{}, SweepOptions{.reduce = Reduce::max},
                    reads(l.x.now(), Points::reach), reads(l.b.now()),
                    reads(l.a.now(), Points::coefficient_reach), reads(scale.now()));
  return stage_of("residual", Residual<Real, Points>{}, SweepOptions{.reduce = Reduce::max},
                  writes(z->b.now()), reads(l.x.now(), Points::reach), reads(l.b.now()),
                  reads(z->a.now(), Points::coefficient_reach), reads(scale.now()));
}

template std::unique_ptr<Stage> residual(PoissonLevel<SevenPoints<double, false>>&, Field<double>&,
                                         PoissonLevel<SevenPoints<double, false>>*);
template std::unique_ptr<Stage> residual(PoissonLevel<SevenPoints<double, true>>&, Field<double>&,
                                         PoissonLevel<SevenPoints<double, true>>*);
template std::unique_ptr<Stage> residual(PoissonLevel<NineteenPoints<double>>&, Field<double>&,
                                         PoissonLevel<NineteenPoints<double>>*);
template std::unique_ptr<Stage> residual(PoissonLevel<SevenPoints<float, false>>&, Field<float>&,
                                         PoissonLevel<SevenPoints<float, false>>*);
template std::unique_ptr<Stage> residual(PoissonLevel<SevenPoints<float, true>>&, Field<float>&,
                                         PoissonLevel<SevenPoints<float, true>>*);
template std::unique_ptr<Stage> residual(PoissonLevel<NineteenPoints<float>>&, Field<float>&,
                                         PoissonLevel<NineteenPoints<float>>*);

}  // namespace sc::cavity
