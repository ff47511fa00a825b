// SPDX-License-Identifier: Apache-2.0
// The nonlinear term: what is done to the modes before the transforms and after them, and at the points.
#pragma once

#include <algorithm>

#include "solvers/turbulence/modes.hpp"

namespace sc::turbulence {

/// to = from
struct Copy {
  template <class Real, int N>
  SC_FN void operator()(At c, Out<Mode<Real>, N> to, In<Mode<Real>, N> from) const {
    for (int d = 0; d < N; ++d) to[d][c] = from[d][c];
  }
};

/// G, the mean gradient of the scalar
struct MeanGradient {
  std::array<double, 3> of{};
  /// - G . u
  template <class Real>
  SC_FN Mode<Real> source(Mode<Real> x, Mode<Real> y, Mode<Real> z) const {
    return -(Real(of[0]) * x + Real(of[1]) * y + Real(of[2]) * z);
  }
};

/// v <- i k x v; the scalar is replaced by its source.
struct Curl {
  Wavenumbers wavenumbers;
  MeanGradient gradient = {};
  template <class Real, int N>
  SC_FN void operator()(At c, Index g, InOut<Mode<Real>, N> v) const {
    const auto k = wavenumbers.of<Real>(g);
    const Mode<Real> x = value(v[0][c]), y = value(v[1][c]), z = value(v[2][c]);
    set(v[0][c], i_times(k[1], z) - i_times(k[2], y));
    set(v[1][c], i_times(k[2], x) - i_times(k[0], z));
    set(v[2][c], i_times(k[0], y) - i_times(k[1], x));
    if constexpr (N > 3) set(v[3][c], gradient.source(x, y, z));
  }
};

/// u = v; v <- i k x v
struct KeepCurl {
  Curl curl;
  template <class Real, int N>
  SC_FN void operator()(At c, Index g, Out<Mode<Real>, N> u, InOut<Mode<Real>, N> v) const {
    Copy{}(c, u, In<Mode<Real>, N>(v));
    curl(c, g, v);
  }
};

/// At every point r = (u, w) is replaced by (u, u x w); with a scalar (theta, u, w) by
/// (theta, theta u, u x w).
struct Cross {
  template <int N>
  static constexpr int velocity = N - 6;  ///< the first of its arrays
  template <class Real, int N>
  SC_FN void operator()(At c, InOut<Real, N> r) const {
    constexpr int o = velocity<N>;
    const Real u = r[o][c], v = r[o + 1][c], w = r[o + 2][c], x = r[o + 3][c], y = r[o + 4][c],
               z = r[o + 5][c];
    r[o + 3][c] = v * z - w * y;
    r[o + 4][c] = w * x - u * z;
    r[o + 5][c] = u * y - v * x;
    if constexpr (o > 0) {
      const Real theta = r[0][c];
      r[1][c] = theta * u;
      r[2][c] = theta * v;
      r[3][c] = theta * w;
    }
  }
};

/// At every point r = (…, u) is replaced by (uu, uv, uw, vv, vw, ww), and (…, u, theta) by the same and
/// theta u.
struct Products {
  template <int N>
  static constexpr int velocity = N > 6 ? 5 : 3;
  template <class Real, int N>
  SC_FN void operator()(At c, InOut<Real, N> r) const {
    constexpr int o = velocity<N>;
    const Real u = r[o][c], v = r[o + 1][c], w = r[o + 2][c];
    if constexpr (N > 6) {
      const Real theta = r[N - 1][c];
      r[6][c] = theta * u;
      r[7][c] = theta * v;
      r[8][c] = theta * w;
    }
    r[0][c] = u * u;
    r[1][c] = u * v;
    r[2][c] = u * w;
    r[3][c] = v * v;
    r[4][c] = v * w;
    r[5][c] = w * w;
  }
};

/// Returns max |u_i| / h_i, then computes the products.
template <class Multiply>
struct Fastest {
  std::array<double, 3> per_spacing;  ///< 1 / h_i
  template <class Real, int N>
  SC_FN double operator()(At c, InOut<Real, N> r) const {
    constexpr int first = Multiply::template velocity<N>;
    double most = 0;
    for (int d = 0; d < 3; ++d)
      most = std::max(most, std::abs(double(r[first + d][c])) * per_spacing[static_cast<std::size_t>(d)]);
    Multiply{}(c, r);
    return most;
  }
};

/// From the product p = u_a u_b: n_a -= i k_b p, and n_b -= i k_a p if a and b differ. With a = 3 from
/// p = theta u_b: n_3 -= i k_b p.
struct Divergence {
  Wavenumbers wavenumbers;
  int a, b;
  bool begins;  ///< before, n still is the velocity (and the scalar); it becomes zero (and the source)
  MeanGradient gradient = {};
  template <class Real, int N>
  SC_FN void operator()(At c, Index g, InOut<Mode<Real>, N> n, In<Mode<Real>> p) const {
    const auto k = wavenumbers.of<Real>(g);
    if (begins) {
      if constexpr (N > 3) n[3][c] = gradient.source(value(n[0][c]), value(n[1][c]), value(n[2][c]));
      n[0][c] = n[1][c] = n[2][c] = Mode<Real>();
    }
    n[a][c] -= i_times(k[static_cast<std::size_t>(b)], p[c]);
    if (b != a && a < 3) n[b][c] -= i_times(k[static_cast<std::size_t>(a)], p[c]);
  }
};

}  // namespace sc::turbulence
