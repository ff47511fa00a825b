// SPDX-License-Identifier: Apache-2.0
// Fields of the flow in one precision, and the stages with their inputs and outputs.
#pragma once

#include <optional>

#include "solvers/cavity/averages.hpp"
#include "solvers/cavity/kernels.hpp"
#include "solvers/cavity/mesh.hpp"
#include "solvers/cavity/open_faces.hpp"
#include "solvers/cavity/wall_force.hpp"
#include "solvers/common/stage_of.hpp"

namespace sc::cavity {

template <class Real>
struct Flow {
  Flow(const Grid& grid, Space space)
      : V(grid, "velocity", {.levels = 2, .space = space}),
        f(grid, "acceleration", {.space = space}),
        Q(grid, "flux", {.space = space}),
        p(grid, "pressure", {.space = space}) {}
  Field<Real, 3> V;                       ///< velocity; that of walls in the first halo layer
  Field<Real, 3> f;                       ///< nu nabla^2 V - (V . nabla) V
  Field<Real, 3> Q;                       ///< J nabla xi . (V / dt + f)
  Field<Real> p;                          ///< pressure, volume mean zero unless it is given on a face
  std::optional<Field<Real, 3>> outflow;  ///< velocity on the faces of outflow, in the cells beside them
  std::optional<Field<Real, 3>> outflow_before;  ///< at the beginning of a stage of second order
  std::optional<Field<Real, 3>> outflow_begin;   ///< at the beginning of a step of second order
};

template <class Real, bool mixed>
auto accelerate_stage(Flow<Real>& w, Mesh<Real>& m, Accelerate<Real, mixed> kernel) {
  return stage_of("accelerate", kernel, SweepOptions{.flops = mixed ? 330.0 : 205.0}, writes(w.f.now()),
                  reads(w.V.now(), mixed ? star(2) | box(1) : star(2)), reads(m.J.now()),
                  reads(m.conv().now()), reads(m.face.now(), star(1)),
                  reads(m.edge.now(), mixed ? box(1) : point));
}
template <class Real>
auto flux_stage(Flow<Real>& w, Mesh<Real>& m) {
  return stage_of("flux", Flux<Real>{}, SweepOptions{.flops = 30}, writes(w.Q.now()),
                  reads(w.V.now(), star(1)), reads(w.f.now()), reads(m.J.now()), reads(m.grad.now()));
}
template <class Real>
auto source_stage(Flow<Real>& w, Field<Real>& b) {
  return stage_of("source", Source<Real>{}, SweepOptions{.reduce = Reduce::sum, .flops = 15}, writes(b.now()),
                  reads(w.Q.now(), star(1)));
}
template <class Real>
auto mean_stage(Field<Real>& x, Mesh<Real>& m) {
  return stage_of("mean pressure", MeanOf<Real>{}, SweepOptions{.reduce = Reduce::sum, .flops = 1},
                  reads(x.now()), reads(m.J.now()));
}
template <class Real>
auto centre_stage(Flow<Real>& w, Field<Real>& x) {
  return stage_of("centre pressure", Centre<Real>{}, SweepOptions{.flops = 1}, updates(x.now()),
                  writes(w.p.now()));
}
template <class Real>
auto correct_stage(Flow<Real>& w, Mesh<Real>& m) {
  return stage_of("correct", Correct<Real, false>{}, SweepOptions{.reduce = Reduce::max, .flops = 75},
                  writes(w.V.next()), reads(w.V.now()), reads(w.f.now()), reads(w.p.now(), star(1)),
                  reads(m.grad.now()), reads(m.conv().now()));
}
template <class Real>
auto correct_halfway_stage(Flow<Real>& w, Mesh<Real>& m) {
  return stage_of("correct halfway", Correct<Real, true>{}, SweepOptions{.reduce = Reduce::max, .flops = 81},
                  updates(w.V.next()), reads(w.V.now()), reads(w.f.now()), reads(w.p.now(), star(1)),
                  reads(m.grad.now()), reads(m.conv().now()));
}
template <class Real>
auto limits_stage(Flow<Real>& w, Mesh<Real>& m, Limits<Real> kernel) {
  return stage_of("limits", kernel, SweepOptions{.reduce = Reduce::max}, reads(w.V.now()),
                  reads(m.grad.now()), reads(m.conv().now()));
}
template <class Real>
auto divergence_stage(Flow<Real>& w, Mesh<Real>& m) {
  return stage_of("divergence", Divergence<Real>{}, SweepOptions{.reduce = Reduce::sum},
                  reads(w.V.now(), star(1)), reads(m.J.now()), reads(m.grad.now()));
}
template <class Real>
auto average_stage(Averages& mean, Flow<Real>& w) {
  return stage_of("average", Average<Real>{}, SweepOptions{.flops = 45}, updates(mean.V.now()),
                  updates(mean.stress.now()), updates(mean.p.now()), reads(w.V.now()), reads(w.p.now()));
}
template <class Real>
auto force_stage(Flow<Real>& w, Mesh<Real>& m, const WallForce<Real>& kernel) {
  return stage_of("wall force", kernel, SweepOptions{.reduce = Reduce::sum}, reads(w.V.now(), star(2)),
                  reads(w.p.now(), star(1)), reads(m.x.now(), star(2) | box(1)));
}

template <class Real>
auto convect_stage(Flow<Real>& w, Mesh<Real>& m, const Convect<Real>& kernel) {
  return stage_of("outflow", kernel, SweepOptions{.reduce = Reduce::sum}, updates(w.outflow->now()),
                  reads(w.V.now()), reads(m.x.now(), box(1)));
}
template <class Real>
auto balance_stage(Flow<Real>& w, const Balance<Real>& kernel) {
  return stage_of("balance", kernel, updates(w.outflow->now()));
}
template <class Real>
auto keep_stage(Flow<Real>& w, Field<Real, 3>& kept) {
  return stage_of("keep outflow", Keep<Real>{}, writes(kept.now()), reads(w.outflow->now()));
}
template <class Real>
auto halfway_stage(Flow<Real>& w) {
  return stage_of("outflow halfway", Halfway<Real>{}, updates(w.outflow->now()),
                  reads(w.outflow_begin->now()));
}

}  // namespace sc::cavity
