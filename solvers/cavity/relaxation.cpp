// SPDX-License-Identifier: Apache-2.0
// Sweeps of relaxation: Jacobi, and over-relaxation in colours.
#include "solvers/cavity/poisson_stages.hpp"

namespace sc::cavity {

template <class Points>
std::unique_ptr<Stage> relaxation(PoissonLevel<Points>& l, Method method, double omega) {
  using Real = typename Points::Real;
  constexpr double flops = 3.0 * Points::neighbours + 4;
  if (method == Method::sor)
    return stage_of("sor", RelaxationSweep<Real, Points>{Real(omega)},
                    SweepOptions{.colours = Points::colours, .flops = flops},
                    updates(l.x.now(), Points::reach), reads(l.b.now()),
                    reads(l.a.now(), Points::coefficient_reach), reads(l.inverse_diagonal.now()));
  return stage_of("jacobi", JacobiSweep<Real, Points>{Real(omega)}, SweepOptions{.flops = flops},
                  writes(l.x.next()), reads(l.x.now(), Points::reach), reads(l.b.now()),
                  reads(l.a.now(), Points::coefficient_reach), reads(l.inverse_diagonal.now()));
}

template std::unique_ptr<Stage> relaxation(PoissonLevel<SevenPoints<double, false>>&, Method, double);
template std::unique_ptr<Stage> relaxation(PoissonLevel<SevenPoints<double, true>>&, Method, double);
template std::unique_ptr<Stage> relaxation(PoissonLevel<NineteenPoints<double>>&, Method, double);
template std::unique_ptr<Stage> relaxation(PoissonLevel<SevenPoints<float, false>>&, Method, double);
template std::unique_ptr<Stage> relaxation(PoissonLevel<SevenPoints<float, true>>&, Method, double);
template std::unique_ptr<Stage> relaxation(PoissonLevel<NineteenPoints<float>>&, Method, double);

}  // namespace sc::cavity
