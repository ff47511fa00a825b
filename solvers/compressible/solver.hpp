// SPDX-License-Identifier: Apache-2.0
// Compressible flow in a periodic box by compact differences. This is the face that programs and the Python
// module use; the step itself is in step.cpp.
#pragma once

#include <memory>

#include "engine/overlap/runner.hpp"
#include "solvers/compressible/options.hpp"
#include "solvers/compressible/stages.hpp"

namespace sc::compressible {

struct StepReport {
  std::int64_t step = 0;
  double time = 0;  ///< after the step
  double dt = 0;
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
  double dilatation = 0;                    ///< root of the mean theta^2
  double dilatation_skewness = 0;           ///< mean theta^3 / that^3; 0 without any
  double mach = 0;                          ///< turbulent: root of the mean u^2 / mean c
  double skewness = 0;  ///< <(du/dx)^3> / <(du/dx)^2>^(3/2), over the three axes; 0 without any slope
  /// u' lambda / nu with u'^2 = mean u^2 / 3, lambda^2 = 3 u'^2 / mean sum (d_i u_i)^2, nu = mean mu / rho.
  /// This and the next two are NaN without a viscosity, and in a gas at rest.
  double taylor_reynolds = 0;
  double kolmogorov = 0;  ///< eta = (nu^3 / epsilon)^(1/4), epsilon the dissipation over the mean density
  double resolution = 0;  ///< k_max eta, k_max = half the cells of the shortest axis
  double density_low = 0, density_high = 0, pressure_low = 0, pressure_high = 0;
  double largest_dilatation = 0;
};

/// One state, at one place: rho, velocity, pressure.
struct PointState {
  double rho = 1;
  std::array<double, 3> u{};
  double p = 1;
};
/// What `options` start from, and, of a wave or the vortex, what that becomes in an inviscid gas.
class Start {
 public:
  explicit Start(const CompressibleOptions& options);
  PointState at(double x, double y, double z, double time = 0) const;
  double pressure() const { return pressure_; }  ///< at rest; the density is 1

 private:
  PointState wave(double x, double time) const;
  PointState vortex(double x, double y, double time) const;
  std::array<double, 3> random(double x, double y, double z) const;

  struct Mode {
    std::array<double, 3> k, cosine, sine;
  };
  CompressibleOptions options_;
  double pressure_ = 1;
  std::vector<Mode> modes_;
};

/// Of the shells 0, 1, 2, …: mean |u|^2 / 2 of the modes with k - 1/2 <= |k| < k + 1/2, of the part of u
/// across k and of that along k.
struct Spectrum {
  std::vector<double> solenoidal, dilatational;
};

class Compressible {
 public:
  virtual ~Compressible() = default;

  /// Collective: one time step. Throws Error (diverged) on all ranks, naming step and cell, when density or
  /// pressure is not positive.
  virtual StepReport step() = 0;
  virtual Measures measure() = 0;
  /// Collective; takes three transforms.
  virtual Spectrum spectrum() = 0;
  /// Collective: means of |rho - exact| and |u_i - exact|, added up, in amplitudes of what the run began with
  /// (a wave or the vortex), which is exact in an inviscid gas.
  virtual double error() = 0;
  /// Collective: brings what files show up to date. The first call takes memory for it.
  virtual ShownFields show() = 0;
  /// Collective: what follows from conserved values that have been set from outside.
  virtual void restored() = 0;

  /// What the next step needs besides the conserved values, as a checkpoint keeps it.
  struct Clock {
    double time = 0;
    std::int64_t steps = 0;
  };
  virtual Clock& clock() = 0;
  virtual const Grid& grid() const = 0;
  virtual Runner& runner() = 0;
  virtual AnyField& conserved() = 0;  ///< rho, rho u, rho v, rho w, E
  virtual AnyField& state() = 0;      ///< rho, u, v, w, T = p / rho, mu
  /// Where what files show is kept, with whatever the last show() left there; collective when first asked
  /// for.
  virtual ShownFields shown() = 0;
  virtual const CompressibleOptions& options() const = 0;
};

/// Collective. Throws Error (bad_input) for options that cannot be run.
std::unique_ptr<Compressible> make_compressible(Context& context, const CompressibleOptions& options);

}  // namespace sc::compressible
