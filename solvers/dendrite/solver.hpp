// SPDX-License-Identifier: Apache-2.0
// Dendrite: solidification of a pure, undercooled metal. One class for both precisions and all terms, which
// its stages encapsulate.
#pragma once

#include <memory>
#include <optional>

#include "engine/overlap/runner.hpp"
#include "engine/stage/global_value.hpp"
#include "solvers/common/passes.hpp"
#include "solvers/common/report.hpp"
#include "solvers/dendrite/budget.hpp"
#include "solvers/dendrite/options.hpp"
#include "solvers/dendrite/stages.hpp"

namespace sc::dendrite {

struct Measures {
  double solid = 0;  ///< mean of phi
  double phi_low = 0, phi_high = 0;
  double T_low = 0, T_high = 0;
  double total = 0;  ///< mean of T - (L / C) h(phi), K: constant if there is no flux through the faces
  std::optional<double> free_energy;  ///< of Karma and Rappel, of an area if an axis has one cell
  double tip = 0;                ///< first crystal: distance from its centre to the end of its longest arm, m
  double tip_velocity = 0;       ///< of the longest arm since the previous measurement, m/s; NaN at the first
  std::array<double, 6> arms{};  ///< see arms()
  std::array<double, 6> arm_velocities{};  ///< of each arm, as tip_velocity
};

class Dendrite {
 public:
  /// Collective. Throws Error (bad_input) for invalid options.
  Dendrite(Context& context, const DendriteOptions& options);

  /// Collective: `n` time steps, one sweep each, in passes of `engine.steps_per_pass` steps. Reports the last
  /// one.
  StepReport steps(int n);
  StepReport step() { return steps(1); }
  /// Collective. Throws Error (diverged) on all ranks, with step, field and cell, if the state is not finite.
  void check_finite() { extremes(); }
  /// Collective: the same, and the measurements for history.csv.
  Measures measure();
  /// Collective: the distances in m from the centre of the first crystal to the last phi = 1/2 along its six
  /// half-axes; 0 for half-axes that leave the domain at once. Equal on all ranks.
  std::array<double, 6> arms() const;

  /// The state besides the fields that the next step and the next measurement need, as part of a checkpoint.
  struct Clock {
    double time = 0;
    double tip = -1;  ///< at the last measurement; negative before the first
    double tip_time = 0;
    std::array<double, 6> arms{};  ///< at that time
    std::int64_t steps = 0;
  };
  Clock& clock() { return clock_; }
  double dt() const { return dt_; }
  const Grid& grid() const { return stages_.phi->grid(); }
  Runner& runner() { return runner_; }
  AnyField& phase() { return *stages_.phi; }
  AnyField& heat() { return *stages_.theta; }  ///< T - T_m
  const DendriteOptions& options() const { return options_; }
  const Budget& budget() const { return budget_; }
  /// Of fields in memory that the host computes; empty for single steps.
  std::optional<PassCost> pass_cost();

 private:
  Dendrite(Context& context, const DendriteOptions& options, const Grid& grid);
  void set_initial();
  Measures extremes();
  [[noreturn]] void report_loss() const;

  DendriteOptions options_;
  double dt_;
  Runner runner_;
  Budget budget_;
  std::unique_ptr<FarMemory> files_;  ///< declared before the fields, which are destroyed first
  Stages stages_;
  GlobalValue global_;
  Clock clock_;
};

}  // namespace sc::dendrite
