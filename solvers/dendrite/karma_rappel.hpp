// SPDX-License-Identifier: Apache-2.0
// The model of Karma and Rappel, cell by cell. With their phase 2 phi - 1, which is 1 in the solid and -1 in
// the melt, and u = theta,
//   tau_0 a^2 d(phi)/dt = W_0^2 div(flux) + 4 phi (1 - phi) (phi - 1/2 - 2 lambda u phi (1 - phi))
//   du/dt = D lap u + d(phi)/dt
// where a is A of kernels.hpp: in a plane 1 + gamma cos(4 angle). So the fluxes are those of the other model,
// and the reaction has its form; time depends on the direction, and heat is released in proportion to phi.
#pragma once

#include "solvers/dendrite/kernels.hpp"

namespace sc::dendrite {

/// Twice the gradient in units of a cell, along the axes of the grid, or of the crystal at the cell.
template <class Differences, class Real>
SC_FN FaceGradient<Real> gradient_at(In<Real> phi, At c) {
  return {Differences::along(phi, c, 0), Differences::along(phi, c, 1), Differences::along(phi, c, 2)};
}
template <class Differences, class Real>
SC_FN FaceGradient<Real> gradient_at(In<Real> phi, At c, In<Real, 4> orientation) {
  const FaceGradient<Real> g = gradient_at<Differences>(phi, c);
  const Rotation<Real> R = rotation_at<Real>(c, orientation);
  Real p[3];
  for (int i = 0; i < 3; ++i) p[i] = fused(R.r[0][i], g.n, fused(R.r[1][i], g.a, R.r[2][i] * g.b));
  return {p[0], p[1], p[2]};
}

/// A for a gradient along the axes of the crystal, see flux(); 1 + gamma where there is none.
template <class Real>
SC_FN Real anisotropy(const FaceGradient<Real>& g, const Anisotropy<Real>& k) {
  const Real inverse = Real(1) / square(g);
  const Real un = g.n * g.n * inverse, uab = g.a * g.b * inverse;
  return fused(k.x8, fused(uab, uab, fused(-un, un, un)), k.most);
}

/// Both fields in one sweep, with the fluxes of the other model.
template <class Real, class Differences = SecondOrder>
struct AdvanceKarmaRappel : Advance<Real, false, Differences> {
  using Advance<Real, false, Differences>::k;
  template <class... Orientation>
  SC_FN void operator()(At c, Index, const Fluxes<Real>& low, const Fluxes<Real>& high, Out<Real> phi_next,
                        Out<Real> theta_next, In<Real> phi, In<Real> theta,
                        Orientation... orientation) const {
    const Real a = anisotropy(gradient_at<Differences>(phi, c, orientation...), k.gamma);
    const Real div = (high.x - low.x) + ((high.y - low.y) + (high.z - low.z));
    const Real well = phi[c] * (Real(1) - phi[c]);
    const Real slope = fused(k.drive * theta[c], well, phi[c] - Real(0.5));
    const Real next = without_tail(phi[c] + fused(k.flux, div, k.reaction * well * slope) / (a * a));
    phi_next[c] = next;
    theta_next[c] = conducted(k, theta, c) + (next - phi[c]);
  }
};

/// phi, u - phi, and the density of the free energy in the authors' form, with their phase q = 2 phi - 1:
///   1/2 W_0^2 a^2 |grad q|^2 - q^2 / 2 + q^4 / 4 + lambda u q (1 - 2 q^2 / 3 + q^4 / 5).
/// |grad q|^2 is the mean of both one-sided differences along each axis, of second order with all steps.
template <class Real>
struct SumsKarmaRappel {
  Anisotropy<double> gamma;
  double gradient;  ///< W_0^2 / dx^2, for 1/2 |grad q|^2 = the sum of the squares of one-sided differences
  double coupling;  ///< lambda
  template <class... Orientation>
  SC_FN std::array<double, 3> operator()(At c, In<Real> phi, In<Real> theta,
                                         Orientation... orientation) const {
    const double p = double(phi[c]), u = double(theta[c]), q = 2 * p - 1, q2 = q * q;
    double squares = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const double up = double(phi[c.along(axis, 1)]) - p, down = p - double(phi[c.along(axis, -1)]);
      squares += up * up + down * down;
    }
    const FaceGradient<Real> g = gradient_at<SecondOrder>(phi, c, orientation...);
    const double a = anisotropy(FaceGradient<double>{double(g.n), double(g.a), double(g.b)}, gamma);
    const double chemical = q2 * (0.25 * q2 - 0.5) + coupling * u * q * (1 - q2 * (2.0 / 3 - q2 / 5));
    return {p, u - p, gradient * a * a * squares + chemical};
  }
};

}  // namespace sc::dendrite
