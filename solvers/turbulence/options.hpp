// SPDX-License-Identifier: Apache-2.0
// What a turbulence run is asked to do, typed; the text of a case file has become this before it gets here.
#pragma once

#include <array>

#include "engine/overlap/runner.hpp"
#include "solvers/turbulence/budget.hpp"
#include "solvers/turbulence/forcing.hpp"
#include "spectral/fft.hpp"

namespace sc::turbulence {

/// Classical fourth order, or Williamson's third order with one register less.
enum class Scheme { rk4, rk3 };
/// The nonlinear term as u x curl u, or as - div(u u).
enum class Form { rotational, divergence };
/// Leave out every mode that products could fold back on another; or keep those within a sphere of radius
/// sqrt(2) / 3 n and average over two grids half a spacing apart, on which what folds back has opposite
/// signs.
enum class Dealiasing { two_thirds, phase_shift };

struct TurbulenceOptions {
  Int3 points = {64, 64, 64};  ///< even along every axis
  double viscosity = 1e-2;
  double dt = 1e-2;    ///< with a Courant number: the largest
  double courant = 0;  ///< dt max |u_i| / h_i, chosen at the beginning of each step; 0: dt is fixed
  Scheme scheme = Scheme::rk4;
  Form form = Form::rotational;
  Dealiasing dealiasing = Dealiasing::two_thirds;
  bool single = false;  ///< fields, transforms and files in single precision
  std::array<int, 2> process_grid = {0, 0};
  spectral::Library library = spectral::Library::automatic;
  ForcingOptions forcing = {};
  StorageOptions storage = {};  ///< the place is memory or files
  RunnerOptions engine = {};
};

/// Throws Error (bad_input) with one sentence for what cannot be run.
void check(const TurbulenceOptions& options);

}  // namespace sc::turbulence
