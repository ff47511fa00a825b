// SPDX-License-Identifier: Apache-2.0
// The stages of a level in a cycle: Chebyshev smoothing and the residual.
#include "solvers/cavity/levels.hpp"

namespace sc::cavity {

namespace {

template <class Real, class Points>
SetStage<Chebyshev> smooth_stage(PoissonLevel<Real, Points>& l) {
  using Kernel = ChebyshevSweep<Real, Points>;
  auto stage = stage_of("smooth", Kernel{}, SweepOptions{.flops = 3.0 * Points::neighbours + 8},
                        updates(l.x.level(1)), reads(l.x.now(), Points::reach), reads(l.b.now()),
                        reads(l.a.now(), Points::coefficient_reach), reads(l.inverse_diagonal.now()));
  return set_stage<Chebyshev>(std::move(stage), [](const Chebyshev& c) {
    return Kernel{Real(c.momentum), Real(c.weight)};
  });
}

template <class Real, class Points>
SetStage<double> from_zero_stage(PoissonLevel<Real, Points>& l) {
  auto stage = stage_of("smooth from zero", ChebyshevFromZero<Real>{}, writes(l.x.level(1)),
                        writes(l.x.now()), reads(l.b.now()), reads(l.inverse_diagonal.now()));
  return set_stage<double>(std::move(stage),
                           [](double weight) { return ChebyshevFromZero<Real>{Real(weight)}; });
}

template <class Real, class Points>
std::unique_ptr<Stage> residual_stage(PoissonLevel<Real, Points>& l) {
  return stage_of("residual", ResidualAlone<Real, Points>{}, writes(l.r.now()),
                  reads(l.x.now(), Points::reach), reads(l.b.now()),
                  reads(l.a.now(), Points::coefficient_reach));
}

}  // namespace

template <class Real, class Points>
LevelSweeps<Real, Points>::LevelSweeps(PoissonLevel<Real, Points>& level)
    : smooth(smooth_stage(level)), from_zero(from_zero_stage(level)), residual(residual_stage(level)) {}

template struct LevelSweeps<double, SevenPoints<double, false>>;
template struct LevelSweeps<double, SevenPoints<double, true>>;
template struct LevelSweeps<double, NineteenPoints<double>>;
template struct LevelSweeps<float, SevenPoints<float, false>>;
template struct LevelSweeps<float, SevenPoints<float, true>>;
template struct LevelSweeps<float, NineteenPoints<float>>;

}  // namespace sc::cavity
