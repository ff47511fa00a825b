// SPDX-License-Identifier: Apache-2.0
// Transfer between levels: couplings of the coarser one, restriction of the residual, prolongation of x.
#include "engine/subcurrent.hpp"
#include "solvers/cavity/levels.hpp"

namespace sc::cavity {

namespace {

using Ratios = std::array<const double*, 3>;
template <class Real, bool given>
auto coarsening(SevenPoints<Real, given>, const Children& children, const Ratios& ratios) {
  return CoarsenSeven<Real, given>{children, ratios};
}
template <class Real>
auto coarsening(NineteenPoints<Real>, const Children& children, const Ratios& ratios) {
  return CoarsenNineteen<Real>{children, ratios};
}

}  // namespace

template <class Points>
void Transfer<Points>::set_couplings(Level& fine, Level& coarse, Int3 factor, const Ratios& ratios,
                                     Runner& runner) {
  Sweep couplings("coarse couplings", coarsening(Points{}, Children{factor, fine.grid.cells()}, ratios),
                  writes(coarse.a.now()), reads(fine.a.now(), refine(2, box(1))));
  runner.run(couplings);
}

template <class Points>
std::unique_ptr<Stage> Transfer<Points>::restrict_residual(Level& fine, Level& coarse, Int3 factor) {
  return stage_of("restrict", Restrict<typename Points::Real>{{factor, fine.grid.cells()}},
                  writes(coarse.b.now()), reads(fine.r.now(), refine(2, box(1))));
}

template <class Points>
std::unique_ptr<Stage> Transfer<Points>::prolong(Level& fine, Level& coarse, Int3 factor) {
  const auto of = [](const Level& l) -> std::array<const double*, 3> {
    return {l.centres[0].data(), l.centres[1].data(), l.centres[2].data()};
  };
  const Centres centres{of(fine),    of(coarse), factor, coarse.grid.cells(), coarse.grid.periodic(),
                        coarse.given};
  return stage_of("prolong", Prolong<typename Points::Real>{centres}, updates(fine.x.now()),
                  reads(coarse.x.now(), coarsen(2, box(1))));
}

template struct Transfer<SevenPoints<double, false>>;
template struct Transfer<SevenPoints<double, true>>;
template struct Transfer<NineteenPoints<double>>;
template struct Transfer<SevenPoints<float, false>>;
template struct Transfer<SevenPoints<float, true>>;
template struct Transfer<NineteenPoints<float>>;

}  // namespace sc::cavity
