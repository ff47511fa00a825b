// SPDX-License-Identifier: Apache-2.0
// What is computed once for each level: the inverse diagonal, and which axes are strongly coupled.
#include "engine/subcurrent.hpp"
#include "solvers/cavity/levels.hpp"

namespace sc::cavity {

template <class Real, class Points>
void finish_level(PoissonLevel<Real, Points>& level, Runner& runner) {
  Sweep diagonal("inverse diagonal", InverseDiagonal<Real, Points>{}, SweepOptions{.reduce = Reduce::max},
                 writes(level.inverse_diagonal.now()), reads(level.a.now(), Points::coefficient_reach));
  runner.run(diagonal);
  level.lambda = GlobalValue(level.grid.context()).reduce(diagonal.accumulators());
}

template <class Real, class Points>
std::array<double, 3> largest_couplings(PoissonLevel<Real, Points>& level, Runner& runner) {
  Sweep couplings("largest couplings", AxisCouplings<Real, Points>{}, SweepOptions{.reduce = Reduce::max},
                  reads(level.a.now(), Points::coefficient_reach));
  runner.run(couplings);
  GlobalValue largest(level.grid.context());
  largest.reduce(couplings.accumulators());
  return {largest.value(0), largest.value(1), largest.value(2)};
}

template void finish_level(PoissonLevel<double, SevenPoints<double, false>>&, Runner&);
template void finish_level(PoissonLevel<double, SevenPoints<double, true>>&, Runner&);
template void finish_level(PoissonLevel<double, NineteenPoints<double>>&, Runner&);
template void finish_level(PoissonLevel<float, SevenPoints<float, false>>&, Runner&);
template void finish_level(PoissonLevel<float, SevenPoints<float, true>>&, Runner&);
template void finish_level(PoissonLevel<float, NineteenPoints<float>>&, Runner&);
template std::array<double, 3> largest_couplings(PoissonLevel<double, SevenPoints<double, false>>&, Runner&);
template std::array<double, 3> largest_couplings(PoissonLevel<double, SevenPoints<double, true>>&, Runner&);
template std::array<double, 3> largest_couplings(PoissonLevel<double, NineteenPoints<double>>&, Runner&);
template std::array<double, 3> largest_couplings(PoissonLevel<float, SevenPoints<float, false>>&, Runner&);
template std::array<double, 3> largest_couplings(PoissonLevel<float, SevenPoints<float, true>>&, Runner&);
template std::array<double, 3> largest_couplings(PoissonLevel<float, NineteenPoints<float>>&, Runner&);

}  // namespace sc::cavity
