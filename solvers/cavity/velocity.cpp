// SPDX-License-Identifier: Apache-2.0
// The stages that change the velocity, and the limits of the time step.
#include "solvers/cavity/kernels.hpp"
#include "solvers/cavity/sweeps.hpp"

namespace sc::cavity {

namespace {

template <bool mixed, class Real>
auto accelerate(Flow<Real>& w, Mesh<Real>& m, double nu, double alpha) {
  return stage_of("accelerate", Accelerate<Real, mixed>{Real(nu), Real(alpha)},
                  SweepOptions{.flops = mixed ? 330.0 : 205.0}, writes(w.f.now()),
                  reads(w.V.now(), mixed ? star(2) | box(1) : star(2)), reads(m.J.now()),
                  reads(m.conv().now()), reads(m.face.now(), star(1)),
                  reads(m.edge.now(), mixed ? box(1) : point));
}

template <class Real>
Limits<Real> limits_of(const CavityOptions& o) {
  return {Real(o.nu()), Real(o.alpha()), Real(stability_limit / o.courant)};
}

template <bool to_mean, class Next, class Real>
SetStage<double> correct(const char* name, const Next& next, Flow<Real>& w, Mesh<Real>& m,
                         const CavityOptions& o) {
  using Kernel = Correct<Real, to_mean>;
  auto stage = stage_of(name, Kernel{}, SweepOptions{.reduce = Reduce::max, .flops = to_mean ? 81.0 : 75.0},
                        next, reads(w.V.now()), reads(w.f.now()), reads(w.p.now(), star(1)),
                        reads(m.grad.now()), reads(m.conv().now()));
  return set_stage<double>(std::move(stage), [limits = limits_of<Real>(o)](double dt) {
    return Kernel{Real(dt), limits};
  });
}

}  // namespace

template <class Real>
std::unique_ptr<Stage> accelerate_stage(Flow<Real>& w, Mesh<Real>& m, double nu, double alpha) {
  if (m.orthogonal()) return accelerate<false>(w, m, nu, alpha);
  return accelerate<true>(w, m, nu, alpha);
}

template <class Real>
SetStage<double> correct_stage(Flow<Real>& w, Mesh<Real>& m, const CavityOptions& o, bool to_mean) {
  if (to_mean) return correct<true>("correct halfway", updates(w.V.next()), w, m, o);
  return correct<false>("correct", writes(w.V.next()), w, m, o);
}

template <class Real>
std::unique_ptr<Stage> limits_stage(Flow<Real>& w, Mesh<Real>& m, const CavityOptions& o) {
  return stage_of("limits", limits_of<Real>(o), SweepOptions{.reduce = Reduce::max}, reads(w.V.now()),
                  reads(m.grad.now()), reads(m.conv().now()));
}

template std::unique_ptr<Stage> accelerate_stage(Flow<double>&, Mesh<double>&, double, double);
template SetStage<double> correct_stage(Flow<double>&, Mesh<double>&, const CavityOptions&, bool);
template std::unique_ptr<Stage> limits_stage(Flow<double>&, Mesh<double>&, const CavityOptions&);
template std::unique_ptr<Stage> accelerate_stage(Flow<float>&, Mesh<float>&, double, double);
template SetStage<double> correct_stage(Flow<float>&, Mesh<float>&, const CavityOptions&, bool);
template std::unique_ptr<Stage> limits_stage(Flow<float>&, Mesh<float>&, const CavityOptions&);

}  // namespace sc::cavity
