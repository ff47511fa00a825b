// SPDX-License-Identifier: Apache-2.0
// Mesh, fields and stages for one precision, on a grid with or without mixed derivatives.
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
  for (int axis = 0; axis < 3; ++axis) {
    if (o.periodic()[axis]) continue;
    for (int side = 0; side < 2; ++side) {
      const Face face{axis, side};
      const WallMotion& motion = o.faces[std::size_t(2 * axis + side)].motion;
      boundary(w.V, face, WallVelocity<Real>{motion}, 0, reads(mesh.x.now(), box(1)));
      boundary(w.Q, face, NoFlux<Real>{axis});
      boundary(w.p, face, WallPressure<Real>{face, Real(o.nu()), walls, motion, mixed}, mixed ? 1 : 0,
               reads(w.V.now()), reads(mesh.x.now(), box(1)));
    }
  }
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
  auto flux = flux_stage(w, mesh);
  auto correct = correct_stage(w, mesh);
  auto centre = centre_stage(w, x);
  const Walls walls{grid.cells(), grid.periodic()};
  const auto set_step = [flux = flux.get(), correct = correct.get(), walls, nu, alpha](double dt) {
    flux->set({Real(1 / dt), walls});
    correct->set({Real(dt), nu, alpha});
  };
  const auto set_mean = [centre = centre.get()](double mean) { centre->set({Real(mean)}); };
  return {.owner = parts,
          .x = mesh.x,
          .V = w.V,
          .p = w.p,
          .poisson = *parts->poisson,
          .smallest = mesh.smallest(),
          .accelerate = std::move(accelerate),
          .flux = std::move(flux),
          .source = source_stage(w, b),
          .mean = mean_stage(x, mesh),
          .centre = std::move(centre),
          .correct = std::move(correct),
          .stiffness = stiffness_stage(w, mesh, {nu, alpha}),
          .divergence = divergence_stage(w, mesh),
          .set_step = set_step,
          .set_mean = set_mean};
}

}  // namespace

Stages make_stages(const Grid& grid, const Points& points, const CavityOptions& o, Runner& runner) {
  return o.single ? stages_of<float>(grid, points, o, runner) : stages_of<double>(grid, points, o, runner);
}

}  // namespace sc::cavity
