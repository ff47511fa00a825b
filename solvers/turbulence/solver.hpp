// SPDX-License-Identifier: Apache-2.0
// Turbulence: incompressible flow in a periodic box of side 2 pi, pseudo-spectral, in memory or in files, in
// either precision. This is the face that programs and the Python module use; the flow in one precision is in
// flow.hpp, its step in step.cpp.
//
// Between steps the velocity's modes are in memory, whatever the storage: whoever reads or changes them takes
// modes() and need not know. Only what a step keeps beside them is in files.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "solvers/turbulence/initial.hpp"
#include "solvers/turbulence/options.hpp"
#include "solvers/turbulence/statistics.hpp"

namespace sc::turbulence {

struct StepReport {
  std::int64_t step = 0;
  double time = 0;  ///< after the step
  double dt = 0;
};

class Turbulence {
 public:
  virtual ~Turbulence() = default;

  /// Collective: sets the velocity from component and position; what of it is not resolved or not free of
  /// divergence is left out. The clock starts anew.
  virtual void start(const std::function<double(int component, double x, double y, double z)>& velocity) = 0;
  /// u = sin x cos y cos z, v = -cos x sin y cos z, w = 0
  void start_taylor_green();
  /// E(k) shell by shell as asked; the same field for any number of ranks.
  virtual void start_random(const RandomField& field) = 0;
  /// From what velocity_points() holds.
  virtual void start_from_points() = 0;

  /// Collective: one time step. Throws Error (storage) where files fail.
  virtual StepReport step() = 0;
  /// What the next step needs besides the modes, as a checkpoint keeps it.
  struct Clock {
    double time = 0;
    std::int64_t steps = 0;
  };
  Clock& clock() { return clock_; }
  const Clock& clock() const { return clock_; }
  std::int64_t steps() const { return clock_.steps; }
  double time() const { return clock_.time; }

  /// Collective. Throws Error (diverged) when the flow is not finite.
  virtual Balance balance() = 0;
  /// Collective: the same and the small scales; takes three transforms.
  virtual Measures measure() = 0;
  /// Collective: E(k) of the shells 0, 1, 2, …
  virtual std::vector<double> spectrum() = 0;

  /// The velocity's modes: always in memory between steps. A stage on them may read and change them, whatever
  /// the storage; what it leaves, free of divergence, is what the next step starts from.
  virtual AnyField& modes() = 0;
  /// The velocity and the vorticity at the points, as of the last step; collective. The first call takes
  /// memory for them, which a budget leaves out.
  virtual AnyField& velocity() = 0;
  virtual AnyField& vorticity() = 0;
  /// Where they are kept, with whatever the last work left in them; collective when first asked for.
  virtual AnyField& velocity_points() = 0;
  virtual AnyField& vorticity_points() = 0;

  virtual const Grid& grid() const = 0;
  virtual Runner& runner() = 0;
  /// What the transforms go under, where `automatic` chooses.
  virtual const Choice* transforms() const = 0;
  virtual const Budget& budget() const = 0;

 protected:
  Clock clock_;
};

/// Collective. Throws Error (bad_input) for odd or too few points, a negative viscosity, dt <= 0, a storage
/// that cannot be planned; Error (storage) where files cannot be had.
std::unique_ptr<Turbulence> make_turbulence(Context& context, const TurbulenceOptions& options);

}  // namespace sc::turbulence
