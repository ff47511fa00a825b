// SPDX-License-Identifier: Apache-2.0
// Dendrite: solidification of a pure, undercooled metal. One class for both precisions and all terms, which
// its stages hide.
#pragma once

#include <memory>
#include <vector>

#include "engine/overlap/runner.hpp"
#include "engine/stage/global_value.hpp"
#include "solvers/common/report.hpp"
#include "solvers/dendrite/budget.hpp"
#include "solvers/dendrite/options.hpp"
#include "solvers/dendrite/stages.hpp"

namespace sc::dendrite {

struct Measures {
  double solid = 0;  ///< mean of phi
  double phi_low = 0, phi_high = 0;
  double T_low = 0, T_high = 0;
  double total = 0;         ///< mean of T - (L / C) h(phi), K: constant where nothing flows through the faces
  double tip = 0;           ///< of the first crystal: from its centre to the end of its longest arm, m
  double tip_velocity = 0;  ///< of its longest arm since the measurement before, m/s; NaN at the first
  std::array<double, 6> arms{};            ///< as arms() says
  std::array<double, 6> arm_velocities{};  ///< of each of them, as tip_velocity
};

class Dendrite {
 public:
  /// Collective. Throws Error (bad_input) for options that cannot be run.
  Dendrite(Context& context, const DendriteOptions& options);

  /// Collective: `n` time steps, a sweep each, as many a pass as `engine.steps_per_pass` says. The report is
  /// of the last.
  StepReport steps(int n);
  StepReport step() { return steps(1); }
  /// Collective. Throws Error (diverged) on all ranks, naming step, field and cell, when the state is not
  /// finite.
  void check_finite() { extremes(); }
  /// Collective: the same, and what history.csv shows.
  Measures measure();
  /// Collective: where phi = 1/2 is met last along the six half-axes of the first crystal, from its centre,
  /// m; 0 for those that leave the domain at once. The same on all ranks.
  std::array<double, 6> arms() const;

  /// What the next step and the next measurement need besides the fields, as a checkpoint keeps it.
  struct Clock {
    double time = 0;
    double tip = -1;  ///< at the last measurement; negative before the first
    double tip_time = 0;
    std::array<double, 6> arms{};  ///< then
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

 private:
  Dendrite(Context& context, const DendriteOptions& options, const Grid& grid);
  void set_initial();
  Measures extremes();
  [[noreturn]] void report_loss() const;

  DendriteOptions options_;
  double dt_;
  Runner runner_;
  Budget budget_;
  std::unique_ptr<FarMemory> files_;  ///< before the fields, which go first
  Stages stages_;
  GlobalValue global_;
  Clock clock_;
};

}  // namespace sc::dendrite
