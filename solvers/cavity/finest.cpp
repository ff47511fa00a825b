// SPDX-License-Identifier: Apache-2.0
// The couplings of the finest level, from the metrics of the mesh.
#include "engine/subcurrent.hpp"
#include "solvers/cavity/poisson_stages.hpp"

namespace sc::cavity {

namespace {

template <class Real, bool given>
auto finest_couplings(SevenPoints<Real, given>, const Walls& walls) {
  return FinestSeven<Real, given>{walls};
}
template <class Real>
auto finest_couplings(NineteenPoints<Real>, const Walls& walls) {
  return FinestNineteen<Real>{walls};
}

}  // namespace

template <class Real, class Points>
void set_finest(Mesh<Real>& mesh, const Walls& walls, PoissonLevel<Points>& level, Field<Real>& reciprocal,
                Runner& runner) {
  Sweep couplings("couplings", finest_couplings(Points{}, walls), writes(level.a.now()),
                  reads(mesh.face.now(), star(1)), reads(mesh.edge.now(), box(1)));
  Sweep volumes("reciprocal volume", Reciprocal<Real>{}, writes(reciprocal.now()), reads(mesh.J.now()));
  runner.run(couplings);
  runner.run(volumes);
}

template void set_finest(Mesh<double>&, const Walls&, PoissonLevel<SevenPoints<double, false>>&,
                         Field<double>&, Runner&);
template void set_finest(Mesh<double>&, const Walls&, PoissonLevel<SevenPoints<double, true>>&,
                         Field<double>&, Runner&);
template void set_finest(Mesh<double>&, const Walls&, PoissonLevel<NineteenPoints<double>>&, Field<double>&,
                         Runner&);
template void set_finest(Mesh<float>&, const Walls&, PoissonLevel<SevenPoints<float, false>>&, Field<float>&,
                         Runner&);
template void set_finest(Mesh<float>&, const Walls&, PoissonLevel<SevenPoints<float, true>>&, Field<float>&,
                         Runner&);
template void set_finest(Mesh<float>&, const Walls&, PoissonLevel<NineteenPoints<float>>&, Field<float>&,
                         Runner&);

}  // namespace sc::cavity
