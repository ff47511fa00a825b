// SPDX-License-Identifier: Apache-2.0
// Measurements of a flow: its balance, its small scales, its spectrum.
#pragma once

#include <optional>

#include "engine/exec/accumulator.hpp"
#include "solvers/turbulence/convection.hpp"

namespace sc::turbulence {

/// Means over the box.
struct Balance {
  double time = 0;
  double energy = 0;       ///< |u|^2 / 2
  double enstrophy = 0;    ///< |curl u|^2 / 2
  double dissipation = 0;  ///< 2 nu enstrophy
  double divergence = 0;   ///< root mean square of div u
};

/// Of the scalar, means over the box: d<theta^2>/dt = production - dissipation.
struct ScalarBalance {
  double variance = 0;     ///< <theta^2>
  double dissipation = 0;  ///< chi = 2 kappa <|grad theta|^2>
  double production = 0;   ///< - 2 G . <u theta>
};

/// Quantities that need a viscosity, a diffusivity or a variance are NaN without it.
struct ScalarMeasures : ScalarBalance {
  double time_ratio = 0;  ///< (E / epsilon) / (variance / chi)
  double resolution = 0;  ///< k_max times Batchelor's scale (nu kappa^2 / epsilon)^(1/4), for kappa > nu that
                          ///< of Obukhov and Corrsin, (kappa^3 / epsilon)^(1/4)
};

/// With u' = sqrt(2 E / 3). Quantities that need a viscosity are NaN without one.
struct Measures : Balance {
  double skewness = 0;         ///< <(du/dx)^3> / <(du/dx)^2>^(3/2), over the three axes
  double taylor_length = 0;    ///< lambda = u' sqrt(15 nu / epsilon)
  double taylor_reynolds = 0;  ///< u' lambda / nu
  double kolmogorov = 0;       ///< eta = (nu^3 / epsilon)^(1/4)
  double resolution = 0;       ///< k_max eta; k_max is the largest mode in all directions
  std::optional<ScalarMeasures> scalar = {};
};

/// For a mode of the scalar: |s|^2, k^2 |s|^2 and - s* G . u, whose real part a real field has
struct ScalarSums {
  Wavenumbers wavenumbers;
  MeanGradient gradient;
  double scale;  ///< 1 / points^2
  template <class Real>
  SC_FN std::array<double, 3> operator()(At c, Index g, In<Mode<Real>, 4> u) const {
    const auto k = wavenumbers.of(g);
    const double weight = (g.x > 0 ? 2 : 1) * scale;
    const Mode<double> s(u[3][c]);
    const Mode<double> source =
        gradient.source(Mode<double>(u[0][c]), Mode<double>(u[1][c]), Mode<double>(u[2][c]));
    const double square = weight * square_of(c, u, scalar_part);
    return {square, (k[0] * k[0] + k[1] * k[1] + k[2] * k[2]) * square,
            weight * (s.real() * source.real() + s.imag() * source.imag())};
  }
};

/// For a mode: |u|^2 / 2, k^2 |u|^2 / 2 and |k . u|^2; modes with kx > 0 also represent their conjugates.
struct Sums {
  Wavenumbers wavenumbers;
  double scale;  ///< 1 / points^2, because forward transforms are not scaled
  template <class Real>
  SC_FN std::array<double, 3> operator()(At c, Index g, In<Mode<Real>, 3> u) const {
    const auto k = wavenumbers.of(g);
    const double weight = (g.x > 0 ? 2 : 1) * scale;
    const double square = square_of(c, u);
    const Mode<double> x(u[0][c]), y(u[1][c]), z(u[2][c]);
    const Mode<double> divergence = k[0] * x + k[1] * y + k[2] * z;
    return {0.5 * weight * square, 0.5 * weight * (k[0] * k[0] + k[1] * k[1] + k[2] * k[2]) * square,
            weight * (divergence.real() * divergence.real() + divergence.imag() * divergence.imag())};
  }
};

/// g = du_d/dx_d
struct Stretching {
  Wavenumbers wavenumbers;
  int d;
  template <class Real>
  SC_FN void operator()(At c, Index i, Out<Mode<Real>> g, In<Mode<Real>, 3> u) const {
    g[c] = i_times(wavenumbers.of<Real>(i)[static_cast<std::size_t>(d)], u[d][c]);
  }
};

/// At every point r = (…, g): the sums of g^2 and g^3 over the components
struct Moments {
  template <class Real, int N>
  SC_FN std::array<double, 2> operator()(At c, InOut<Real, N> r) const {
    double square = 0, cube = 0;
    for (int d = N - 3; d < N; ++d) {
      const double g = r[d][c];
      square += g * g;
      cube += g * g * g;
    }
    return {square, cube};
  }
};

}  // namespace sc::turbulence
