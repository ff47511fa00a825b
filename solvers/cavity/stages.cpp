// SPDX-License-Identifier: Apache-2.0
// Mesh, fields and stages in one precision, on a grid with or without mixed derivatives.
#include "solvers/cavity/stages.hpp"

#include "solvers/cavity/sweeps.hpp"

namespace sc::cavity {

namespace {

template <class Real>
struct Parts {
  Parts(const Grid& grid, const Points& points, const CavityOptions& o, Runner& runner)
      : mesh(grid, points, o.fourth_order_metrics, runner, o.space),
        flow(grid, o.space),
        poisson(make_poisson(mesh, o.pressure, runner)) {}
  Mesh<Real> mesh;
  Flow<Real> flow;
  std::unique_ptr<Poisson> poisson;
};

template <class Real>
void close_walls(Flow<Real>& w, Mesh<Real>& mesh, const CavityOptions& o) {
  const Grid& grid = mesh.J.grid();
  const Walls walls{grid.cells(), grid.periodic()};
  const bool mixed = !mesh.orthogonal();
  for_each_face([&](Face face, std::size_t f) {
    if (o.periodic()[face.axis]) return;
    const WallMotion& motion = o.faces[f].motion;
    boundary(w.V, face, WallVelocity<Real>{motion}, 0, reads(mesh.x.now(), box(1)));
    boundary(w.Q, face, NoFlux<Real>{face.axis});
    boundary(w.p, face, WallPressure<Real>{face, Real(o.nu()), walls, motion, mixed}, mixed ? 1 : 0,
             reads(w.V.now()), reads(mesh.x.now(), box(1)));
  });
}

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
Stages stages_of(const Grid& grid, const Points& points, const CavityOptions& o, Runner& runner) {
  const auto parts = std::make_shared<Parts<Real>>(grid, points, o, runner);
  Mesh<Real>& mesh = parts->mesh;
  Flow<Real>& w = parts->flow;
  close_walls(w, mesh, o);

  auto& x = static_cast<Field<Real>&>(parts->poisson->x());
  auto& b = static_cast<Field<Real>&>(parts->poisson->b());
  const Real nu = Real(o.nu()), alpha = Real(o.alpha());
  std::unique_ptr<Stage> accelerate;
  if (mesh.orthogonal())
    accelerate = accelerate_stage(w, mesh, Accelerate<Real, false>{nu, alpha});
  else
    accelerate = accelerate_stage(w, mesh, Accelerate<Real, true>{nu, alpha});
  const Walls walls{grid.cells(), grid.periodic()};
  const auto flux_of = [walls](double dt) { return Flux<Real>{Real(1 / dt), walls}; };
  const Limits<Real> limits{nu, alpha, Real(stability_limit / o.courant)};
  const auto correct_of = [limits](double dt) { return Correct<Real>{Real(dt), limits}; };
  const auto centre_of = [](double mean) { return Centre<Real>{Real(mean)}; };
  return {.owner = parts,
          .x = mesh.x,
          .V = w.V,
          .p = w.p,
          .poisson = *parts->poisson,
          .smallest = mesh.smallest(),
          .period = period_of(grid, points),
          .accelerate = std::move(accelerate),
          .source = source_stage(w, b),
          .mean = mean_stage(x, mesh),
          .limits = limits_stage(w, mesh, limits),
          .divergence = divergence_stage(w, mesh),
          .flux = set_stage<double>(flux_stage(w, mesh), flux_of),
          .correct = set_stage<double>(correct_stage(w, mesh), correct_of),
          .centre = set_stage<double>(centre_stage(w, x), centre_of)};
}

}  // namespace

Stages make_stages(const Grid& grid, const Points& points, const CavityOptions& o, Runner& runner) {
  return o.single ? stages_of<float>(grid, points, o, runner) : stages_of<double>(grid, points, o, runner);
}

}  // namespace sc::cavity
