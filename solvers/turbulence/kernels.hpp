// SPDX-License-Identifier: Apache-2.0
// The equations, mode by mode and point by point:
//
//   du/dt = P(k) . F(u x curl u) - nu k^2 u,   P(k) = I - k k / k^2,   0 <= x, y, z < 2 pi
//
// A passive scalar theta, if there is one, is the fourth component of the modes, s, with a mean gradient G:
//
//   ds/dt = - i k . F(theta u) - G . u - kappa k^2 s
#pragma once

#include "solvers/turbulence/convection.hpp"

namespace sc::turbulence {

/// n - k (k . n) / k^2; the mean flow and the scalar have no pressure. Modes outside the sphere are set to
/// zero.
struct Projection {
  Wavenumbers wavenumbers;
  std::array<double, 3> per_points{};  ///< 1 / n_i
  double sphere = 1;                   ///< largest sum of (k_i / n_i)^2; with two thirds no mode reaches 1
  template <class Real, int N>
  SC_FN std::array<Mode<Real>, N> operator()(At c, Index g, const In<Mode<Real>, N>& n) const {
    const auto k = wavenumbers.of(g);
    const double square = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
    double relative = 0;
    for (std::size_t d = 0; d < 3; ++d) relative += (k[d] * per_points[d]) * (k[d] * per_points[d]);
    const auto inverse = Real(square > 0 ? 1 / square : 0);
    const auto kept = Real(relative <= sphere ? 1 : 0);
    const Real x = Real(k[0]), y = Real(k[1]), z = Real(k[2]);
    const Mode<Real> u = value(n[0][c]), v = value(n[1][c]), w = value(n[2][c]);
    const Mode<Real> along = (x * u + y * v + z * w) * inverse;
    std::array<Mode<Real>, N> p{kept * (u - x * along), kept * (v - y * along), kept * (w - z * along)};
    if constexpr (N > 3) p[3] = kept * value(n[3][c]);
    return p;
  }
};

/// a + b e + c e^2
struct Powers {
  double one, first, second;
  SC_FN double operator()(double e) const { return one + e * (first + e * second); }
};

/// One of the first three stages of the fourth-order Runge-Kutta method in the variable u / exp(-nu k^2 t); n
/// is in v:
///   v = a(e) u + b(e) P n,   sum = s(e) u + t(e) P n, which from the second stage on is added to the sum
struct Stage123 {
  Projection project;
  Decay decay;
  Powers a, b, s, t;
  template <class Real, int N>
  SC_FN void operator()(At c, Index g, InOut<Mode<Real>, N> v, Out<Mode<Real>, N> sum,
                        In<Mode<Real>, N> u) const {
    stage(c, g, v, sum, u, 0);
  }
  template <class Real, int N>
  SC_FN void stage(At c, Index g, InOut<Mode<Real>, N> v, Out<Mode<Real>, N> sum, In<Mode<Real>, N> u,
                   bool add) const {
    const auto weights = [&](double e) { return std::array{Real(a(e)), Real(b(e)), Real(s(e)), Real(t(e))}; };
    auto here = weights(decay.velocity(g));
    const std::array<Mode<Real>, N> p = project(c, g, In<Mode<Real>, N>(v));
    for (int d = 0; d < N; ++d) {
      if (d == scalar_part.first) here = weights(decay.scalar(g));
      const auto [av, bv, su, tn] = here;
      const Mode<Real> now = value(u[d][c]), n = p[static_cast<std::size_t>(d)];
      set(v[d][c], av * now + bv * n);
      const Mode<Real> more = su * now + tn * n;
      set(sum[d][c], add ? value(sum[d][c]) + more : more);
    }
  }
};
struct Stage23 : Stage123 {
  template <class Real, int N>
  SC_FN void operator()(At c, Index g, InOut<Mode<Real>, N> v, InOut<Mode<Real>, N> sum,
                        In<Mode<Real>, N> u) const {
    stage(c, g, v, sum, u, true);
  }
};

/// The last stage: v = sum + dt / 6 P n
struct Stage4 {
  Projection project;
  double weight;  ///< dt / 6
  template <class Real, int N>
  SC_FN void operator()(At c, Index g, InOut<Mode<Real>, N> v, In<Mode<Real>, N> sum) const {
    const std::array<Mode<Real>, N> p = project(c, g, In<Mode<Real>, N>(v));
    for (int d = 0; d < N; ++d)
      set(v[d][c], value(sum[d][c]) + Real(weight) * p[static_cast<std::size_t>(d)]);
  }
};

/// A stage of Williamson's third-order method with two registers, in the same variable:
///   g = a g + dt P n,   v = e (u + b g),   g <- e g
struct LowStorage {
  Projection project;
  Decay decay;  ///< over this stage's part of dt
  double a, b, dt;
  template <class Real, int N>
  SC_FN void operator()(At c, Index i, InOut<Mode<Real>, N> v, InOut<Mode<Real>, N> g,
                        In<Mode<Real>, N> u) const {
    Real e = Real(decay.velocity(i));
    const Real of_g = Real(a), in_v = Real(b), step = Real(dt);
    const std::array<Mode<Real>, N> p = project(c, i, In<Mode<Real>, N>(v));
    for (int d = 0; d < N; ++d) {
      if (d == scalar_part.first) e = Real(decay.scalar(i));
      const Mode<Real> now = of_g * value(g[d][c]) + step * p[static_cast<std::size_t>(d)];
      set(v[d][c], e * (value(u[d][c]) + in_v * now));
      set(g[d][c], e * now);
    }
  }
};
/// Its first stage, in which g has no previous value
struct LowStorageFirst {
  LowStorage stage;
  template <class Real, int N>
  SC_FN void operator()(At c, Index i, InOut<Mode<Real>, N> v, Out<Mode<Real>, N> g,
                        In<Mode<Real>, N> u) const {
    for (int d = 0; d < N; ++d) g[d][c] = Mode<Real>();
    stage(c, i, v, g, u);
  }
};

/// h = exp(i k . s) v: the velocity on shifted points
struct Shifted {
  Shift shift;
  template <class Real, int N>
  SC_FN void operator()(At c, Index g, Out<Mode<Real>, N> h, In<Mode<Real>, N> v) const {
    const Mode<Real> f(shift(g));
    for (int d = 0; d < N; ++d) h[d][c] = times(f, v[d][c]);
  }
};
/// Exchanges v and h.
struct Exchange {
  template <class Real, int N>
  SC_FN void operator()(At c, InOut<Mode<Real>, N> v, InOut<Mode<Real>, N> h) const {
    for (int d = 0; d < N; ++d) {
      const Mode<Real> held = h[d][c];
      h[d][c] = v[d][c];
      v[d][c] = held;
    }
  }
};
/// v = (h + exp(-i k . s) v) / 2: the mean over both grids, in which aliases of opposite signs cancel.
struct Averaged {
  Shift shift;
  template <class Real, int N>
  SC_FN void operator()(At c, Index g, InOut<Mode<Real>, N> v, In<Mode<Real>, N> h) const {
    const Mode<Real> f(std::conj(shift(g)));
    for (int d = 0; d < N; ++d) v[d][c] = Real(0.5) * (h[d][c] + times(f, v[d][c]));
  }
};

/// v <- P v: makes a field divergence-free
struct Projected {
  Projection project;
  template <class Real, int N>
  SC_FN void operator()(At c, Index g, InOut<Mode<Real>, N> v) const {
    const std::array<Mode<Real>, N> p = project(c, g, In<Mode<Real>, N>(v));
    for (int d = 0; d < N; ++d) set(v[d][c], p[static_cast<std::size_t>(d)]);
  }
};

}  // namespace sc::turbulence
