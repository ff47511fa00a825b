// SPDX-License-Identifier: Apache-2.0
// The stages around the pressure equation: its right-hand side, and the mean of its solution.
#include "solvers/cavity/conditions.hpp"
#include "solvers/cavity/kernels.hpp"

namespace sc::cavity {

template <class Real>
SetStage<StepTimes> flux_stage(Flow<Real>& w, Mesh<Real>& m, const CavityOptions& o) {
  auto stage = stage_of("flux", Flux<Real>{}, SweepOptions{.flops = 30}, writes(w.Q.now()),
                        reads(w.V.now(), star(1)), reads(w.f.now()), reads(m.J.now()), reads(m.grad.now()));
  return set_stage<StepTimes>(std::move(stage), [&w, &m, o, walls = o.walls()](const StepTimes& times) {
    set_face_fluxes(w, m, o, times);
    return Flux<Real>{Real(1 / times.tau), walls};
  });
}

template <class Real>
std::unique_ptr<Stage> source_stage(Flow<Real>& w, Field<Real>& b) {
  return stage_of("source", Source<Real>{}, SweepOptions{.reduce = Reduce::sum, .flops = 15}, writes(b.now()),
                  reads(w.Q.now(), star(1)));
}

template <class Real>
std::unique_ptr<Stage> mean_stage(Field<Real>& x, Mesh<Real>& m) {
  return stage_of("mean pressure", MeanOf<Real>{}, SweepOptions{.reduce = Reduce::sum, .flops = 1},
                  reads(x.now()), reads(m.J.now()));
}

template <class Real>
SetStage<double> centre_stage(Flow<Real>& w, Field<Real>& x) {
  auto stage = stage_of("centre pressure", Centre<Real>{}, SweepOptions{.flops = 1}, updates(x.now()),
                        writes(w.p.now()));
  return set_stage<double>(std::move(stage), [](double mean) { return Centre<Real>{Real(mean)}; });
}

template SetStage<StepTimes> flux_stage(Flow<double>&, Mesh<double>&, const CavityOptions&);
template std::unique_ptr<Stage> source_stage(Flow<double>&, Field<double>&);
template std::unique_ptr<Stage> mean_stage(Field<double>&, Mesh<double>&);
template SetStage<double> centre_stage(Flow<double>&, Field<double>&);
template SetStage<StepTimes> flux_stage(Flow<float>&, Mesh<float>&, const CavityOptions&);
template std::unique_ptr<Stage> source_stage(Flow<float>&, Field<float>&);
template std::unique_ptr<Stage> mean_stage(Field<float>&, Mesh<float>&);
template SetStage<double> centre_stage(Flow<float>&, Field<float>&);

}  // namespace sc::cavity
