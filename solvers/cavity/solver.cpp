// SPDX-License-Identifier: Apache-2.0
// Cavity apart from its step: set-up, boundary and initial conditions, limits of the step, diagnostics.
#include "solvers/cavity/solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "engine/grid/cells.hpp"

namespace sc::cavity {

namespace {

/// Beside a wall the velocity is extrapolated by the cubic through the wall and three cells of one block.
constexpr int cubic = 3;

Int3 split_of(const Context& context, const CavityOptions& o) {
  return o.split == Int3{0, 0, 0} ? choose_split(o.cells(), context.size(), std::max(o.halo(), cubic))
                                  : o.split;
}

void check_blocks(const Grid& grid) {
  for (int a = 0; a < 3; ++a)
    for (std::size_t b = 0; !grid.periodic()[a] && b + 1 < grid.cuts(a).size(); ++b)
      if (grid.cuts(a)[b + 1] - grid.cuts(a)[b] < cubic)
        refuse("engine.split is " + to_string(grid.split()) + ", which leaves a block of " +
               std::to_string(grid.cuts(a)[b + 1] - grid.cuts(a)[b]) +
               " interior points between walls; 3 are needed");
}

Stages stages_of(Context& context, const CavityOptions& o, const PointsOf& points_of_file, Runner& runner) {
  const Grid grid(context, {.cells = o.cells(),
                            .periodic = o.periodic(),
                            .halo = o.halo(),
                            .wall_halo = o.wall_halo,
                            .split = split_of(context, o)});
  check_blocks(grid);
  return make_stages(grid, o.clustering == Clustering::file ? points_of_file(grid) : analytic_points(o), o,
                     runner);
}

const CavityOptions& checked(const CavityOptions& options, const PointsOf& points_of_file) {
  if (checked_options(options).clustering == Clustering::file && !points_of_file)
    refuse("grid.clustering is \"file\", but grid files cannot be read here");
  return options;
}

}  // namespace

RunnerOptions engine_of(const CavityOptions& o) {
  RunnerOptions engine = o.engine;
  engine.steps_per_pass = o.pressure.sweeps_per_pass;
  return engine;
}

Cavity::Cavity(Context& context, const CavityOptions& options, const PointsOf& points_of_file)
    : options_(checked(options, points_of_file)),
      runner_(context, engine_of(options)),
      stages_(stages_of(context, options, points_of_file, runner_)),
      global_(context),
      lid_speed_(fastest_wall()) {
  set_initial();
  begin_outflow();
  measure_limits();
}

void Cavity::measure_limits() {
  runner_.run(*stages_.limits);
  clock_.stiffness = global_.reduce(stages_.limits->accumulators());
}

void Cavity::set_initial() {
  if (options_.initial == Initial::rest) return;
  // Decaying Taylor-Green vortices, extruded along z: u = sin X cos Y, v = -cos X sin Y.
  typed<3>(stages_.V, [&]<class Real>(Field<Real, 3>& velocity) {
    const Out<Real, 3> V = velocity.modify();
    const In<double, 3> x = stages_.x.read();
    each_cell(grid().own(), [&](Int3 c) {
      const auto o = grid().layout().offset(c);
      const double X = 2 * std::numbers::pi * x[0].base[o], Y = 2 * std::numbers::pi * x[1].base[o];
      V[0].base[o] = Real(std::sin(X) * std::cos(Y));
      V[1].base[o] = Real(-std::cos(X) * std::sin(Y));
      V[2].base[o] = 0;
    });
  });
}

// The speed of this rank's part of a wall. A wall is impermeable, so its velocity must be tangential, up to
// the error of normals on a coarsely resolved curve.
double Cavity::speed_of_wall(Face face) const {
  constexpr double through = 0.1;  // of the speed: largest accepted normal component
  const WallMotion& motion = options_.faces[std::size_t(2 * face.axis + face.side)].motion;
  const auto across = static_cast<std::size_t>(face.axis);
  const In<double, 3> x = stages_.x.read();
  double fastest = 0;
  each_point_of(grid(), face, [&](At c, Index) {
    const Vec3 V = motion.at({x[0][c], x[1][c], x[2][c]});
    const Vec3 normal = metric2(x, c).grad[across];
    const double speed = std::sqrt(dot(V, V)), leaving = dot(V, normal) / std::sqrt(dot(normal, normal));
    const bool leaves = std::abs(leaving) > through * speed;
    fastest = leaves ? std::numeric_limits<double>::infinity() : std::max(fastest, speed);
  });
  return fastest;
}

double Cavity::fastest_wall() {
  Accumulator fastest(Reduce::max);
  double none = 0;
  fastest.add(&none, 1);
  for_each_face([&](Face face, std::size_t f) {
    if (options_.faces[f].kind != FaceKind::moving) return;
    const double speed = speed_of_wall(face);
    fastest.add(&speed, 1);
  });
  const double speed = global_.reduce({&fastest, 1});
  if (!std::isfinite(speed))
    refuse(
        "boundaries: a wall moves through itself: its velocity must lie in it, turning about its own axis");
  return speed;
}

// dt (4 nu sum g^dd + (4 alpha / 3) sum |U^d|) <= 1.8, and in a step the fluid moves along every axis by at
// most `courant` cells, where it enters too, and the lid by at most `courant` times the smallest spacing.
double Cavity::limit_of_step(double stiffness) const {
  const double inflow = stages_.through.fastest_inflow;
  double dt = stability_limit / stiffness;
  if (inflow > 0) dt = std::min(dt, options_.courant / inflow);
  return lid_speed_ > 0 ? std::min(dt, options_.courant * stages_.smallest / lid_speed_) : dt;
}

double Cavity::stable_step() const { return options_.dt > 0 ? options_.dt : limit_of_step(clock_.stiffness); }

// The time tau in which the divergence of V is to vanish. In the MAC method that is the step. The compact
// Laplacian of p then leaves a divergence of order dt h^2, which at second order must not depend on dt: tau
// is the largest stable step there.
double Cavity::decay_of_divergence(double dt, double stiffness) const {
  return options_.order == 1 ? dt : std::max(dt, limit_of_step(stiffness));
}

// At the beginning the velocity on a face of outflow is that of the cell beside it. What leaves at the
// beginning of a step is part of the pressure equation at second order, so it must be what enters.
void Cavity::begin_outflow() {
  if (!stages_.outflow) return;
  constexpr double all_the_way = std::numeric_limits<double>::infinity();
  if (options_.order == 2) return advance_outflow(all_the_way);
  stages_.outflow->convect.set(all_the_way);
  runner_.run(*stages_.outflow->convect);
}

// dV/dt + U dV/dn = 0 on faces of outflow, where U is the mean velocity with which fluid leaves; then as much
// leaves as enters.
void Cavity::advance_outflow(double dt) {
  if (stages_.outflow->keep_before) runner_.run(*stages_.outflow->keep_before);
  const FlowThrough& open = stages_.through;
  stages_.outflow->convect.set(dt * open.inflow_rate / open.outflow_area);
  runner_.run(*stages_.outflow->convect);
  const double leaving = global_.reduce(stages_.outflow->convect->accumulators());
  stages_.outflow->balance.set((open.inflow_rate - leaving) / open.outflow_area);
  runner_.run(*stages_.outflow->balance);
}

// A step may begin earlier by rounding.
void Cavity::average(double dt) {
  constexpr double rounding = 1e-6;  // of a step
  if (clock_.time < *options_.average_from - rounding * dt) return;
  averaged_ += dt;
  stages_.averaged->add.set(dt / averaged_);
  runner_.run(*stages_.averaged->add);
}

double Cavity::mean_pressure() {
  if (options_.any(FaceKind::pressure)) return 0;
  runner_.run(*stages_.mean);
  global_.reduce(stages_.mean->accumulators());
  return global_.value(0) / global_.value(1);
}

// p is the iterate without its mean; a checkpoint contains the iterate. Its limit of the step is that of the
// options then.
void Cavity::restored() {
  measure_limits();
  stages_.centre.set(0);
  runner_.run(*stages_.centre);
}

// The step sets p on walls from the velocity before it, which is unknown after a restart. Computed again, p
// has the same bits in both cases. No step reads these values.
void Cavity::forget_wall_pressure() { stages_.p.storage(0).set_fresh(point); }

void Cavity::refresh_for_output() {
  forget_wall_pressure();
  typed<3>(stages_.V, [&](auto& V) { runner_.refresh(V.now(), box(2)); });
  typed(stages_.p, [&](auto& p) { runner_.refresh(p.now(), star(1)); });
  if (!stages_.averaged) return;
  Averages& mean = stages_.averaged->fields;
  runner_.refresh(mean.V.now(), box(2));
  runner_.refresh(mean.p.now(), star(1));
  runner_.refresh(mean.stress.now(), box(1));
}

std::vector<FaceForce> Cavity::forces(const Vec3& about) {
  forget_wall_pressure();
  std::vector<FaceForce> forces;
  for (const ForceOn& on : stages_.forces) {
    runner_.run(*on.stage);
    global_.start(on.stage->accumulators());
    const auto three = [&](int first) {
      return Vec3{global_.value(first), global_.value(first + 1), global_.value(first + 2)};
    };
    FaceForce force{on.face, three(0), three(3), three(6)};
    const Vec3 total{force.pressure[0] + force.viscous[0], force.pressure[1] + force.viscous[1],
                     force.pressure[2] + force.viscous[2]};
    const Vec3 shift = cross(about, total);
    for (std::size_t e = 0; e < 3; ++e) force.moment[e] -= shift[e];
    forces.push_back(force);
  }
  return forces;
}

double Cavity::divergence_rms() {
  runner_.run(*stages_.divergence);
  global_.reduce(stages_.divergence->accumulators());
  return std::sqrt(global_.value(0) / global_.value(1));
}

void Cavity::report_loss(const StepReport& report) {
  const Loss loss{
      .when = "after step " + std::to_string(report.step) + " (time " + std::to_string(report.time) + ")",
      .point = "interior point",
      .advice = "a smaller run.courant or run.dt may help"};
  loss.report(grid().context(), loss.of<3>(stages_.V, "the velocity"), "the flow");
}

bool belongs_to_pressure(std::string_view stage) {
  for (const std::string_view name :
       {"jacobi", "sor", "smooth", "residual", "restrict", "prolong", "project", "advance", "pass"})
    if (stage.starts_with(name)) return true;
  return false;
}

}  // namespace sc::cavity
