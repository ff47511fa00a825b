// SPDX-License-Identifier: Apache-2.0
// Turbulence: incompressible flow in a periodic box of side 2 pi, pseudo-spectral, in memory. The step itself
// is in step.cpp.
#pragma once

#include <array>
#include <functional>
#include <memory>

#include "engine/overlap/runner.hpp"
#include "engine/stage/global_value.hpp"
#include "solvers/turbulence/kernels.hpp"
#include "spectral/fft.hpp"

namespace sc::turbulence {

struct TurbulenceOptions {
  Int3 points = {64, 64, 64};  ///< even along every axis
  double viscosity = 1e-2;
  double dt = 1e-2;
  std::array<int, 2> process_grid = {0, 0};
  spectral::Library library = spectral::Library::automatic;
  RunnerOptions engine = {};
};

/// Means over the box.
struct Balance {
  double time = 0;
  double energy = 0;       ///< |u|^2 / 2
  double enstrophy = 0;    ///< |curl u|^2 / 2
  double dissipation = 0;  ///< 2 nu enstrophy
  double divergence = 0;   ///< root of the mean of |div u|^2
};

class Turbulence {
 public:
  /// Collective. Throws Error (bad_input) for odd or too few points, a negative viscosity, dt <= 0.
  Turbulence(Context& context, const TurbulenceOptions& options);

  /// Collective: sets the velocity from component and position; what of it is not resolved or not free of
  /// divergence is left out.
  void start(const std::function<double(int component, double x, double y, double z)>& velocity);
  /// u = sin x cos y cos z, v = -cos x sin y cos z, w = 0
  void start_taylor_green();

  /// Collective: one time step.
  void step();
  std::int64_t steps() const { return steps_; }
  double time() const { return static_cast<double>(steps_) * options_.dt; }
  /// Collective. Throws Error (diverged) when the flow is not finite.
  Balance balance();

  /// The velocity at the points, as of the last step; collective.
  Field<double, 3>& velocity();
  Field<Mode, 3>& modes() { return u_; }
  /// P F(u x curl u) of the present velocity, for tests; collective.
  Field<Mode, 3>& nonlinear_term();
  const spectral::FFT<double>& fft() const { return fft_; }

 private:
  /// n <- F(v x curl v)
  void nonlinear();
  Wavenumbers wavenumbers() const;

  TurbulenceOptions options_;
  spectral::FFT<double> fft_;
  Field<Mode, 3> u_, v_, n_, sum_;
  Field<double> decay_;
  Field<double, 3> velocity_, vorticity_;
  Runner runner_;
  GlobalValue sums_;
  std::int64_t steps_ = 0;
};

}  // namespace sc::turbulence
