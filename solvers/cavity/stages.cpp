// SPDX-License-Identifier: Apache-2.0
// Mesh, fields and stages in one precision, on a grid with or without mixed derivatives.
#include "solvers/cavity/stages.hpp"

#include "solvers/cavity/conditions.hpp"

namespace sc::cavity {

namespace {

template <class Real>
struct Parts {
  Parts(const Grid& grid, const Points& points, const CavityOptions& o, Runner& runner)
      : mesh(grid, points, o.fourth_order_metrics, runner, o.space),
        flow(grid, o.space),
        poisson(make_poisson(mesh, o.pressure, runner, o.row_ends())) {
    if (o.any(FaceKind::outflow))
      flow.outflow.emplace(grid, "velocity on outflow faces", FieldOptions{.space = o.space});
    if (flow.outflow && o.order == 2) {
      flow.outflow_before.emplace(grid, "velocity on outflow faces before", FieldOptions{.space = o.space});
      flow.outflow_begin.emplace(grid, "velocity on outflow faces first", FieldOptions{.space = o.space});
    }
    close_faces(flow, mesh, o);
    if (o.average_from) close_faces(averages.emplace(grid, o.space), mesh, o);
  }
  Mesh<Real> mesh;
  Flow<Real> flow;
  std::unique_ptr<Poisson> poisson;
  std::optional<Averages> averages;
};

std::array<Vec3, 3> period_of(const Grid& grid, const Points& points) {
  std::array<Vec3, 3> period{};
  for (int a = 0; a < 3; ++a) {
    if (!grid.periodic()[a]) continue;
    Int3 first = grid.origin(), image = first;
    first[a] = 0;
    image[a] = grid.cells()[a];
    const Vec3 from = points(first), to = points(image);
    period[std::size_t(a)] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
  }
  return period;
}

template <class Real>
std::optional<Outflow> outflow_of(Flow<Real>& w, Mesh<Real>& mesh, const CavityOptions& o) {
  if (!w.outflow) return std::nullopt;
  const auto first = std::find_if(o.faces.begin(), o.faces.end(),
                                  [](const auto& face) { return face.kind == FaceKind::outflow; });
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
  outflow.halfway = halfway_stage(w);
  return outflow;
}

template <class Real>
std::optional<Averaged> averaged_of(Parts<Real>& parts) {
  if (!parts.averages) return std::nullopt;
  return Averaged{*parts.averages, set_stage<double>(average_stage(*parts.averages, parts.flow))};
}

/// Of walls, faces of slip, and faces with inflow through a part of them.
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

template <class Real>
Stages stages_of(const Grid& grid, const Points& points, const CavityOptions& o, Runner& runner) {
  const auto parts = std::make_shared<Parts<Real>>(grid, points, o, runner);
  Mesh<Real>& mesh = parts->mesh;
  Flow<Real>& w = parts->flow;

  auto& x = static_cast<Field<Real>&>(parts->poisson->x());
  auto& b = static_cast<Field<Real>&>(parts->poisson->b());
  const Real nu = Real(o.nu()), alpha = Real(o.alpha());
  std::unique_ptr<Stage> accelerate;
  if (mesh.orthogonal())
    accelerate = accelerate_stage(w, mesh, Accelerate<Real, false>{nu, alpha});
  else
    accelerate = accelerate_stage(w, mesh, Accelerate<Real, true>{nu, alpha});
  const auto flux_of = [=, walls = o.walls(), parts = parts.get()](const StepTimes& times) {
    set_face_fluxes(parts->flow, parts->mesh, o, times);
    return Flux<Real>{Real(1 / times.tau), walls};
  };
  const Limits<Real> limits{nu, alpha, Real(stability_limit / o.courant)};
  const auto correct_of = [limits](double dt) { return Correct<Real, false>{Real(dt), limits}; };
  const auto halfway_of = [limits](double dt) { return Correct<Real, true>{Real(dt), limits}; };
  const auto centre_of = [](double mean) { return Centre<Real>{Real(mean)}; };
  return {.owner = parts,
          .x = mesh.x,
          .V = w.V,
          .p = w.p,
          .poisson = *parts->poisson,
          .smallest = mesh.smallest(),
          .period = period_of(grid, points),
          .crossing = crossing_of(mesh.x, o),
          .accelerate = std::move(accelerate),
          .source = source_stage(w, b),
          .mean = mean_stage(x, mesh),
          .limits = limits_stage(w, mesh, limits),
          .divergence = divergence_stage(w, mesh),
          .flux = set_stage<StepTimes>(flux_stage(w, mesh), flux_of),
          .correct = set_stage<double>(correct_stage(w, mesh), correct_of),
          .correct_halfway = set_stage<double>(correct_halfway_stage(w, mesh), halfway_of),
          .centre = set_stage<double>(centre_stage(w, x), centre_of),
          .outflow = outflow_of(w, mesh, o),
          .forces = forces_of(w, mesh, o),
          .averaged = averaged_of(*parts)};
}

}  // namespace

Stages make_stages(const Grid& grid, const Points& points, const CavityOptions& o, Runner& runner) {
  return o.single ? stages_of<float>(grid, points, o, runner) : stages_of<double>(grid, points, o, runner);
}

}  // namespace sc::cavity
