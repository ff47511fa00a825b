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
std::optional<Averaged> averaged_of(Parts<Real>& parts) {
  if (!parts.averages) return std::nullopt;
  return Averaged{*parts.averages, average_stage(*parts.averages, parts.flow)};
}

template <class Real>
Stages stages_of(const Grid& grid, const Points& points, const CavityOptions& o, Runner& runner) {
  const auto parts = std::make_shared<Parts<Real>>(grid, points, o, runner);
  Mesh<Real>& mesh = parts->mesh;
  Flow<Real>& w = parts->flow;

  auto& x = static_cast<Field<Real>&>(parts->poisson->x());
  auto& b = static_cast<Field<Real>&>(parts->poisson->b());
  return {.owner = parts,
          .x = mesh.x,
          .V = w.V,
          .p = w.p,
          .poisson = *parts->poisson,
          .smallest = mesh.smallest(),
          .period = period_of(grid, points),
          .through = flow_through(mesh.x, o),
          .accelerate = accelerate_stage(w, mesh, o.nu(), o.alpha()),
          .source = source_stage(w, b),
          .mean = mean_stage(x, mesh),
          .limits = limits_stage(w, mesh, o),
          .divergence = divergence_stage(w, mesh),
          .flux = flux_stage(w, mesh, o),
          .correct = correct_stage(w, mesh, o, false),
          .correct_to_mean = correct_stage(w, mesh, o, true),
          .centre = centre_stage(w, x),
          .outflow = outflow_of(w, mesh, o),
          .forces = forces_of(w, mesh, o),
          .averaged = averaged_of(*parts)};
}

}  // namespace

Stages make_stages(const Grid& grid, const Points& points, const CavityOptions& o, Runner& runner) {
  return o.single ? stages_of<float>(grid, points, o, runner) : stages_of<double>(grid, points, o, runner);
}

}  // namespace sc::cavity
