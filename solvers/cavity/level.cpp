// SPDX-License-Identifier: Apache-2.0
// What is computed once for each level: the inverse diagonal, and which axes are strongly coupled.
#include "engine/subcurrent.hpp"
#include "solvers/cavity/levels.hpp"

namespace sc::cavity {

template <class Points>
void PoissonLevel<Points>::finish(Runner& runner) {
  Sweep diagonal("inverse diagonal", InverseDiagonal<Real, Points>{}, SweepOptions{.reduce = Reduce::max},
                 writes(inverse_diagonal.now()), reads(a.now(), Points::coefficient_reach));
  runner.run(diagonal);
  lambda = GlobalValue(grid.context()).reduce(diagonal.accumulators());
}

template <class Points>
std::array<double, 3> PoissonLevel<Points>::largest_couplings(Runner& runner) {
  Sweep couplings("largest couplings", AxisCouplings<Real, Points>{}, SweepOptions{.reduce = Reduce::max},
                  reads(a.now(), Points::coefficient_reach));
  runner.run(couplings);
  GlobalValue largest(grid.context());
  largest.reduce(couplings.accumulators());
  return {largest.value(0), largest.value(1), largest.value(2)};
}

template struct PoissonLevel<SevenPoints<double, false>>;
template struct PoissonLevel<SevenPoints<double, true>>;
template struct PoissonLevel<NineteenPoints<double>>;
template struct PoissonLevel<SevenPoints<float, false>>;
template struct PoissonLevel<SevenPoints<float, true>>;
template struct PoissonLevel<NineteenPoints<float>>;

}  // namespace sc::cavity
