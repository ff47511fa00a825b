// SPDX-License-Identifier: Apache-2.0
// The equations: an ideal gas in its conserved variables, each kernel under the formula it computes.
//   state s = (rho, u, v, w, T, mu) with T = p / rho; conserved q = (rho, rho u, rho v, rho w, E)
//   slopes X, Y, Z[i] = d u_i / d x, d y, d z
// Fields are kept in the precision of the views; what is computed of them is computed in double.
#pragma once

#include <array>
#include <cmath>

#include "engine/exec/for_each_line.hpp"
#include "engine/field/views.hpp"
#include "solvers/compressible/options.hpp"
#include "solvers/compressible/power.hpp"

namespace sc::compressible {

enum : int { rho_, u_, v_, w_, T_, mu_, state_size };

struct Gas {
  double gamma = 1.4, prandtl = 0.7;
  double viscosity = 0;  ///< mu at T_0
  double per_T0 = 1;
  ViscosityLaw law = ViscosityLaw::power;
  double exponent = 0.76, sutherland = 0.4;
  SC_FN double cp() const { return gamma / (gamma - 1); }
  SC_FN double mu(double T) const {
    const double t = T * per_T0;
    return viscosity * (law == ViscosityLaw::power ? power(t, exponent)
                                                   : t * std::sqrt(t) * (1 + sutherland) / (t + sutherland));
  }
};

/// 3/8 (f'[n-1] + f'[n+1]) + f'[n] = right side (Lele 1992), 8th order: of what `f` gives for n - 3 … n + 3.
template <class F>
SC_FN double compact(double per_h, F&& f) {
  return per_h * (25.0 / 32 * (f(1) - f(-1)) + 1.0 / 20 * (f(2) - f(-2)) - 1.0 / 480 * (f(3) - f(-3)));
}
constexpr double beside_derivative = 3.0 / 8;
constexpr int reach_of_derivative = 3, reach_of_diffusion = 4;
/// Of the second difference of 8th order: f'' = sum_k w_k (f_k - 2 f + f_-k) / h^2.
constexpr double diffusion_weight[4] = {8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};

/// Cells ahead of the one at work that are asked for.
constexpr int cells_ahead = 4;
template <class Real>
using State = LineIn<Real, state_size>;
template <class Real>
using Slopes = LineIn<Real, 3>;  ///< along one axis
template <class Real>
using Rates = LineOut<Real, 5>;

/// d u_i / d x_a
struct Gradient {
  static constexpr int systems = 3;
  static constexpr unsigned read(int n) { return n == 1 ? 1u << u_ | 1u << v_ | 1u << w_ : ~0u; }
  double per_h = 1;
  template <class Real>
  SC_FN void right(const Bundle& b, State<Real> s, LineOut<double, 3> r) const {
    for (int n = 0; n < b.count; ++n)
      for (int i = 0; i < 3; ++i) {
        const auto u = s[u_ + i];
        const auto ri = r[i];
        b.prefetch(u, n + reach_of_derivative + cells_ahead);
        b.each([&](int l) { ri(n, l) = compact(per_h, [&](int k) { return double(u(n + k, l)); }); });
      }
  }
  template <class Real>
  SC_FN void finish(const Bundle& b, LineOut<Real, 3> G, State<Real>, LineIn<double, 3> x) const {
    for (int n = 0; n < b.count; ++n)
      for (int i = 0; i < 3; ++i) {
        const auto gi = G[i];
        const auto xi = x[i];
        b.prefetch(gi, n + cells_ahead);
        b.each([&](int l) { gi(n, l) = Real(xi(n, l)); });
      }
  }
};

/// alpha (d[n-1] + d[n+1]) + d[n] = -(1 - 2 alpha) / 256 times the 8th difference; q + d: the filter of 8th
/// order (Visbal and Gaitonde 2002) as a correction, so that a constant stays itself.
struct Filter {
  static constexpr int systems = 5;
  double alpha = 0.49;
  template <class Real>
  SC_FN void right(const Bundle& b, LineIn<Real, 5> q, LineOut<double, 5> r) const {
    const double factor = -(1 - 2 * alpha) / 256;
    for (int n = 0; n < b.count; ++n)
      for (int i = 0; i < 5; ++i) {
        const auto f = q[i];
        const auto ri = r[i];
        b.prefetch(f, n + 4 + cells_ahead);
        b.each([&](int l) {
          const double c = f(n, l);
          const auto pair = [&](int k) { return (double(f(n + k, l)) - c) + (double(f(n - k, l)) - c); };
          ri(n, l) = factor * (pair(4) - 8 * pair(3) + 28 * pair(2) - 56 * pair(1));
        });
      }
  }
  template <class Real>
  SC_FN void finish(const Bundle& b, LineOut<Real, 5> to, LineIn<Real, 5> q, LineIn<double, 5> x) const {
    for (int n = 0; n < b.count; ++n)
      for (int i = 0; i < 5; ++i) {
        const auto f = q[i];
        const auto d = x[i];
        const auto out = to[i];
        b.prefetch(f, n + cells_ahead);
        b.prefetch(out, n + cells_ahead);
        b.each([&](int l) { out(n, l) = Real(f(n, l) + d(n, l)); });
      }
  }
};

/// s from q; returns the least of rho and T with the other sign, NaN where either is none.
template <class Real>
SC_FN double set_state(const Gas& gas, const std::array<double, 5>& q, At c, Out<Real, state_size> s) {
  const double per_rho = 1 / q[0];
  const double u = q[1] * per_rho, v = q[2] * per_rho, w = q[3] * per_rho;
  const double T = (gas.gamma - 1) * (q[4] * per_rho - 0.5 * (u * u + v * v + w * w));
  s[rho_][c] = Real(q[0]);
  s[u_][c] = Real(u);
  s[v_][c] = Real(v);
  s[w_][c] = Real(w);
  s[T_][c] = Real(T);
  s[mu_][c] = Real(gas.viscosity > 0 ? gas.mu(T) : 0.0);
  return q[0] < T || !(T == T) ? -q[0] + 0 * T : -T;
}

/// The classical Runge-Kutta method, k the rates of a stage, q_n kept, total summed up:
///   first   total = q_n + dt/6 k     s of q_n + dt/2 k
///   middle  total += dt/3 k          s of q_n + c dt k
///   last    q_(n+1) = total + dt/6 k, and its s
enum class Part { first, middle, last };
template <Part part>
struct Update {
  double dt = 0;
  double c = 0;
  Gas gas;
  template <class Real>
  SC_FN double operator()(At at, Out<Real, 5> to, Out<Real, state_size> s, In<Real, 5> k,
                          In<Real, 5> from) const {
    // first: to = total, from = q; middle: the same; last: to = q, from = total
    constexpr double weight = part == Part::middle ? 1.0 / 3 : 1.0 / 6;
    std::array<double, 5> q{};
    for (int i = 0; i < 5; ++i) {
      const double slope = dt * k[i][at], old = from[i][at];
      if constexpr (part == Part::last) {
        const Real value = Real(old + weight * slope);
        to[i][at] = value;
        q[std::size_t(i)] = value;
      } else {
        q[std::size_t(i)] = old + c * slope;
        to[i][at] = Real((part == Part::first ? old : double(to[i][at])) + weight * slope);
      }
    }
    return set_state(gas, q, at, s);
  }
};
struct Decode {
  Gas gas;
  template <class Real>
  SC_FN double operator()(At c, Out<Real, state_size> s, In<Real, 5> q) const {
    return set_state(gas, {q[0][c], q[1][c], q[2][c], q[3][c], q[4][c]}, c, s);
  }
};

}  // namespace sc::compressible
