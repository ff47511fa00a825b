// SPDX-License-Identifier: Apache-2.0
// Cavity: incompressible flow by the MAC method on a curvilinear grid. One class for both precisions and all
// grids, which its stages encapsulate; the step is in step.cpp.
#pragma once

#include <functional>
#include <string_view>

#include "engine/stage/global_value.hpp"
#include "solvers/cavity/options.hpp"
#include "solvers/cavity/other_grid.hpp"
#include "solvers/cavity/stages.hpp"
#include "solvers/common/report.hpp"

namespace sc::cavity {

struct StepReport : sc::StepReport {
  /// dt * the largest of lid speed / smallest spacing, and max |U^d| of inflow and after the step.
  double courant = 0;
  int iterations = 0;         ///< of the pressure solver, in both stages of a step of second order
  double residual = 0;        ///< the largest, as the balance is
  bool capped = false;        ///< the pressure solver stopped above its tolerance
  double max_change = 0;      ///< max |dV/dt| over cells and components, in the last stage
  double source_balance = 0;  ///< |sum J rhs| / sum |J rhs|; rounding unless a face has a given pressure

  /// One solution of the pressure equation, and the change of the velocity by it.
  void add(const Solved& solved, double balance, double change);
};

/// What the fluid does to one face, in density x speed^2 x length^2, and its moment in density x speed^2 x
/// length^3.
struct FaceForce {
  std::size_t face = 0;  ///< x-, x+, y-, y+, z-, z+
  Vec3 pressure{}, viscous{}, moment{};
};

/// Returns the points of a grid for Clustering::file, which the caller reads. Collective; called when the
/// decomposition is known, so that each rank reads its own part.
using PointsOf = std::function<Points(const Grid&)>;

class Cavity {
 public:
  /// Collective. Throws Error (bad_input) for invalid options.
  Cavity(Context& context, const CavityOptions& options, const PointsOf& points_of_file = {});

  /// Collective: one time step. Throws Error (diverged) on all ranks, with step and cell, if the flow is not
  /// finite.
  StepReport step();
  double time() const { return clock_.time; }
  std::int64_t steps() const { return clock_.steps; }
  /// The clock and the limit of the step, as part of a checkpoint.
  struct Clock {
    double time = 0;
    double stiffness = 0;  ///< maximum over the cells of the rate that limits dt (`Limits` in kernels.hpp)
    std::int64_t steps = 0;
  };
  Clock& clock() { return clock_; }
  /// Averages of the state after each step, weighted by the step, since the first step that began at
  /// `average_from` or later; nullptr without that option.
  Averages* averages() { return stages_.averaged ? &stages_.averaged->fields : nullptr; }
  /// The time that they contain, as part of a checkpoint.
  double& averaged() { return averaged_; }

  const Grid& grid() const { return stages_.V.grid(); }
  Runner& runner() { return runner_; }
  AnyField& velocity() { return stages_.V; }
  AnyField& pressure() { return stages_.p; }
  /// The pressure solver's iterate, which is part of the state.
  AnyField& iterate() { return stages_.poisson.x(); }
  /// The right-hand side of the pressure equation in the last step, multiplied by the cells' volumes.
  AnyField& source() { return stages_.poisson.b(); }
  /// The velocity on faces of outflow, part of the state; nullptr if there are none.
  AnyField* outflow() { return stages_.outflow ? &stages_.outflow->velocity : nullptr; }
  AnyField& coordinates() { return stages_.x; }
  /// Collective: to be called after velocity, iterate and clock have been set from a checkpoint; computes the
  /// pressure from them.
  void restored();
  /// Collective: at time 0, interpolates (cubic) the velocity and the pressure solver's first guess from a
  /// flow on another grid of the same box; on faces of outflow that of the nearest point. Throws Error
  /// (bad_input) for a point outside that grid.
  void start_from(const OtherFlow& other);
  /// Collective: fills the halos of velocity and pressure, including walls, for output.
  void refresh_for_output();
  /// Collective: forces on walls, on faces of slip, and on what an inflow leaves of its face as a wall; the
  /// moments are about a point.
  std::vector<FaceForce> forces(const Vec3& about = {});
  /// Collective: root mean square of div V over the volume.
  double divergence_rms();

 private:
  double fastest_wall();
  double limit_of_step(double stiffness) const;
  double stable_step() const;
  double decay_of_divergence(double dt, double stiffness) const;
  void set_initial();
  void begin_outflow();
  void forget_wall_pressure();
  void advance_outflow(double dt);
  void average(double dt);
  double mean_pressure();
  void measure_limits();
  std::vector<Vec3> look_up(OtherGrid& other, const OtherFlow& flow, Box& part) const;
  double speed_of_wall(Face face) const;
  [[noreturn]] void report_loss(const StepReport& report);

  CavityOptions options_;
  Runner runner_;
  Stages stages_;
  GlobalValue global_;
  Clock clock_;
  double averaged_ = 0;
  double lid_speed_;  ///< of the fastest point of all walls
};

/// Whether the time of a stage is attributed to the pressure equation; the rest is attributed to the
/// velocity.
bool belongs_to_pressure(std::string_view stage);

}  // namespace sc::cavity
