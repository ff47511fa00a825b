// SPDX-License-Identifier: Apache-2.0
// The phase-field equations, cell by cell. phi: 1 solid, 0 melt; theta = T - T_m in K, which single precision
// resolves ten times finer than T. Lengths are in cells: the coefficients contain dt, dx and the material.
#pragma once

#include "engine/exec/noise.hpp"
#include "engine/field/fluxes.hpp"
#include "engine/field/fused.hpp"
#include "solvers/dendrite/gradients.hpp"

namespace sc::dendrite {

/// A = 1 + gamma - 8 gamma X and A + 16 gamma (n_n^2 - S) = 1 - 15 gamma + 24 gamma X + 16 gamma n_n^2, see
/// flux().
template <class Real>
struct Anisotropy {
  Anisotropy() = default;
  explicit Anisotropy(double gamma)
      : most(Real(1 + gamma)),
        least(Real(1 - 15 * gamma)),
        x8(Real(-8 * gamma)),
        x24(Real(24 * gamma)),
        x16(Real(16 * gamma)) {}
  Real most{1}, least{1}, x8{0}, x24{0}, x16{0};
};

/// The parameters of a step.
template <class Real>
struct Coefficients {
  Real flux{};      ///< dt M eps^2 / (4 dx^2), because gradients below are multiplied by four
  Real reaction{};  ///< 4 W M dt
  Real drive{};     ///< -15 L / (2 W T_m), 1/K: beta = drive theta phi (1 - phi)
  Real heat{};      ///< kappa dt / dx^2
  Real latent{};    ///< L / C, K
  Real noise{};     ///< a
  std::uint64_t key = 0;
  Anisotropy<Real> gamma{};
};

/// Added to |4 grad phi|^2, so that gradients below 1e-9 for a cell have no direction.
template <class Real>
constexpr Real flat = Real(1e-18);
/// Smaller values of phi are set to 0: otherwise the tail ahead of a front would become subnormal.
template <class Real>
constexpr Real vanishing = Real(1e-12);
template <class Real>
SC_FN Real without_tail(Real phi) {
  return phi < vanishing<Real> && phi > -vanishing<Real> ? Real(0) : phi;
}

/// h = phi^3 (10 - 15 phi + 6 phi^2), the fraction of the latent heat that has been released.
template <class Real>
SC_FN Real latent_share(Real phi) {
  return phi * phi * phi * fused(phi, fused(Real(6), phi, Real(-15)), Real(10));
}

template <class Real>
SC_FN Real square(const FaceGradient<Real>& g) {
  return fused(g.n, g.n, fused(g.a, g.a, fused(g.b, g.b, flat<Real>)));
}

/// d/d(phi_n) of 1/2 (eps/eps_0)^2 |grad phi|^2 = A^2 phi_n + A dA/d(phi_n) |grad phi|^2, where
/// A = 1 - 3 gamma + 4 gamma S and S = (phi_x^4 + phi_y^4 + phi_z^4) / |grad phi|^4. With n_i = phi_i / |grad
/// phi|, dA/d(phi_n) |grad phi|^2 = 16 gamma phi_n (n_n^2 - S), so that both terms together are
///   phi_n A (A + 16 gamma (n_n^2 - S)),
/// and since the n_i^2 add up to 1, S = 1 - 2 X with X = n_n^2 (1 - n_n^2) + (n_a n_b)^2. `inverse` is 1 /
/// square(g).
template <class Real>
SC_FN Real flux(const FaceGradient<Real>& g, const Anisotropy<Real>& k, Real inverse) {
  const Real un = g.n * g.n * inverse, uab = g.a * g.b * inverse;
  const Real X = fused(uab, uab, fused(-un, un, un));
  return g.n * fused(k.x8, X, k.most) * fused(k.x16, un, fused(k.x24, X, k.least));
}

/// The rows are the grid's axes x, y, z in the crystal's frame.
template <class Real>
struct Rotation {
  Real r[3][3];
};
/// From a unit quaternion w, x, y, z that rotates the crystal's frame to the grid's.
template <class Real>
SC_FN Rotation<Real> rotation_of(Real w, Real x, Real y, Real z) {
  const Real xx = x * x, yy = y * y, zz = z * z, one = Real(1), two = Real(2);
  return {{{one - two * (yy + zz), two * (x * y - w * z), two * (x * z + w * y)},
           {two * (x * y + w * z), one - two * (xx + zz), two * (y * z - w * x)},
           {two * (x * z - w * y), two * (y * z + w * x), one - two * (xx + yy)}}};
}

/// The same for a rotated crystal: p_i are the gradient's components along its axes, and the flux through a
/// face whose normal is row n of R takes A ((A - 16 gamma S) phi_n + 16 gamma sum_i R_ni p_i^3 / |p|^2).
template <int n, class Real>
SC_FN Real rotated_flux(const FaceGradient<Real>& g, const Anisotropy<Real>& k, const Rotation<Real>& R,
                        Real inverse) {
  constexpr int a = (n + 1) % 3, b = (n + 2) % 3;
  Real p[3], u[3];
  Real cubes{};
  for (int i = 0; i < 3; ++i) {
    p[i] = fused(R.r[n][i], g.n, fused(R.r[a][i], g.a, R.r[b][i] * g.b));
    u[i] = p[i] * p[i] * inverse;
    cubes = fused(R.r[n][i] * p[i], u[i], cubes);
  }
  const Real across = p[1] * p[2] * inverse;
  const Real X = fused(across, across, fused(-u[0], u[0], u[0]));
  return fused(k.x8, X, k.most) * fused(fused(k.x24, X, k.least), g.n, k.x16 * cubes);
}

/// The rotation of the crystal at a cell.
template <class Real>
SC_FN Rotation<Real> rotation_at(At c, In<Real, 4> orientation) {
  return rotation_of(orientation[0][c], orientation[1][c], orientation[2][c], orientation[3][c]);
}

/// phi' = phi + dt M [div flux + 4 W phi (1 - phi) (phi - 1/2 + beta + a chi)],
/// beta = drive theta phi (1 - phi).
template <bool noisy, class Real>
SC_FN Real next_phase(const Coefficients<Real>& k, Real phi, Real theta, Real div, Index g) {
  const Real well = phi * (Real(1) - phi);
  Real slope = fused(k.drive * theta, well, phi - Real(0.5));
  if constexpr (noisy) slope = fused(k.noise, noise<Real>(k.key, g), slope);
  return without_tail(fused(k.flux, div, fused(k.reaction * well, slope, phi)));
}

/// theta + dt kappa lap theta
template <class Real>
SC_FN Real conducted(const Coefficients<Real>& k, In<Real> theta, At c) {
  const Real around = ((theta[c.x(1)] + theta[c.x(-1)]) + (theta[c.y(1)] + theta[c.y(-1)])) +
                      (theta[c.z(1)] + theta[c.z(-1)]);
  return fused(k.heat, fused(Real(-6), theta[c], around), theta[c]);
}

/// theta' = theta + dt kappa lap theta + (L / C) (h(phi') - h(phi)). This form conserves theta - (L / C)
/// h(phi) exactly, unlike h'(phi) dphi/dt.
template <class Real>
SC_FN Real next_heat(const Coefficients<Real>& k, In<Real> theta, At c, Real phi, Real next) {
  return fused(k.latent, latent_share(next) - latent_share(phi), conducted(k, theta, c));
}

/// Both fields in one sweep, so that the change of phi is never stored. The cells on both sides of a face use
/// the same flux, which for_each() computes once where it marches. With rotated crystals, `orientation`
/// (In<Real, 4>) follows theta; a face between two crystals has the orientation of the cell below it.
/// `Differences` of phi: SecondOrder or FourthOrder.
template <class Real, bool noisy, class Differences = SecondOrder>
struct Advance {
  using FluxType = Real;
  Coefficients<Real> k;

  /// Four times the flux for the gradient in units of a cell, through the face above c.
  template <int axis, class... Orientation>
  SC_FN Real flux_above(At c, Out<Real>, Out<Real>, In<Real> phi, In<Real>,
                        Orientation... orientation) const {
    const FaceGradient<Real> g = Differences::template above<axis>(phi, c);
    const Real inverse = Real(1) / square(g);
    if constexpr (sizeof...(orientation) == 0)
      return flux(g, k.gamma, inverse);
    else
      return rotated_flux<axis>(g, k.gamma, rotation_at<Real>(c, orientation...), inverse);
  }
  template <class... Orientation>
  SC_FN void operator()(At c, Index g, const Fluxes<Real>& low, const Fluxes<Real>& high, Out<Real> phi_next,
                        Out<Real> theta_next, In<Real> phi, In<Real> theta, Orientation...) const {
    const Real div = (high.x - low.x) + ((high.y - low.y) + (high.z - low.z));
    const Real next = next_phase<noisy>(k, phi[c], theta[c], div, g);
    phi_next[c] = next;
    theta_next[c] = next_heat(k, theta, c, phi[c], next);
  }
};

}  // namespace sc::dendrite
