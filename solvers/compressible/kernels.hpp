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

/// A quantity along the lines of a bundle and `reach` cells beyond their ends, in scratch memory.
class Along {
 public:
  Along(const Bundle& b, int scratch, int reach) : cells_(b.scratch(scratch)), reach_(reach) {}
  SC_FN double& operator()(int n, int l) const { return cells_(n + reach_, l); }
  template <class F>
  SC_FN void set(const Bundle& b, F&& f) const {
    for (int n = -reach_; n < b.count + reach_; ++n) b.each([&](int l) { cells_(n + reach_, l) = f(n, l); });
  }

 private:
  LineOut<double> cells_;
  int reach_;
};
/// Arrays of scratch that hold it: a line has at least as many cells as lie beyond its ends.
constexpr int scratch_along = 2;

template <class Real>
using State = LineIn<Real, state_size>;
template <class Real>
using Slopes = LineIn<Real, 3>;  ///< along one axis
template <class Real>
using Rates = LineOut<Real, 5>;

/// d u_i / d x_a
struct Gradient {
  static constexpr int systems = 3;
  double per_h = 1;
  template <class Real>
  SC_FN void right(const Bundle& b, State<Real> s, LineOut<double, 3> r) const {
    for (int i = 0; i < 3; ++i) {
      const auto u = s[u_ + i];
      const auto ri = r[i];
      for (int n = 0; n < b.count; ++n)
        b.each([&](int l) { ri(n, l) = compact(per_h, [&](int k) { return double(u(n + k, l)); }); });
    }
  }
  template <class Real>
  SC_FN void finish(const Bundle& b, LineOut<Real, 3> G, State<Real>, LineIn<double, 3> x) const {
    for (int i = 0; i < 3; ++i) {
      const auto gi = G[i];
      const auto xi = x[i];
      for (int n = 0; n < b.count; ++n) b.each([&](int l) { gi(n, l) = Real(xi(n, l)); });
    }
  }
};

/// Mean of 8th-order differences over pairs of cells: d(mu d f) = sum_k w_k 1/2 (mu + mu_k) (f_k - f) / h^2.
/// What a pair exchanges leaves one cell and enters the other: sums are kept. A mode of two cells is damped.
template <class Mu, class F>
SC_FN double diffusion(double per_h2, Mu&& mu, F&& f) {
  constexpr double weight[4] = {8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
  double sum = 0;
  for (int k = 1; k <= 4; ++k)
    sum += 0.5 * weight[k - 1] * ((mu(0) + mu(k)) * (f(k) - f(0)) + (mu(0) + mu(-k)) * (f(-k) - f(0)));
  return per_h2 * sum;
}

/// What flows along x_a, m = rho u_a, H = gamma / (gamma - 1) T + u^2 / 2:
///   mass        d m
///   the rest    1/2 [d(m f) + f d m + m d f],  f = u, v, w, H  (Blaisdell, Spyropoulos and Qin 1996)
///   pressure    d p
///   friction    d(mu d u_i), its work and the flow of heat by diffusion(); the rest of the stress,
///               mu (d_i u_a - 2/3 theta delta_ia), and its work by the compact derivative
/// The first of the axes sets dq/dt, the others add.
template <int axis, bool viscous>
struct Flux {
  static constexpr int systems = 6;
  static constexpr int scratch = (viscous ? 2 : 1) * scratch_along;
  double per_h = 1;
  Gas gas;

  template <class Real>
  SC_FN double enthalpy(const State<Real>& s, int n, int l) const {
    const double u = s[u_](n, l), v = s[v_](n, l), w = s[w_](n, l);
    return gas.cp() * s[T_](n, l) + 0.5 * (u * u + v * v + w * w);
  }
  template <class Real>
  SC_FN double mass_flow(const State<Real>& s, int n, int l) const {
    return double(s[rho_](n, l)) * s[u_ + axis](n, l);
  }

  /// The derivative of a quantity along the line.
  template <class F>
  SC_FN void derive(const Bundle& b, LineOut<double> r, F&& f) const {
    const Along line(b, 0, reach_of_derivative);
    line.set(b, f);
    for (int n = 0; n < b.count; ++n)
      b.each([&](int l) { r(n, l) = compact(per_h, [&](int k) { return line(n + k, l); }); });
  }

  /// mu (d_i u_a - 2/3 theta delta_ia)
  template <class Real>
  SC_FN static double stress(int i, const State<Real>& s, const Slopes<Real>& X, const Slopes<Real>& Y,
                             const Slopes<Real>& Z, int n, int l) {
    const double across = (i == 0 ? X : i == 1 ? Y : Z)[axis](n, l);
    const double theta = double(X[0](n, l)) + Y[1](n, l) + Z[2](n, l);
    return s[mu_](n, l) * (across - (i == axis ? 2.0 / 3 * theta : 0.0));
  }

  template <class Real>
  SC_FN void right(const Bundle& b, State<Real> s, Slopes<Real> X, Slopes<Real> Y, Slopes<Real> Z,
                   LineOut<double, 6> r) const {
    derive(b, r[0], [&](int n, int l) { return mass_flow(s, n, l); });
    for (int i = 0; i < 3; ++i)
      derive(b, r[1 + i], [&](int n, int l) {
        double f = 0.5 * mass_flow(s, n, l) * s[u_ + i](n, l);
        if (i == axis) f += double(s[rho_](n, l)) * s[T_](n, l);
        if constexpr (viscous) f -= stress(i, s, X, Y, Z, n, l);
        return f;
      });
    derive(b, r[4], [&](int n, int l) {
      double f = 0.5 * mass_flow(s, n, l) * enthalpy(s, n, l);
      if constexpr (viscous)
        for (int i = 0; i < 3; ++i) f -= s[u_ + i](n, l) * stress(i, s, X, Y, Z, n, l);
      return f;
    });
    derive(b, r[5], [&](int n, int l) { return enthalpy(s, n, l); });
  }

  template <class Real>
  SC_FN void finish(const Bundle& b, Rates<Real> rate, State<Real> s, Slopes<Real> X, Slopes<Real> Y,
                    Slopes<Real> Z, LineIn<double, 6> x) const {
    const Slopes<Real> own = axis == 0 ? X : axis == 1 ? Y : Z;
    const auto put = [&](int k, int n, int l, double value) {
      if constexpr (axis == 0)
        rate[k](n, l) = Real(value);
      else
        rate[k](n, l) = Real(rate[k](n, l) + value);
    };
    for (int n = 0; n < b.count; ++n)
      b.each([&](int l) {
        const double m = mass_flow(s, n, l), dm = x[0](n, l);
        put(0, n, l, -dm);
        for (int i = 0; i < 3; ++i)
          put(1 + i, n, l, -x[1 + i](n, l) - 0.5 * (s[u_ + i](n, l) * dm + m * own[i](n, l)));
        put(4, n, l, -x[4](n, l) - 0.5 * (enthalpy(s, n, l) * dm + m * x[5](n, l)));
      });
    if constexpr (viscous) diffuse(b, rate, s);
  }

  /// mu d u_i, and for the energy mu d(u^2 / 2 + cp T / Pr), with the heat conductivity cp mu / Pr.
  template <class Real>
  SC_FN void diffuse(const Bundle& b, Rates<Real> rate, const State<Real>& s) const {
    const double per_h2 = per_h * per_h;
    const auto mu = s[mu_];
    const auto add = [&](LineOut<Real> to, auto f) {
      for (int n = 0; n < b.count; ++n)
        b.each([&](int l) {
          const double more = diffusion(
              per_h2, [&](int k) { return double(mu(n + k, l)); },
              [&](int k) { return double(f(n + k, l)); });
          to(n, l) = Real(to(n, l) + more);
        });
    };
    for (int i = 0; i < 3; ++i) add(rate[1 + i], s[u_ + i]);
    const Along energy(b, 0, reach_of_diffusion);
    energy.set(b, [&](int n, int l) {
      const double u = s[u_](n, l), v = s[v_](n, l), w = s[w_](n, l);
      return 0.5 * (u * u + v * v + w * w) + gas.cp() / gas.prandtl * s[T_](n, l);
    });
    add(rate[4], energy);
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
    for (int i = 0; i < 5; ++i) {
      const auto f = q[i];
      const auto ri = r[i];
      for (int n = 0; n < b.count; ++n)
        b.each([&](int l) {
          const double c = f(n, l);
          const auto pair = [&](int k) { return (double(f(n + k, l)) - c) + (double(f(n - k, l)) - c); };
          ri(n, l) = factor * (pair(4) - 8 * pair(3) + 28 * pair(2) - 56 * pair(1));
        });
    }
  }
  template <class Real>
  SC_FN void finish(const Bundle& b, LineOut<Real, 5> to, LineIn<Real, 5> q, LineIn<double, 5> x) const {
    for (int i = 0; i < 5; ++i) {
      const auto f = q[i];
      const auto d = x[i];
      const auto out = to[i];
      for (int n = 0; n < b.count; ++n) b.each([&](int l) { out(n, l) = Real(f(n, l) + d(n, l)); });
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
