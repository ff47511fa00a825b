// SPDX-License-Identifier: Apache-2.0
// The stages of the velocity on faces of outflow.
#include <algorithm>

#include "solvers/cavity/conditions.hpp"

namespace sc::cavity {

namespace {

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
auto outflow_mean_stage(Flow<Real>& w) {
  return stage_of("outflow halfway", HeunMean<Real>{}, updates(w.outflow->now()),
                  reads(w.outflow_begin->now()));
}

}  // namespace

template <class Real>
std::optional<Outflow> outflow_of(Flow<Real>& w, Mesh<Real>& mesh, const CavityOptions& o) {
  if (!w.outflow) return std::nullopt;
  const auto first =
      std::ranges::find_if(o.faces, [](const auto& face) { return face.kind == FaceKind::outflow; });
  const auto axis = std::size_t(first - o.faces.begin()) / 2;
  const FaceRows rows = face_rows(o, int(axis));
  const std::array<bool, 2> open{o.faces[2 * axis].kind == FaceKind::outflow,
                                 o.faces[2 * axis + 1].kind == FaceKind::outflow};
  const auto convect_of = [=](double way) { return Convect<Real>{rows, open, way}; };
  const auto balance_of = [=](double outward) { return Balance<Real>{rows.axis, rows.walls, open, outward}; };
  Outflow outflow{.velocity = *w.outflow,
                  .convect = set_stage<double>(convect_stage(w, mesh, convect_of(0)), convect_of),
                  .balance = set_stage<double>(balance_stage(w, balance_of(0)), balance_of)};
  if (!w.outflow_before) return outflow;
  outflow.keep_before = keep_stage(w, *w.outflow_before);
  outflow.keep_begin = keep_stage(w, *w.outflow_begin);
  outflow.mean = outflow_mean_stage(w);
  return outflow;
}

template std::optional<Outflow> outflow_of(Flow<double>&, Mesh<double>&, const CavityOptions&);
template std::optional<Outflow> outflow_of(Flow<float>&, Mesh<float>&, const CavityOptions&);

}  // namespace sc::cavity
