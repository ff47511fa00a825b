// SPDX-License-Identifier: Apache-2.0
// The options of a turbulence run, already converted from the text of a case file.
#pragma once

#include <array>
#include <optional>

#include "engine/overlap/runner.hpp"
#include "solvers/turbulence/budget.hpp"
#include "solvers/turbulence/forcing.hpp"
#include "spectral/fft.hpp"

namespace sc::turbulence {

/// The classical method of fourth order, or Williamson's of third order, with one register less.
enum class Scheme { rk4, rk3 };
/// The nonlinear term as u x curl u, or as - div(u u).
enum class Form { rotational, divergence };
/// `two_thirds`: discards every mode that aliases of products could reach. `phase_shift`: keeps the modes in
/// a sphere of radius sqrt(2) / 3 n, and averages over two grids that are shifted by half a spacing, on which
/// aliases have opposite signs.
enum class Dealiasing { two_thirds, phase_shift };

/// A passive scalar in a mean gradient G, d theta/dt + u . grad theta + G . u = kappa laplace theta, as the
/// fourth component of the modes.
struct ScalarOptions {
  double diffusivity = 1e-2;  ///< kappa
  std::array<double, 3> gradient = {0, 0, 0};
};

struct TurbulenceOptions {
  Int3 points = {64, 64, 64};  ///< even along every axis
  double viscosity = 1e-2;
  double dt = 1e-2;    ///< with a Courant number: the upper limit
  double courant = 0;  ///< dt max |u_i| / h_i, chosen at the beginning of each step; 0: fixed dt
  Scheme scheme = Scheme::rk4;
  Form form = Form::rotational;
  Dealiasing dealiasing = Dealiasing::two_thirds;
  bool single = false;  ///< fields, transforms and files in single precision
  std::array<int, 2> process_grid = {0, 0};
  spectral::Library library = spectral::Library::automatic;
  ForcingOptions forcing = {};
  std::optional<ScalarOptions> scalar = {};
  StorageOptions storage = {};  ///< place: memory or files
  RunnerOptions engine = {};

  /// Whether there is memory for a pipeline, which needs more.
  bool pipeline_fits() const { return storage.where == Where::memory && storage.memory == 0; }
  /// Of a field of modes.
  int components() const { return scalar ? 4 : 3; }
  /// Arrays of planes that are used together at the points: six, and with a scalar that itself and its fluxes
  /// (in rotational form they take the place of the velocity).
  int plane_arrays() const { return !scalar ? 6 : form == Form::rotational ? 7 : 9; }
};

/// Throws Error (bad_input) with one sentence for invalid options.
void check(const TurbulenceOptions& options);

}  // namespace sc::turbulence
