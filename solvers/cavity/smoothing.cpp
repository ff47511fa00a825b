// SPDX-License-Identifier: Apache-2.0
// The stages of a level in a cycle: Chebyshev smoothing and the residual.
#include "solvers/cavity/levels.hpp"

namespace sc::cavity {

namespace {

template <class Points>
SetStage<Chebyshev> smooth_stage(PoissonLevel<Points>& l) {
  using Real = typename Points::Real;
  using Kernel = ChebyshevSweep<Real, Points>;
  auto stage = stage_of("smooth", Kernel{}, SweepOptions{.flops = 3.0 * Points::neighbours + 8},
                        updates(l.x.level(1)), reads(l.x.now(), Points::reach), reads(l.b.now()),
                        reads(l.a.now(), Points::coefficient_reach), reads(l.inverse_diagonal.now()));
  return set_stage<Chebyshev>(std::move(stage), [](const Chebyshev& c) {
    return Kernel{Real(c.momentum), Real(c.weight)};
  });
}

template <class Points>
SetStage<double> from_zero_stage(PoissonLevel<Points>& l) {
  using Real = typename Points::Real;
  auto stage = stage_of("smooth from zero", ChebyshevFromZero<Real>{}, writes(l.x.level(1)),
                        writes(l.x.now()), reads(l.b.now()), reads(l.inverse_diagonal.now()));
  return set_stage<double>(std::move(stage),
                           [](double weight) { return ChebyshevFromZero<Real>{Real(weight)}; });
}

template <class Points>
std::unique_ptr<Stage> residual_stage(PoissonLevel<Points>& l) {
  return stage_of("residual", ResidualAlone<typename Points::Real, Points>{}, writes(l.r.now()),
                  reads(l.x.now(), Points::reach), reads(l.b.now()),
                  reads(l.a.now(), Points::coefficient_reach));
}

}  // namespace

template <class Points>
LevelSweeps<Points>::LevelSweeps(PoissonLevel<Points>& level)
    : smooth(smooth_stage(level)), from_zero(from_zero_stage(level)), residual(residual_stage(level)) {}

template struct LevelSweeps<SevenPoints<double, false>>;
template struct LevelSweeps<SevenPoints<double, true>>;
template struct LevelSweeps<NineteenPoints<double>>;
template struct LevelSweeps<SevenPoints<float, false>>;
template struct LevelSweeps<SevenPoints<float, true>>;
template struct LevelSweeps<NineteenPoints<float>>;

}  // namespace sc::cavity
