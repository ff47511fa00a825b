// SPDX-License-Identifier: Apache-2.0
// Cavity: incompressible flow by the MAC method on a curvilinear grid. One class for both precisions and all
// grids, which its stages hide; the step is in step.cpp.
#pragma once

#include <functional>
#include <string_view>

#include "engine/stage/global_value.hpp"
#include "solvers/cavity/options.hpp"
#include "solvers/cavity/other_grid.hpp"
#include "solvers/cavity/stages.hpp"

namespace sc::cavity {

struct StepReport {
  std::int64_t step = 0;
  double time = 0;  ///< after the step
  double dt = 0;
  double courant = 0;  ///< lid speed * dt / smallest spacing
  int iterations = 0;  ///< of the pressure solver
  double residual = 0;
  bool capped = false;        ///< the pressure solver stopped above its tolerance
  double max_change = 0;      ///< max |dV/dt| over cells and components
  double source_balance = 0;  ///< |sum J rhs| / sum |J rhs|
};

/// Makes the points of a grid for Clustering::file, where only the caller knows how to read one. Collective;
/// asked once the split is known, so that a rank reads its own part.
using PointsOf = std::function<Points(const Grid&)>;

class Cavity {
 public:
  /// Collective. Throws Error (bad_input) for options that cannot be run.
  Cavity(Context& context, const CavityOptions& options, const PointsOf& points_of_file = {});

  /// Collective: one time step. Throws Error (diverged) on all ranks, naming step and cell, when the flow is
  /// not finite.
  StepReport step();
  double time() const { return clock_.time; }
  std::int64_t steps() const { return clock_.steps; }
  /// Clock and limits of the step, as a checkpoint keeps them.
  struct Clock {
    double time = 0;
    double stiffness = 0;  ///< 4 nu sum g^dd + (4 alpha / 3) sum |U^d|, largest over the cells
    std::int64_t steps = 0;
  };
  Clock& clock() { return clock_; }

  const Grid& grid() const { return stages_.V.grid(); }
  Runner& runner() { return runner_; }
  AnyField& velocity() { return stages_.V; }
  AnyField& pressure() { return stages_.p; }
  /// The pressure solver's iterate, the other half of the state.
  AnyField& iterate() { return stages_.poisson.x(); }
  /// The right side of the pressure equation in the last step, times the cells' volumes.
  AnyField& source() { return stages_.poisson.b(); }
  AnyField& coordinates() { return stages_.x; }
  /// Collective: call when velocity, iterate and clock have been set from a checkpoint; the pressure follows
  /// from them.
  void restored();
  /// Collective: at time 0, the velocity and the pressure solver's first guess are interpolated (cubic) from
  /// a flow on another grid of the same box. Throws Error (bad_input) for a point that lies outside of it.
  void start_from(const OtherFlow& other);
  /// Collective: fills the halos of velocity and pressure, walls included, for output.
  void refresh_for_output();
  /// Collective: rms of div V over the volume.
  double divergence_rms();

 private:
  double fastest_wall();
  double stable_step() const;
  void set_initial();
  void measure_stiffness();
  std::vector<Vec3> look_up(OtherGrid& other, const OtherFlow& flow, Box& part) const;
  double speed_of_wall(Face face) const;
  [[noreturn]] void report_loss(const StepReport& report);

  CavityOptions options_;
  Runner runner_;
  Stages stages_;
  GlobalValue global_;
  Clock clock_;
  double lid_speed_;  ///< of the fastest point of any wall
};

/// Whether the time of a stage counts for the pressure equation (the rest is the velocity's).
bool belongs_to_pressure(std::string_view stage);

}  // namespace sc::cavity
