// SPDX-License-Identifier: Apache-2.0
// Turbulence: parameters, fields, first fields and diagnostics.
#include "solvers/turbulence/solver.hpp"

#include <cmath>
#include <numbers>
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
      sums_(context) {
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

void Turbulence::start(const std::function<double(int, double, double, double)>& velocity) {
  const Int3 n = options_.points;
  const auto at = [](int i, int count) { return 2 * std::numbers::pi * i / count; };
  velocity_.fill([&](int d, int x, int y, int z) { return velocity(d, at(x, n.x), at(y, n.y), at(z, n.z)); });
  fft_.forward(velocity_.now(), n_.now());
  Sweep prepare("prepare", Prepare{{wavenumbers()}}, writes(u_.now()), writes(v_.now()), reads(n_.now()));
  runner_.run(prepare);
  steps_ = 0;
}

void Turbulence::start_taylor_green() {
  start([](int d, double x, double y, double z) {
    return d == 0   ? std::sin(x) * std::cos(y) * std::cos(z)
           : d == 1 ? -std::cos(x) * std::sin(y) * std::cos(z)
                    : 0.0;
  });
}

Balance Turbulence::balance() {
  const Int3 n = options_.points;
  const double points = double(n.x) * n.y * n.z;
  Sweep sums("balance", Sums{wavenumbers(), 1 / (points * points)}, SweepOptions{.reduce = Reduce::sum},
             reads(u_.now()));
  runner_.run(sums);
  sums_.start(sums.accumulators());
  Balance b{.time = time(), .energy = sums_.value(0), .enstrophy = sums_.value(1)};
  b.dissipation = 2 * options_.viscosity * b.enstrophy;
  b.divergence = std::sqrt(sums_.value(2));
  if (!std::isfinite(b.energy) || !std::isfinite(b.enstrophy))
    throw Error(Exit::diverged, "the flow is not finite any more at step " + std::to_string(steps_) +
                                    ", time " + std::to_string(time()) + "; try a smaller dt");
  return b;
}

Field<double, 3>& Turbulence::velocity() {
  fft_.backward(u_.now(), velocity_.now());
  return velocity_;
}

}  // namespace sc::turbulence
