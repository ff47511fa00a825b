// SPDX-License-Identifier: Apache-2.0
// The equations, mode by mode and point by point:
//
//   du/dt = P(k) . F(u x curl u) - nu k^2 u,   P(k) = I - k k / k^2,   0 <= x, y, z < 2 pi
#pragma once

#include <array>
#include <cmath>
#include <complex>

#include "engine/exec/for_each.hpp"

namespace sc::turbulence {

using Mode = std::complex<double>;

/// From a global position on the grid of modes to its wavenumber.
struct Wavenumbers {
  std::array<std::int64_t, 3> low;    ///< modes 0 … low - 1 come first
  std::array<std::int64_t, 3> count;  ///< then the negative ones
  SC_FN std::array<double, 3> of(Index g) const {
    const auto k = [&](std::size_t axis, std::int64_t i) {
      return static_cast<double>(i < low[axis] ? i : i - count[axis]);
    };
    return {k(0, g.x), k(1, g.y), k(2, g.z)};
  }
};

/// i a v
SC_FN Mode turned(double a, Mode v) { return {-a * v.imag(), a * v.real()}; }

/// w = i k x u
struct Curl {
  Wavenumbers wavenumbers;
  SC_FN void operator()(At c, Index g, Out<Mode, 3> w, In<Mode, 3> u) const {
    const auto k = wavenumbers.of(g);
    const Mode x = u[0][c], y = u[1][c], z = u[2][c];
    w[0][c] = turned(k[1], z) - turned(k[2], y);
    w[1][c] = turned(k[2], x) - turned(k[0], z);
    w[2][c] = turned(k[0], y) - turned(k[1], x);
  }
};

/// w <- u x w, at every point
struct Cross {
  SC_FN void operator()(At c, InOut<double, 3> w, In<double, 3> u) const {
    const double x = w[0][c], y = w[1][c], z = w[2][c];
    w[0][c] = u[1][c] * z - u[2][c] * y;
    w[1][c] = u[2][c] * x - u[0][c] * z;
    w[2][c] = u[0][c] * y - u[1][c] * x;
  }
};

/// n <- n - k (k . n) / k^2; the mean flow has no pressure.
struct Projection {
  Wavenumbers wavenumbers;
  SC_FN std::array<Mode, 3> operator()(At c, Index g, const In<Mode, 3>& n) const {
    const auto k = wavenumbers.of(g);
    const double square = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
    const double inverse = square > 0 ? 1 / square : 0;
    const Mode along = (k[0] * n[0][c] + k[1] * n[1][c] + k[2] * n[2][c]) * inverse;
    return {n[0][c] - k[0] * along, n[1][c] - k[1] * along, n[2][c] - k[2] * along};
  }
};

/// e = exp(-nu k^2 dt / 2), what viscosity leaves of a mode after half a step
struct Decay {
  Wavenumbers wavenumbers;
  double rate;  ///< nu dt / 2
  SC_FN void operator()(At c, Index g, Out<double> e) const {
    const auto k = wavenumbers.of(g);
    e[c] = std::exp(-rate * (k[0] * k[0] + k[1] * k[1] + k[2] * k[2]));
  }
};

/// a + b e + c e^2
struct Powers {
  double one, first, second;
  SC_FN double operator()(double e) const { return one + e * (first + e * second); }
};

/// One of the first three stages of the fourth-order Runge-Kutta method in the variable u / exp(-nu k^2 t):
///   v = a(e) u + b(e) P n,   sum = (0 or sum) + s(e) u + t(e) P n
struct Stage123 {
  Projection project;
  Powers a, b, s, t;
  double keep;  ///< of the sum so far
  SC_FN void operator()(At c, Index g, Out<Mode, 3> v, InOut<Mode, 3> sum, In<Mode, 3> u, In<Mode, 3> n,
                        In<double> decay) const {
    const double e = decay[c];
    const double av = a(e), bv = b(e), su = s(e), tn = t(e);
    const std::array<Mode, 3> p = project(c, g, n);
    for (int d = 0; d < 3; ++d) {
      v[d][c] = av * u[d][c] + bv * p[static_cast<std::size_t>(d)];
      sum[d][c] = keep * sum[d][c] + su * u[d][c] + tn * p[static_cast<std::size_t>(d)];
    }
  }
};

/// The last: u = v = sum + dt / 6 P n
struct Stage4 {
  Projection project;
  double weight;  ///< dt / 6
  SC_FN void operator()(At c, Index g, Out<Mode, 3> u, Out<Mode, 3> v, In<Mode, 3> sum, In<Mode, 3> n) const {
    const std::array<Mode, 3> p = project(c, g, n);
    for (int d = 0; d < 3; ++d) u[d][c] = v[d][c] = sum[d][c] + weight * p[static_cast<std::size_t>(d)];
  }
};

/// u = v = P u: a given field, made free of divergence
struct Prepare {
  Projection project;
  SC_FN void operator()(At c, Index g, Out<Mode, 3> u, Out<Mode, 3> v, In<Mode, 3> n) const {
    const std::array<Mode, 3> p = project(c, g, n);
    for (int d = 0; d < 3; ++d) u[d][c] = v[d][c] = p[static_cast<std::size_t>(d)];
  }
};

/// p = P n
struct Projected {
  Projection project;
  SC_FN void operator()(At c, Index g, Out<Mode, 3> p, In<Mode, 3> n) const {
    const std::array<Mode, 3> projected = project(c, g, n);
    for (int d = 0; d < 3; ++d) p[d][c] = projected[static_cast<std::size_t>(d)];
  }
};

/// Of a mode: |u|^2 / 2, k^2 |u|^2 / 2 and |k . u|^2; those with kx > 0 stand for their conjugates too.
struct Sums {
  Wavenumbers wavenumbers;
  double scale;  ///< 1 / points^2: transforms are not scaled forward
  SC_FN std::array<double, 3> operator()(At c, Index g, In<Mode, 3> u) const {
    const auto k = wavenumbers.of(g);
    const double weight = (g.x > 0 ? 2 : 1) * scale;
    double square = 0;
    for (int d = 0; d < 3; ++d) {
      const Mode m = u[d][c];
      square += m.real() * m.real() + m.imag() * m.imag();
    }
    const Mode divergence = k[0] * u[0][c] + k[1] * u[1][c] + k[2] * u[2][c];
    return {0.5 * weight * square, 0.5 * weight * (k[0] * k[0] + k[1] * k[1] + k[2] * k[2]) * square,
            weight * (divergence.real() * divergence.real() + divergence.imag() * divergence.imag())};
  }
};

}  // namespace sc::turbulence
