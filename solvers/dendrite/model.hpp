// SPDX-License-Identifier: Apache-2.0
// The coefficients of the phase-field equation from the material, and the stability limit of the step.
#pragma once

#include <algorithm>
#include <cmath>

#include "solvers/dendrite/kernels.hpp"
#include "solvers/dendrite/options.hpp"

namespace sc::dendrite {

struct Model {
  double b;       ///< 2 atanh(1 - 2 lambda): phi = (1 - tanh(b x / delta)) / 2 is lambda at x = delta / 2
  double W;       ///< 6 sigma b / delta, J/m^3
  double M;       ///< b T_m mu / (3 delta L), m^3/(J s)
  double eps;     ///< sqrt(3 delta sigma / b), (J/m)^(1/2)
  double latent;  ///< L / C, K
};

inline Model model_of(const Material& m) {
  const double b = 2 * std::atanh(1 - 2 * m.lambda);
  return {.b = b,
          .W = 6 * m.surface_energy * b / m.interface_width,
          .M = b * m.melting * m.kinetic / (3 * m.interface_width * m.latent_heat),
          .eps = std::sqrt(3 * m.interface_width * m.surface_energy / b),
          .latent = m.latent_heat / m.heat_capacity};
}

/// beta = drive (T - T_m) phi (1 - phi).
inline double drive_of(const Material& m) { return -15 * m.latent_heat / (2 * model_of(m).W * m.melting); }

/// The stationary profile; x is the distance from the front into the melt.
inline double profile(const Material& m, double x) {
  return 0.5 * (1 - std::tanh(model_of(m).b * x / m.interface_width));
}

inline double profile(const DendriteOptions& o, double x) {
  if (!o.karma_rappel) return profile(o.material, x);
  return 0.5 * (1 - std::tanh(x / (std::sqrt(2.0) * o.karma_rappel->interface_width)));
}

/// The stiffness of an interface with this anisotropy of its energy, at most, as a share of that without.
inline double stiffness_of(double anisotropy) { return (1 + anisotropy) * (1 + 31 * anisotropy); }

/// The largest eigenvalue of the second difference along an axis, of 16/3 with fourth order, / 4.
inline double steepness_of(Divergence divergence) { return divergence == Divergence::fourth ? 4.0 / 3 : 1; }

/// As below, in as many dimensions as the grid has. tau = tau_0 a^2 is least along <111>.
inline double largest_step(const DendriteOptions& o, const KarmaRappel& m) {
  const double dx2 = o.spacing * o.spacing, neighbours = 2 * o.dimensions();
  const double least = 1 - 5 * m.anisotropy / 3, tau = m.relaxation_time * least * least;
  const double rate = 4 / tau * (0.5 + 0.6 * 2 * m.coupling * std::abs(o.temperature));
  const double gradient = m.interface_width * m.interface_width * stiffness_of(m.anisotropy) / tau;
  return std::min(dx2 / (neighbours * m.diffusivity),
                  1 / (steepness_of(o.divergence) * neighbours * gradient / dx2 + 0.5 * rate));
}

/// Stability of forward Euler: dt <= dx^2 / (6 kappa) for the heat. For phi the same, with M eps^2 times the
/// anisotropy's increase of the stiffness, and half the rate of the reaction, whose largest slope is 0.6
/// beta_0 at most.
inline double largest_step(const DendriteOptions& o) {
  if (o.karma_rappel) return largest_step(o, *o.karma_rappel);
  const Material& m = o.material;
  const Model k = model_of(m);
  const double dx2 = o.spacing * o.spacing;
  const double stiffness = stiffness_of(m.anisotropy);
  const double beta = std::abs(drive_of(m) * (o.temperature - m.melting));
  const double rate = 4 * k.W * k.M * (0.5 + 0.6 * beta + m.noise);
  const double neighbours = 6 * steepness_of(o.divergence);
  const double phase = 1 / (neighbours * k.M * k.eps * k.eps * stiffness / dx2 + 0.5 * rate);
  return std::min(dx2 / (6 * m.diffusivity), phase);
}

/// Of a cell, by which rounding may move a seed beyond a high face; as in python/subcurrent/solvers/dendrite.
constexpr double slack = 1e-9;

template <class Real>
Coefficients<Real> coefficients_of(const DendriteOptions& o, double dt, std::int64_t step) {
  const Material& m = o.material;
  const Model k = model_of(m);
  const double per_dx2 = 1 / (o.spacing * o.spacing);
  return {.flux = Real(dt * k.M * k.eps * k.eps * per_dx2 / 4),
          .reaction = Real(4 * k.W * k.M * dt),
          .drive = Real(drive_of(m)),
          .heat = Real(m.diffusivity * dt * per_dx2),
          .latent = Real(k.latent),
          .noise = Real(m.noise),
          .key = noise_key(o.noise_seed, static_cast<std::uint64_t>(step)),
          .gamma = Anisotropy<Real>(m.anisotropy)};
}

/// tau_0 d(phi)/dt = (W_0^2 div(flux) + 4 phi (1 - phi) (phi - 1/2 + beta)) / a^2, see karma_rappel.hpp.
template <class Real>
Coefficients<Real> coefficients_of(const DendriteOptions& o, const KarmaRappel& m, double dt) {
  const double per_dx2 = 1 / (o.spacing * o.spacing), step = dt / m.relaxation_time;
  return {.flux = Real(step * m.interface_width * m.interface_width * per_dx2 / 4),
          .reaction = Real(4 * step),
          .drive = Real(-2 * m.coupling),
          .heat = Real(m.diffusivity * dt * per_dx2),
          .gamma = Anisotropy<Real>(m.anisotropy)};
}

}  // namespace sc::dendrite
