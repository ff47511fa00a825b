// SPDX-License-Identifier: Apache-2.0
// The solver around its step: set-up, boundary and initial conditions, limits of the step, diagnostics.
#include "solvers/cavity/solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "solvers/cavity/flow_solver.hpp"

namespace sc::cavity {

template <class Real, bool mixed>
FlowSolver<Real, mixed>::FlowSolver(const CavityOptions& options, std::unique_ptr<Runner> runner,
                                    std::unique_ptr<Mesh<Real>> mesh)
    : options_(options),
      runner_(std::move(runner)),
      mesh_(std::move(mesh)),
      flow_(mesh_->J.grid(), mesh_->space()),
      poisson_(make_poisson(*mesh_, options.pressure, *runner_)),
      stages_(flow_, *mesh_, poisson_->x(), poisson_->b()),
      global_(runner_->context()) {
  lid_speed_ = fastest_wall();
  set_boundaries();
  set_initial();
  auto stiffness = stiffness_stage(flow_, *mesh_);
  runner_->run(stiffness, {Real(nu()), Real(alpha())});
  clock_.stiffness = global_.reduce(stiffness.accumulators());
}

template <class Real, bool mixed>
void FlowSolver<Real, mixed>::set_boundaries() {
  const Walls walls{grid().cells(), grid().periodic()};
  for (int axis = 0; axis < 3; ++axis) {
    if (options_.periodic()[axis]) continue;
    for (int side = 0; side < 2; ++side) {
      const Face face{axis, side};
      const WallMotion& motion = options_.faces[std::size_t(2 * axis + side)].motion;
      boundary(flow_.V, face, WallVelocity<Real>{motion}, 0, reads(mesh_->x.now(), box(1)));
      boundary(flow_.Q, face, NoFlux<Real>{axis});
      boundary(flow_.p, face, WallPressure<Real>{face, Real(nu()), walls, motion, mixed}, mixed ? 1 : 0,
               reads(flow_.V.now()), reads(mesh_->x.now(), box(1)));
    }
  }
}

template <class Real, bool mixed>
void FlowSolver<Real, mixed>::set_initial() {
  if (options_.initial == Initial::rest) return;
  // Taylor and Green's decaying vortices, extruded along z: u = sin X cos Y, v = -cos X sin Y.
  const Out<Real, 3> V = flow_.V.modify();
  const In<double, 3> x = mesh_->x.read();
  const Box own = grid().own();
  for (int k = 0; k < own.hi.z; ++k)
    for (int j = 0; j < own.hi.y; ++j)
      for (int i = 0; i < own.hi.x; ++i) {
        const auto o = grid().layout().offset({i, j, k});
        const double X = 2 * std::numbers::pi * x[0].base[o], Y = 2 * std::numbers::pi * x[1].base[o];
        V[0].base[o] = Real(std::sin(X) * std::cos(Y));
        V[1].base[o] = Real(-std::cos(X) * std::sin(Y));
        V[2].base[o] = 0;
      }
}

// Of this rank's part of a wall. The wall is impermeable, so its own velocity must lie in it; what the
// normals of a coarsely resolved curve are off is allowed.
template <class Real, bool mixed>
double FlowSolver<Real, mixed>::speed_of_wall(Face face) const {
  constexpr double through = 0.1;  // of the speed
  const WallMotion& motion = options_.faces[std::size_t(2 * face.axis + face.side)].motion;
  const auto across = static_cast<std::size_t>(face.axis);
  const In<double, 3> x = mesh_->x.read();
  const auto& layout = grid().layout();
  Box wall = grid().own();
  wall.lo[face.axis] = face.side == 0 ? -1 : wall.hi[face.axis];
  wall.hi[face.axis] = wall.lo[face.axis] + 1;
  double fastest = 0;
  for (int k = wall.lo.z; k < wall.hi.z; ++k)
    for (int j = wall.lo.y; j < wall.hi.y; ++j)
      for (int i = wall.lo.x; i < wall.hi.x; ++i) {
        const At c{layout.offset({i, j, k}), layout.sy, layout.sz};
        const Vec3 V = motion.at({x[0][c], x[1][c], x[2][c]});
        const Vec3 normal = metric2(x, c).grad[across];
        const double speed = std::sqrt(dot(V, V)), leaving = dot(V, normal) / std::sqrt(dot(normal, normal));
        if (std::abs(leaving) > through * speed) return std::numeric_limits<double>::infinity();
        fastest = std::max(fastest, speed);
      }
  return fastest;
}

template <class Real, bool mixed>
double FlowSolver<Real, mixed>::fastest_wall() {
  Accumulator fastest(Reduce::max);
  double none = 0;
  fastest.add(&none, 1);
  for (int axis = 0; axis < 3; ++axis)
    for (int side = 0; side < 2; ++side) {
      const bool mine = side == 0 ? grid().global_box().lo[axis] == 0
                                  : grid().global_box().hi[axis] == grid().cells()[axis];
      if (!mine || options_.faces[std::size_t(2 * axis + side)].kind != FaceKind::moving) continue;
      const double speed = speed_of_wall({axis, side});
      fastest.add(&speed, 1);
    }
  const double speed = global_.reduce({&fastest, 1});
  if (!std::isfinite(speed))
    refuse(
        "boundaries: a wall moves through itself: its velocity must lie in it, turning about its own axis");
  return speed;
}

// dt (4 nu sum g^dd + (4 alpha / 3) sum |U^d|) <= 1.8, and the lid moves at most `courant` of the smallest
// spacing.
template <class Real, bool mixed>
double FlowSolver<Real, mixed>::stable_step() const {
  if (options_.dt > 0) return options_.dt;
  const double dt = 1.8 / clock_.stiffness;
  return lid_speed_ > 0 ? std::min(dt, options_.courant * mesh_->smallest() / lid_speed_) : dt;
}

// p is the centred iterate, which is what a checkpoint holds.
template <class Real, bool mixed>
void FlowSolver<Real, mixed>::restored() {
  runner_->run(stages_.centre, {Real(0)});
}

template <class Real, bool mixed>
void FlowSolver<Real, mixed>::refresh_for_output() {
  // The step has filled p's walls by the velocity before it, which nobody knows after a restart: filled
  // anew, they are the same bits in both. No step reads them.
  flow_.p.storage(0).set_fresh(point);
  runner_->refresh(flow_.V.now(), box(2));
  runner_->refresh(flow_.p.now(), star(1));
}

template <class Real, bool mixed>
double FlowSolver<Real, mixed>::divergence_rms() {
  auto divergence = divergence_stage(flow_, *mesh_);
  runner_->run(divergence);
  global_.reduce(divergence.accumulators());
  return std::sqrt(global_.value(0) / global_.value(1));
}

template <class Real, bool mixed>
void FlowSolver<Real, mixed>::report_loss(const StepReport& report) {
  const Box own = grid().own();
  const In<Real, 3> V = flow_.V.read();
  std::string sentence;
  for (int k = 0; k < own.hi.z && sentence.empty(); ++k)
    for (int j = 0; j < own.hi.y && sentence.empty(); ++j)
      for (int i = 0; i < own.hi.x && sentence.empty(); ++i) {
        const auto o = grid().layout().offset({i, j, k});
        for (int e = 0; e < 3; ++e)
          if (!std::isfinite(double(V[e].base[o])) && sentence.empty())
            sentence = "the velocity is not finite after step " + std::to_string(report.step) + " (time " +
                       std::to_string(report.time) + ") at interior point " +
                       to_string(grid().origin() + Int3{i, j, k}) +
                       "; a smaller run.courant or run.dt may help";
      }
  grid().context().agree(Exit::diverged, sentence);
  throw Error(Exit::diverged, "the flow is not finite after step " + std::to_string(report.step));
}

bool belongs_to_pressure(std::string_view stage) {
  for (const std::string_view name :
       {"jacobi", "sor", "smooth", "residual", "restrict", "prolong", "project", "advance"})
    if (stage.starts_with(name)) return true;
  return false;
}

template class FlowSolver<double, false>;
template class FlowSolver<double, true>;
template class FlowSolver<float, false>;
template class FlowSolver<float, true>;

}  // namespace sc::cavity
