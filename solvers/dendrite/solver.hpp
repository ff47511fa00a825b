// SPDX-License-Identifier: Apache-2.0
// Dendrite: solidification of a pure, undercooled metal. This is the face that programs and the Python module
// use; the step itself is in step.cpp.
#pragma once

#include <memory>
#include <vector>

#include "engine/overlap/runner.hpp"
#include "solvers/dendrite/budget.hpp"
#include "solvers/dendrite/options.hpp"

namespace sc::dendrite {

struct StepReport {
  std::int64_t step = 0;
  double time = 0;  ///< after the step, s
  double dt = 0;
};

struct Measures {
  double solid = 0;  ///< mean of phi
  double phi_low = 0, phi_high = 0;
  double T_low = 0, T_high = 0;
  double total = 0;         ///< mean of T - (L / C) h(phi), K: constant where nothing flows through the faces
  double tip = 0;           ///< of the first crystal: from its centre to the end of its longest arm, m
  double tip_velocity = 0;  ///< since the measurement before, m/s; NaN at the first
  std::array<double, 6> arms{};  ///< as arms() says
};

class Dendrite {
 public:
  virtual ~Dendrite() = default;

  /// Collective: `n` time steps, a sweep each, as many a pass as `engine.steps_per_pass` says. The report is
  /// of the last.
  virtual StepReport steps(int n) = 0;
  StepReport step() { return steps(1); }
  /// Collective. Throws Error (diverged) on all ranks, naming step, field and cell, when the state is not
  /// finite.
  virtual void check_finite() = 0;
  /// Collective: the same, and what history.csv shows.
  virtual Measures measure() = 0;
  /// Collective: where phi = 1/2 is met last along the six half-axes of the first crystal, from its centre,
  /// m; 0 for those that leave the domain at once. The same on all ranks.
  virtual std::array<double, 6> arms() = 0;

  /// What the next step and the next measurement need besides the fields, as a checkpoint keeps it.
  struct Clock {
    double time = 0;
    double tip = -1;  ///< at the last measurement; negative before the first
    double tip_time = 0;
    std::int64_t steps = 0;
  };
  virtual Clock& clock() = 0;
  const Clock& clock() const { return const_cast<Dendrite*>(this)->clock(); }
  virtual double dt() const = 0;
  virtual const Grid& grid() const = 0;
  virtual Runner& runner() = 0;
  virtual AnyField& phase() = 0;
  virtual AnyField& heat() = 0;  ///< T - T_m
  virtual const DendriteOptions& options() const = 0;
  virtual const Budget& budget() const = 0;
};

/// Collective. Throws Error (bad_input) for options that cannot be run.
std::unique_ptr<Dendrite> make_dendrite(Context& context, const DendriteOptions& options);

}  // namespace sc::dendrite
