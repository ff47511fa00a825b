// SPDX-License-Identifier: Apache-2.0
// The stages of what is reported of a flow: its divergence, time averages, forces on faces.
#include "solvers/cavity/conditions.hpp"
#include "solvers/cavity/kernels.hpp"
#include "solvers/cavity/wall_force.hpp"

namespace sc::cavity {

template <class Real>
std::unique_ptr<Stage> divergence_stage(Flow<Real>& w, Mesh<Real>& m) {
  return stage_of("divergence", Divergence<Real>{}, SweepOptions{.reduce = Reduce::sum},
                  reads(w.V.now(), star(1)), reads(m.J.now()), reads(m.grad.now()));
}

template <class Real>
SetStage<double> average_stage(Averages& mean, Flow<Real>& w) {
  return set_stage<double>(stage_of("average", Average<Real>{}, SweepOptions{.flops = 45},
                                    updates(mean.V.now()), updates(mean.stress.now()), updates(mean.p.now()),
                                    reads(w.V.now()), reads(w.p.now())));
}

namespace {

template <class Real>
auto force_stage(Flow<Real>& w, Mesh<Real>& m, const WallForce<Real>& kernel) {
  return stage_of("wall force", kernel, SweepOptions{.reduce = Reduce::sum}, reads(w.V.now(), star(2)),
                  reads(w.p.now(), star(1)), reads(m.x.now(), star(2) | box(1)));
}

}  // namespace

template <class Real>
std::vector<ForceOn> forces_of(Flow<Real>& w, Mesh<Real>& mesh, const CavityOptions& o) {
  std::vector<ForceOn> forces;
  for_each_face([&](Face face, std::size_t f) {
    const FaceOptions& is = o.faces[f];
    const bool slips = is.kind == FaceKind::slip, pierced = is.kind == FaceKind::inflow;
    if (!is.solid() && !slips && !(pierced && !profile_of(o, f).covers(o.size))) return;
    const WallForce<Real> kernel{face, o.nu(), o.walls(), is.motion, slips, pierced, profile_of(o, f)};
    forces.push_back({f, force_stage(w, mesh, kernel)});
  });
  return forces;
}

template std::unique_ptr<Stage> divergence_stage(Flow<double>&, Mesh<double>&);
template SetStage<double> average_stage(Averages&, Flow<double>&);
template std::vector<ForceOn> forces_of(Flow<double>&, Mesh<double>&, const CavityOptions&);
template std::unique_ptr<Stage> divergence_stage(Flow<float>&, Mesh<float>&);
template SetStage<double> average_stage(Averages&, Flow<float>&);
template std::vector<ForceOn> forces_of(Flow<float>&, Mesh<float>&, const CavityOptions&);

}  // namespace sc::cavity
