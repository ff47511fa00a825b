// SPDX-License-Identifier: Apache-2.0
// Compressible flow in a periodic box by compact differences: one class, whose stages hide the precision and
// whether the gas is viscous; the step itself is in step.cpp.
#pragma once

#include <optional>

#include "engine/move/stream/file_memory.hpp"
#include "engine/overlap/runner.hpp"
#include "solvers/common/report.hpp"
#include "solvers/compressible/budget.hpp"
#include "solvers/compressible/options.hpp"
#include "solvers/compressible/spectra.hpp"
#include "solvers/compressible/stages.hpp"

namespace sc::compressible {

struct StepReport : sc::StepReport {
  double courant = 0;
};

/// Means over the box, which has the unit of volume here.
struct Measures {
  double mass = 0, energy = 0;  ///< of rho and E
  std::array<double, 3> momentum{};
  double kinetic = 0;                       ///< rho u^2 / 2
  double enstrophy = 0;                     ///< w^2 / 2
  double solenoidal = 0, dilatational = 0;  ///< dissipation: mu w^2, 4/3 mu theta^2
  double pressure_work = 0;                 ///< p theta
  double friction = 0;             ///< rate at which the viscous terms of the scheme take kinetic energy
  double filtered = 0;             ///< rate at which the last step's filter took kinetic energy
  double dilatation = 0;           ///< root of the mean theta^2
  double dilatation_skewness = 0;  ///< mean theta^3 / that^3; 0 without any
  double mach = 0;                 ///< turbulent: root of the mean u^2 / mean c
  double skewness = 0;  ///< <(du/dx)^3> / <(du/dx)^2>^(3/2), over the three axes; 0 without any slope
  /// u' lambda / nu with u'^2 = mean u^2 / 3, lambda^2 = 3 u'^2 / mean sum (d_i u_i)^2, nu = mean mu / rho.
  /// This and the next two are NaN without a viscosity, and in a gas at rest.
  double taylor_reynolds = 0;
  double kolmogorov = 0;  ///< eta = (nu^3 / epsilon)^(1/4), epsilon the dissipation over the mean density
  double resolution = 0;  ///< k_max eta, k_max = half the cells of the shortest axis
  double density_low = 0, density_high = 0, pressure_low = 0, pressure_high = 0;
  double largest_dilatation = 0;
};

class Compressible {
 public:
  /// Collective. Throws Error (bad_input) for options that cannot be run.
  Compressible(Context& context, const CompressibleOptions& options);

  /// Collective: one time step. Throws Error (diverged) on all ranks, naming step and cell, when density or
  /// pressure is not positive.
  StepReport step();
  Measures measure();
  /// Collective; takes three transforms.
  Spectrum spectrum();
  /// Collective: means of |rho - exact| and |u_i - exact|, added up, in amplitudes of what the run began with
  /// (a wave or the vortex), which is exact in an inviscid gas.
  double error();
  /// Collective: brings what files show up to date. The first call takes memory for it.
  const Shown& show();
  /// Where that is kept, with whatever the last show() left there; collective when first asked for.
  const Shown& shown();
  /// Collective: what follows from conserved values that have been set from outside.
  void restored();

  /// What the next step needs besides the conserved values, as a checkpoint keeps it.
  using Clock = SolverClock;
  Clock& clock() { return clock_; }
  const Grid& grid() const { return stages_.q.grid(); }
  Runner& runner() { return runner_; }
  AnyField& conserved() { return stages_.q; }  ///< rho, rho u, rho v, rho w, E
  AnyField& state() { return stages_.s; }      ///< rho, u, v, w, T = p / rho, mu
  const CompressibleOptions& options() const { return options_; }
  const Budget& budget() const { return budget_; }

 private:
  Compressible(Context& context, const CompressibleOptions& options, const Grid& grid);
  void set_start();
  void run_in_turn(const std::vector<Stage*>& stages);
  void run_rates(Stage& update);
  void run_gradients(Stage& after);
  void run_filters();
  void sum_kinetic(std::size_t when);
  double choose_step(double& courant);
  void check_state();
  [[noreturn]] void report_loss();

  CompressibleOptions options_;
  Runner runner_;
  Budget budget_;
  std::unique_ptr<FarMemory> files_;  ///< before the fields, which go first
  Stages stages_;
  std::optional<Shown> shown_;
  std::function<Spectrum(GlobalValue&)> spectrum_;
  GlobalValue global_;
  Accumulator worst_{Reduce::max};  ///< of -rho and -T, in all stages of a step
  std::array<Accumulator, 2> kinetic_{Accumulator(Reduce::sum), Accumulator(Reduce::sum)};
  double dt_ = 0;  ///< of the last step; 0 before
  Clock clock_;
};

}  // namespace sc::compressible
