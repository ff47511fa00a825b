// SPDX-License-Identifier: Apache-2.0
// Turbulence: parameters and fields.
#include "solvers/turbulence/solver.hpp"

#include <string>

#include "engine/base/error.hpp"

namespace sc::turbulence {

namespace {

TurbulenceOptions checked(const TurbulenceOptions& options) {
  for (int axis = 0; axis < 3; ++axis)
    if (options.points[axis] < 4 || options.points[axis] % 2 != 0)
      refuse("points is " + to_string(options.points) + "; every axis needs an even number of at least 4");
  if (!(options.viscosity >= 0))
    refuse("viscosity is " + std::to_string(options.viscosity) + "; it must be >= 0");
  if (!(options.dt > 0)) refuse("dt is " + std::to_string(options.dt) + "; it must be > 0");
  return options;
}

/// Two thirds: products of kept modes fall back on modes that are left out.
Int3 largest_modes(Int3 points) { return {(points.x - 1) / 3, (points.y - 1) / 3, (points.z - 1) / 3}; }

}  // namespace

Turbulence::Turbulence(Context& context, const TurbulenceOptions& options)
    : options_(checked(options)),
      fft_(context, {.cells = options.points,
                     .process_grid = options.process_grid,
                     .largest_mode = largest_modes(options.points),
                     .library = options.library}),
      u_(fft_.mode_grid(), "velocity modes"),
      v_(fft_.mode_grid(), "stage"),
      n_(fft_.mode_grid(), "nonlinear term"),
      sum_(fft_.mode_grid(), "sum of stages"),
      decay_(fft_.mode_grid(), "viscous decay"),
      velocity_(fft_.real_grid(), "velocity"),
      vorticity_(fft_.real_grid(), "vorticity"),
      runner_(context, options_.engine),
      sums_(context),
      forcing_(runner_, fft_.mode_grid(), wavenumbers(), per_point_square(), options_.viscosity,
               options_.forcing) {
  Sweep decay("viscous decay", Decay{wavenumbers(), 0.5 * options_.viscosity * options_.dt},
              writes(decay_.now()));
  runner_.run(decay);
}

Wavenumbers Turbulence::wavenumbers() const {
  Wavenumbers w{};
  for (int axis = 0; axis < 3; ++axis) {
    w.low[static_cast<std::size_t>(axis)] = fft_.kept(axis).low;
    w.count[static_cast<std::size_t>(axis)] = fft_.kept(axis).count();
  }
  return w;
}

}  // namespace sc::turbulence
