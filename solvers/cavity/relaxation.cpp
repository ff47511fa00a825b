// SPDX-License-Identifier: Apache-2.0
// Sweeps of relaxation: Jacobi, and over-relaxation in colours.
#include "solvers/cavity/poisson_stages.hpp"

namespace sc::cavity {

template <class Points>
constexpr double relaxation_flops = 3.0 * Points::neighbours + 4;

template <class Real, class Points>
std::unique_ptr<Stage> jacobi(PoissonLevel<Real, Points>& l, double omega) {
  return stage_of("jacobi", JacobiSweep<Real, Points>{Real(omega)},
                  SweepOptions{.flops = relaxation_flops<Points>}, writes(l.x.next()),
                  reads(l.x.now(), Points::reach), reads(l.b.now()),
                  reads(l.a.now(), Points::coefficient_reach), reads(l.inverse_diagonal.now()));
}

template <class Real, class Points>
std::unique_ptr<Stage> over_relaxation(PoissonLevel<Real, Points>& l, double omega) {
  return stage_of("sor", RelaxationSweep<Real, Points>{Real(omega)},
                  SweepOptions{.colours = Points::colours, .flops = relaxation_flops<Points>},
                  updates(l.x.now(), Points::reach), reads(l.b.now()),
                  reads(l.a.now(), Points::coefficient_reach), reads(l.inverse_diagonal.now()));
}

template std::unique_ptr<Stage> jacobi(PoissonLevel<double, SevenPoints<double, false>>&, double);
template std::unique_ptr<Stage> jacobi(PoissonLevel<double, SevenPoints<double, true>>&, double);
template std::unique_ptr<Stage> jacobi(PoissonLevel<double, NineteenPoints<double>>&, double);
template std::unique_ptr<Stage> jacobi(PoissonLevel<float, SevenPoints<float, false>>&, double);
template std::unique_ptr<Stage> jacobi(PoissonLevel<float, SevenPoints<float, true>>&, double);
template std::unique_ptr<Stage> jacobi(PoissonLevel<float, NineteenPoints<float>>&, double);
template std::unique_ptr<Stage> over_relaxation(PoissonLevel<double, SevenPoints<double, false>>&, double);
template std::unique_ptr<Stage> over_relaxation(PoissonLevel<double, SevenPoints<double, true>>&, double);
template std::unique_ptr<Stage> over_relaxation(PoissonLevel<double, NineteenPoints<double>>&, double);
template std::unique_ptr<Stage> over_relaxation(PoissonLevel<float, SevenPoints<float, false>>&, double);
template std::unique_ptr<Stage> over_relaxation(PoissonLevel<float, SevenPoints<float, true>>&, double);
template std::unique_ptr<Stage> over_relaxation(PoissonLevel<float, NineteenPoints<float>>&, double);

}  // namespace sc::cavity
