// SPDX-License-Identifier: Apache-2.0
// Turbulence: incompressible flow in a periodic box of side 2 pi, pseudo-spectral, in memory. The step itself
// is in step.cpp.
#pragma once

#include <array>
#include <functional>
#include <memory>

#include "engine/overlap/runner.hpp"
#include "engine/stage/global_value.hpp"
#include "solvers/turbulence/forcing.hpp"
#include "solvers/turbulence/initial.hpp"
#include "solvers/turbulence/kernels.hpp"
#include "solvers/turbulence/statistics.hpp"
#include "spectral/fft.hpp"

namespace sc::turbulence {

struct TurbulenceOptions {
  Int3 points = {64, 64, 64};  ///< even along every axis
  double viscosity = 1e-2;
  double dt = 1e-2;
  std::array<int, 2> process_grid = {0, 0};
  spectral::Library library = spectral::Library::automatic;
  ForcingOptions forcing = {};
  RunnerOptions engine = {};
};

struct StepReport {
  std::int64_t step = 0;
  double time = 0;  ///< after the step
  double dt = 0;
};

class Turbulence {
 public:
  /// Collective. Throws Error (bad_input) for odd or too few points, a negative viscosity, dt <= 0.
  Turbulence(Context& context, const TurbulenceOptions& options);

  /// Collective: sets the velocity from component and position; what of it is not resolved or not free of
  /// divergence is left out. The clock starts anew.
  void start(const std::function<double(int component, double x, double y, double z)>& velocity);
  /// u = sin x cos y cos z, v = -cos x sin y cos z, w = 0
  void start_taylor_green();
  /// E(k) shell by shell as asked; the same field for any number of ranks.
  void start_random(const RandomField& field);
  /// From what velocity() holds at the points.
  void start_from_points();

  /// Collective: one time step.
  StepReport step();
  /// What the next step needs besides the modes, as a checkpoint keeps it.
  struct Clock {
    double time = 0;
    std::int64_t steps = 0;
  };
  Clock& clock() { return clock_; }
  const Clock& clock() const { return clock_; }
  std::int64_t steps() const { return clock_.steps; }
  double time() const { return clock_.time; }
  /// Collective: call when modes and clock have been set from a checkpoint.
  void restored();

  /// Collective. Throws Error (diverged) when the flow is not finite.
  Balance balance();
  /// Collective: the same and the small scales; takes three transforms.
  Measures measure();
  /// Collective: E(k) of the shells 0, 1, 2, …
  std::vector<double> spectrum();

  /// The velocity and the vorticity at the points, as of the last step; collective.
  Field<double, 3>& velocity();
  Field<double, 3>& vorticity();
  /// Where they are kept, with whatever the last work left in them.
  Field<double, 3>& velocity_points() { return velocity_; }
  Field<double, 3>& vorticity_points() { return vorticity_; }
  Field<Mode, 3>& modes() { return u_; }
  /// P F(u x curl u) of the present velocity, for tests; collective.
  Field<Mode, 3>& nonlinear_term();
  const Grid& grid() const { return fft_.real_grid(); }
  Runner& runner() { return runner_; }
  const TurbulenceOptions& options() const { return options_; }
  const spectral::FFT<double>& fft() const { return fft_; }

 private:
  /// n <- F(v x curl v)
  void nonlinear();
  Wavenumbers wavenumbers() const;
  double per_point_square() const;
  /// u = v = P n
  void start_from_modes();
  double skewness();
  std::vector<double> spectrum(Field<Mode, 3>& of);

  TurbulenceOptions options_;
  spectral::FFT<double> fft_;
  Field<Mode, 3> u_, v_, n_, sum_;
  Field<double> decay_;
  Field<double, 3> velocity_, vorticity_;
  Runner runner_;
  GlobalValue sums_;
  Forcing forcing_;
  Clock clock_;
};

}  // namespace sc::turbulence
