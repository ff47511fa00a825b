// SPDX-License-Identifier: Apache-2.0
// The residual of the finest level and its size, in the convergence tests.
#include "solvers/cavity/poisson_stages.hpp"

namespace sc::cavity {

template <class Real, class Points>
std::unique_ptr<Stage> residual_size(PoissonLevel<Real, Points>& l, Field<Real>& scale) {
  return stage_of("residual size", ResidualSize<Real, Points>{}, SweepOptions{.reduce = Reduce::max},
                  reads(l.x.now(), Points::reach), reads(l.b.now()),
                  reads(l.a.now(), Points::coefficient_reach), reads(scale.now()));
}

template <class Real, class Points>
std::unique_ptr<Stage> residual_into(PoissonLevel<Real, Points>& z, PoissonLevel<Real, Points>& l,
                                     Field<Real>& scale) {
  return stage_of("residual", Residual<Real, Points>{}, SweepOptions{.reduce = Reduce::max},
                  writes(z.b.now()), reads(l.x.now(), Points::reach), reads(l.b.now()),
                  reads(z.a.now(), Points::coefficient_reach), reads(scale.now()));
}

template std::unique_ptr<Stage> residual_size(PoissonLevel<double, SevenPoints<double, false>>&,
                                              Field<double>&);
template std::unique_ptr<Stage> residual_size(PoissonLevel<double, SevenPoints<double, true>>&,
                                              Field<double>&);
template std::unique_ptr<Stage> residual_size(PoissonLevel<double, NineteenPoints<double>>&, Field<double>&);
template std::unique_ptr<Stage> residual_size(PoissonLevel<float, SevenPoints<float, false>>&, Field<float>&);
template std::unique_ptr<Stage> residual_size(PoissonLevel<float, SevenPoints<float, true>>&, Field<float>&);
template std::unique_ptr<Stage> residual_size(PoissonLevel<float, NineteenPoints<float>>&, Field<float>&);
template std::unique_ptr<Stage> residual_into(PoissonLevel<double, SevenPoints<double, false>>&,
                                              PoissonLevel<double, SevenPoints<double, false>>&,
                                              Field<double>&);
template std::unique_ptr<Stage> residual_into(PoissonLevel<double, SevenPoints<double, true>>&,
                                              PoissonLevel<double, SevenPoints<double, true>>&,
                                              Field<double>&);
template std::unique_ptr<Stage> residual_into(PoissonLevel<double, NineteenPoints<double>>&,
                                              PoissonLevel<double, NineteenPoints<double>>&, Field<double>&);
template std::unique_ptr<Stage> residual_into(PoissonLevel<float, SevenPoints<float, false>>&,
                                              PoissonLevel<float, SevenPoints<float, false>>&, Field<float>&);
template std::unique_ptr<Stage> residual_into(PoissonLevel<float, SevenPoints<float, true>>&,
                                              PoissonLevel<float, SevenPoints<float, true>>&, Field<float>&);
template std::unique_ptr<Stage> residual_into(PoissonLevel<float, NineteenPoints<float>>&,
                                              PoissonLevel<float, NineteenPoints<float>>&, Field<float>&);

}  // namespace sc::cavity
