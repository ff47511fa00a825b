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
  /// The whole number nearest to |k|.
  SC_FN int shell(Index g) const {
    const auto k = of(g);
    return static_cast<int>(std::sqrt(k[0] * k[0] + k[1] * k[1] + k[2] * k[2]) + 0.5);
  }
  int shells() const {
    double square = 0;
    for (const std::int64_t l : low) square += static_cast<double>((l - 1) * (l - 1));
    return static_cast<int>(std::sqrt(square) + 0.5) + 1;
  }
};

/// i a v
SC_FN Mode turned(double a, Mode v) { return {-a * v.imag(), a * v.real()}; }

/// |v|^2 of a mode's three components
SC_FN double square_of(At c, const In<Mode, 3>& v) {
  double square = 0;
  for (int d = 0; d < 3; ++d) {
    const Mode m = v[d][c];
    square += m.real() * m.real() + m.imag() * m.imag();
  }
  return square;
}

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

/// v = u
struct Copy {
  SC_FN void operator()(At c, Out<Mode, 3> v, In<Mode, 3> u) const {
    for (int d = 0; d < 3; ++d) v[d][c] = u[d][c];
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

}  // namespace sc::turbulence
