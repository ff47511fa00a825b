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

// Kernels have the precision of their views. Wavenumbers and coefficients are computed in double and rounded
// to it once.
template <class Real>
using Mode = std::complex<Real>;

/// The wavenumber of a global index on the grid of modes.
struct Wavenumbers {
  std::array<std::int64_t, 3> low;    ///< modes 0 … low - 1 are first
  std::array<std::int64_t, 3> count;  ///< then the negative ones
  template <class Real = double>
  SC_FN std::array<Real, 3> of(Index g) const {
    const auto k = [&](std::size_t axis, std::int64_t i) {
      return static_cast<Real>(i < low[axis] ? i : i - count[axis]);
    };
    return {k(0, g.x), k(1, g.y), k(2, g.z)};
  }
  /// The integer nearest to |k|.
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

// Modes are read and written by parts, because GCC copies whole objects one by one and vectorises nothing.
// Modes that are multiplied with each other (times) are an exception: in vectors GCC 12 fuses a b - c d
// (vfmaddsub) even if contraction is off, so that the scalar rest of a row would have other bits.
template <class Real>
SC_FN Mode<Real> value(const Mode<Real>& m) {
  return {m.real(), m.imag()};
}
template <class Real>
SC_FN void set(Mode<Real>& m, const Mode<Real>& to) {
  m.real(to.real());
  m.imag(to.imag());
}

/// A function of the mode that is a product over the axes, f(kx) f(ky) f(kz): three tables by global index.
template <class T>
struct ByAxis {
  const T *x, *y, *z;
  SC_FN T operator()(Index g) const { return x[g.x] * (y[g.y] * z[g.z]); }
};
/// exp(-nu k^2 t): the viscous decay of a mode
using Decay = ByAxis<double>;
/// exp(i k . s): a shift of the points by s
using Shift = ByAxis<Mode<double>>;

/// a b, without the special cases of the standard's product
template <class Real>
SC_FN Mode<Real> times(Mode<Real> a, Mode<Real> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
/// i a v
template <class Real>
SC_FN Mode<Real> i_times(Real a, Mode<Real> v) {
  return {-a * v.imag(), a * v.real()};
}

/// |v|^2 of a mode's three components, for sums in double
template <class Real>
SC_FN double square_of(At c, const In<Mode<Real>, 3>& v) {
  double square = 0;
  for (int d = 0; d < 3; ++d) {
    const Mode<double> m(v[d][c]);
    square += m.real() * m.real() + m.imag() * m.imag();
  }
  return square;
}

/// v <- i k x v
struct Curl {
  Wavenumbers wavenumbers;
  template <class Real>
  SC_FN void operator()(At c, Index g, InOut<Mode<Real>, 3> v) const {
    const auto k = wavenumbers.of<Real>(g);
    const Mode<Real> x = value(v[0][c]), y = value(v[1][c]), z = value(v[2][c]);
    set(v[0][c], i_times(k[1], z) - i_times(k[2], y));
    set(v[1][c], i_times(k[2], x) - i_times(k[0], z));
    set(v[2][c], i_times(k[0], y) - i_times(k[1], x));
  }
};

/// to = from
struct Copy {
  template <class Real>
  SC_FN void operator()(At c, Out<Mode<Real>, 3> to, In<Mode<Real>, 3> from) const {
    for (int d = 0; d < 3; ++d) to[d][c] = from[d][c];
  }
};

/// u = v; v <- i k x v
struct KeepCurl {
  Curl curl;
  template <class Real>
  SC_FN void operator()(At c, Index g, Out<Mode<Real>, 3> u, InOut<Mode<Real>, 3> v) const {
    Copy{}(c, u, In<Mode<Real>, 3>(v));
    curl(c, g, v);
  }
};

/// At every point r = (u, w) is replaced by (u, u x w).
struct Cross {
  template <class Real>
  SC_FN void operator()(At c, InOut<Real, 6> r) const {
    const Real u = r[0][c], v = r[1][c], w = r[2][c], x = r[3][c], y = r[4][c], z = r[5][c];
    r[3][c] = v * z - w * y;
    r[4][c] = w * x - u * z;
    r[5][c] = u * y - v * x;
  }
};

/// At every point r = (…, u) is replaced by (uu, uv, uw, vv, vw, ww).
struct Products {
  template <class Real>
  SC_FN void operator()(At c, InOut<Real, 6> r) const {
    const Real u = r[3][c], v = r[4][c], w = r[5][c];
    r[0][c] = u * u;
    r[1][c] = u * v;
    r[2][c] = u * w;
    r[3][c] = v * v;
    r[4][c] = v * w;
    r[5][c] = w * w;
  }
};

/// Returns max |u_i| / h_i, then computes the products.
template <class Multiply, int first>
struct Fastest {
  std::array<double, 3> per_spacing;  ///< 1 / h_i
  template <class Real>
  SC_FN double operator()(At c, InOut<Real, 6> r) const {
    double most = 0;
    for (int d = 0; d < 3; ++d)
      most = std::max(most, std::abs(double(r[first + d][c])) * per_spacing[static_cast<std::size_t>(d)]);
    Multiply{}(c, r);
    return most;
  }
};

/// From the product p = u_a u_b: n_a -= i k_b p, and n_b -= i k_a p if a and b differ.
struct Divergence {
  Wavenumbers wavenumbers;
  int a, b;
  bool begins;  ///< n is zero before
  template <class Real>
  SC_FN void operator()(At c, Index g, InOut<Mode<Real>, 3> n, In<Mode<Real>> p) const {
    const auto k = wavenumbers.of<Real>(g);
    if (begins) n[0][c] = n[1][c] = n[2][c] = Mode<Real>();
    n[a][c] -= i_times(k[static_cast<std::size_t>(b)], p[c]);
    if (b != a) n[b][c] -= i_times(k[static_cast<std::size_t>(a)], p[c]);
  }
};

/// n - k (k . n) / k^2; the mean flow has no pressure. Modes outside the sphere are set to zero.
struct Projection {
  Wavenumbers wavenumbers;
  std::array<double, 3> per_points{};  ///< 1 / n_i
  double sphere = 1;                   ///< largest sum of (k_i / n_i)^2; with two thirds no mode reaches 1
  template <class Real>
  SC_FN std::array<Mode<Real>, 3> operator()(At c, Index g, const In<Mode<Real>, 3>& n) const {
    const auto k = wavenumbers.of(g);
    const double square = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
    double relative = 0;
    for (std::size_t d = 0; d < 3; ++d) relative += (k[d] * per_points[d]) * (k[d] * per_points[d]);
    const auto inverse = Real(square > 0 ? 1 / square : 0);
    const auto kept = Real(relative <= sphere ? 1 : 0);
    const Real x = Real(k[0]), y = Real(k[1]), z = Real(k[2]);
    const Mode<Real> u = value(n[0][c]), v = value(n[1][c]), w = value(n[2][c]);
    const Mode<Real> along = (x * u + y * v + z * w) * inverse;
    return {kept * (u - x * along), kept * (v - y * along), kept * (w - z * along)};
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
  template <class Real>
  SC_FN void operator()(At c, Index g, InOut<Mode<Real>, 3> v, Out<Mode<Real>, 3> sum,
                        In<Mode<Real>, 3> u) const {
    stage(c, g, v, sum, u, 0);
  }
  template <class Real>
  SC_FN void stage(At c, Index g, InOut<Mode<Real>, 3> v, Out<Mode<Real>, 3> sum, In<Mode<Real>, 3> u,
                   bool add) const {
    const double e = decay(g);
    const Real av = Real(a(e)), bv = Real(b(e)), su = Real(s(e)), tn = Real(t(e));
    const std::array<Mode<Real>, 3> p = project(c, g, In<Mode<Real>, 3>(v));
    for (int d = 0; d < 3; ++d) {
      const Mode<Real> now = value(u[d][c]), n = p[static_cast<std::size_t>(d)];
      set(v[d][c], av * now + bv * n);
      const Mode<Real> more = su * now + tn * n;
      set(sum[d][c], add ? value(sum[d][c]) + more : more);
    }
  }
};
struct Stage23 : Stage123 {
  template <class Real>
  SC_FN void operator()(At c, Index g, InOut<Mode<Real>, 3> v, InOut<Mode<Real>, 3> sum,
                        In<Mode<Real>, 3> u) const {
    stage(c, g, v, sum, u, true);
  }
};

/// The last stage: v = sum + dt / 6 P n
struct Stage4 {
  Projection project;
  double weight;  ///< dt / 6
  template <class Real>
  SC_FN void operator()(At c, Index g, InOut<Mode<Real>, 3> v, In<Mode<Real>, 3> sum) const {
    const std::array<Mode<Real>, 3> p = project(c, g, In<Mode<Real>, 3>(v));
    for (int d = 0; d < 3; ++d)
      set(v[d][c], value(sum[d][c]) + Real(weight) * p[static_cast<std::size_t>(d)]);
  }
};

/// A stage of Williamson's third-order method with two registers, in the same variable:
///   g = a g + dt P n,   v = e (u + b g),   g <- e g
struct LowStorage {
  Projection project;
  Decay decay;  ///< over this stage's part of dt
  double a, b, dt;
  template <class Real>
  SC_FN void operator()(At c, Index i, InOut<Mode<Real>, 3> v, InOut<Mode<Real>, 3> g,
                        In<Mode<Real>, 3> u) const {
    const Real e = Real(decay(i)), of_g = Real(a), in_v = Real(b), step = Real(dt);
    const std::array<Mode<Real>, 3> p = project(c, i, In<Mode<Real>, 3>(v));
    for (int d = 0; d < 3; ++d) {
      const Mode<Real> now = of_g * value(g[d][c]) + step * p[static_cast<std::size_t>(d)];
      set(v[d][c], e * (value(u[d][c]) + in_v * now));
      set(g[d][c], e * now);
    }
  }
};
/// Its first stage, in which g has no previous value
struct LowStorageFirst {
  LowStorage stage;
  template <class Real>
  SC_FN void operator()(At c, Index i, InOut<Mode<Real>, 3> v, Out<Mode<Real>, 3> g,
                        In<Mode<Real>, 3> u) const {
    for (int d = 0; d < 3; ++d) g[d][c] = Mode<Real>();
    stage(c, i, v, g, u);
  }
};

/// h = exp(i k . s) v: the velocity on shifted points
struct Shifted {
  Shift shift;
  template <class Real>
  SC_FN void operator()(At c, Index g, Out<Mode<Real>, 3> h, In<Mode<Real>, 3> v) const {
    const Mode<Real> f(shift(g));
    for (int d = 0; d < 3; ++d) h[d][c] = times(f, v[d][c]);
  }
};
/// Exchanges v and h.
struct Exchange {
  template <class Real>
  SC_FN void operator()(At c, InOut<Mode<Real>, 3> v, InOut<Mode<Real>, 3> h) const {
    for (int d = 0; d < 3; ++d) {
      const Mode<Real> held = h[d][c];
      h[d][c] = v[d][c];
      v[d][c] = held;
    }
  }
};
/// v = (h + exp(-i k . s) v) / 2: the mean over both grids, in which aliases of opposite signs cancel.
struct Averaged {
  Shift shift;
  template <class Real>
  SC_FN void operator()(At c, Index g, InOut<Mode<Real>, 3> v, In<Mode<Real>, 3> h) const {
    const Mode<Real> f(std::conj(shift(g)));
    for (int d = 0; d < 3; ++d) v[d][c] = Real(0.5) * (h[d][c] + times(f, v[d][c]));
  }
};

/// v <- P v: makes a field divergence-free
struct Projected {
  Projection project;
  template <class Real>
  SC_FN void operator()(At c, Index g, InOut<Mode<Real>, 3> v) const {
    const std::array<Mode<Real>, 3> p = project(c, g, In<Mode<Real>, 3>(v));
    for (int d = 0; d < 3; ++d) set(v[d][c], p[static_cast<std::size_t>(d)]);
  }
};

}  // namespace sc::turbulence
