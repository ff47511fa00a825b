// SPDX-License-Identifier: Apache-2.0
// The fluxes along an axis. The kernel goes along the lines of a bundle once for the right-hand sides and
// once for the rates: it reads each value from memory once in each, asks for it some cells before, and keeps
// what it derives for as many cells as a difference needs.
#pragma once

#include <array>

#include "solvers/compressible/kernels.hpp"

namespace sc::compressible {

/// A quantity at the last `rows` cells to which a kernel has come along the lines of a bundle, in scratch
/// memory: it stays in the first-level cache. `rows` is a power of two.
template <int rows>
class Passing {
 public:
  Passing(const Bundle& b, int k)
      : cells_{b.scratch_memory + k * rows * b.scratch_along, b.scratch_along, 0} {}
  SC_FN double& operator()(int n, int l) const {
    return cells_(static_cast<int>(static_cast<unsigned>(n) % rows), l);
  }

 private:
  LineOut<double> cells_;
};
/// Arrays of scratch for so many rows: a line has at least 8 cells.
constexpr int scratch_for(int rows) { return (rows + 7) / 8; }

/// Mean of 8th-order differences over pairs of cells: d(mu d f) = sum_k w_k 1/2 (mu + mu_k) (f_k - f) / h^2.
/// What a pair exchanges leaves one cell and enters the other: sums are kept. A mode of two cells is damped.
template <class Mu, class F>
SC_FN double diffusion(double per_h2, Mu&& mu, F&& f) {
  double sum = 0;
  for (int k = 1; k <= 4; ++k)
    sum +=
        0.5 * diffusion_weight[k - 1] * ((mu(0) + mu(k)) * (f(k) - f(0)) + (mu(0) + mu(-k)) * (f(-k) - f(0)));
  return per_h2 * sum;
}

/// What flows along x_a, m = rho u_a, H = gamma / (gamma - 1) T + u^2 / 2:
///   mass        d m
///   the rest    1/2 [d(m f) + f d m + m d f],  f = u, v, w, H  (Blaisdell, Spyropoulos and Qin 1996)
///   pressure    d p
///   friction    d(mu d u_i), its work and the flow of heat by diffusion(); the rest of the stress,
///               mu (d_i u_a - 2/3 theta delta_ia), and its work by the compact derivative
/// The first of the axes sets dq/dt, the others add. The stress needs slopes along all axes beforehand; in an
/// inviscid gas there are only those along x_a, which are solved for here and not stored.
template <int axis, bool viscous>
struct Flux {
  static constexpr int derived = 6, systems = viscous ? derived : derived + 3;
  static constexpr int scratch = scratch_for(derived * 8);
  /// Of the rates all; of the state all but perhaps mu; of slopes those along the axis, and what a stress
  /// needs.
  static constexpr unsigned read(int n) {
    if (n < 2) return n == 0 || viscous ? ~0u : ~(1u << mu_);
    const int i = n - 2;
    return i == axis ? ~0u : 1u << axis | 1u << i;
  }
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

  /// mu (d_i u_a - 2/3 theta delta_ia)
  template <class Real>
  SC_FN static double stress(int i, const State<Real>& s, const Slopes<Real>& X, const Slopes<Real>& Y,
                             const Slopes<Real>& Z, int n, int l) {
    const double across = (i == 0 ? X : i == 1 ? Y : Z)[axis](n, l);
    const double theta = double(X[0](n, l)) + Y[1](n, l) + Z[2](n, l);
    return s[mu_](n, l) * (across - (i == axis ? 2.0 / 3 * theta : 0.0));
  }

  /// What is derived, at cell n, with the stresses tau(i, l).
  template <class Real, class Tau>
  SC_FN void flow(const Bundle& b, const State<Real>& s, int n, const std::array<Passing<8>, derived>& f,
                  [[maybe_unused]] Tau&& tau) const {
    b.each([&](int l) {
      const double m = mass_flow(s, n, l), H = enthalpy(s, n, l);
      double energy = 0.5 * m * H;
      for (int i = 0; i < 3; ++i) {
        const double u = s[u_ + i](n, l);
        double momentum = 0.5 * m * u;
        if (i == axis) momentum += double(s[rho_](n, l)) * s[T_](n, l);
        if constexpr (viscous) {
          const double t = tau(i, l);
          momentum -= t;
          energy -= u * t;
        }
        f[std::size_t(1 + i)](n, l) = momentum;
      }
      f[0](n, l) = m;
      f[4](n, l) = energy;
      f[5](n, l) = H;
    });
  }
  /// Right-hand sides along the lines; ahead(n) asks for cell n.
  template <class Real, class Ahead, class Tau>
  SC_FN void right_sides(const Bundle& b, const State<Real>& s, LineOut<double, systems> r, Ahead&& ahead,
                         Tau&& tau) const {
    constexpr int reach = reach_of_derivative;
    const std::array<Passing<8>, derived> f{Passing<8>(b, 0), Passing<8>(b, 1), Passing<8>(b, 2),
                                            Passing<8>(b, 3), Passing<8>(b, 4), Passing<8>(b, 5)};
    const auto derive = [&](int k, int n, auto&& of) {
      const auto rk = r[k];
      b.each([&](int l) { rk(n, l) = compact(per_h, [&](int d) { return double(of(n + d, l)); }); });
    };
    for (int n = -reach; n < b.count + reach; ++n) {
      ahead(n + cells_ahead);
      flow(b, s, n, f, [&](int i, int l) { return tau(i, n, l); });
      if (n < reach) continue;
      for (int k = 0; k < derived; ++k) derive(k, n - reach, f[std::size_t(k)]);
      for (int k = derived; k < systems; ++k) derive(k, n - reach, s[u_ + k - derived]);
    }
  }
  template <class Real>
  SC_FN void right(const Bundle& b, State<Real> s, LineOut<double, systems> r) const {
    const auto ahead = [&](int n) { prefetch_state(b, s, n); };
    right_sides(b, s, r, ahead, [](int, int, int) { return 0.0; });
  }
  template <class Real>
  SC_FN void right(const Bundle& b, State<Real> s, Slopes<Real> X, Slopes<Real> Y, Slopes<Real> Z,
                   LineOut<double, systems> r) const {
    const auto ahead = [&](int n) {
      prefetch_state(b, s, n);
      const Slopes<Real>* slopes[3] = {&X, &Y, &Z};
      for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
          if (read(2 + i) >> k & 1) b.prefetch((*slopes[i])[k], n);
    };
    right_sides(b, s, r, ahead, [&](int i, int n, int l) { return stress(i, s, X, Y, Z, n, l); });
  }
  template <class Real>
  SC_FN void prefetch_state(const Bundle& b, const State<Real>& s, int n) const {
    for (int k = 0; k < state_size; ++k)
      if (read(1) >> k & 1) b.prefetch(s[k], n);
  }

  /// The rates at cell n of the solutions x, with the slopes d(i, l).
  template <class Real, class D>
  SC_FN void convect(const Bundle& b, const Rates<Real>& rate, const State<Real>& s, int n,
                     const LineIn<double, systems>& x, D&& d) const {
    const auto put = [&](int k, int l, double value) {
      if constexpr (axis == 0)
        rate[k](n, l) = Real(value);
      else
        rate[k](n, l) = Real(rate[k](n, l) + value);
    };
    for (int k = 0; k < 5; ++k) b.prefetch(rate[k], n + cells_ahead);
    b.each([&](int l) {
      const double m = mass_flow(s, n, l), dm = x[0](n, l);
      put(0, l, -dm);
      for (int i = 0; i < 3; ++i) put(1 + i, l, -x[1 + i](n, l) - 0.5 * (s[u_ + i](n, l) * dm + m * d(i, l)));
      put(4, l, -x[4](n, l) - 0.5 * (enthalpy(s, n, l) * dm + m * x[5](n, l)));
    });
  }
  template <class Real>
  SC_FN void finish(const Bundle& b, Rates<Real> rate, State<Real> s, LineIn<double, systems> x) const {
    for (int n = 0; n < b.count; ++n) {
      prefetch_state(b, s, n + cells_ahead);
      convect(b, rate, s, n, x, [&](int i, int l) { return x[derived + i](n, l); });
    }
  }
  template <class Real>
  SC_FN void finish(const Bundle& b, Rates<Real> rate, State<Real> s, Slopes<Real> X, Slopes<Real> Y,
                    Slopes<Real> Z, LineIn<double, systems> x) const {
    const Slopes<Real> own = axis == 0 ? X : axis == 1 ? Y : Z;
    const Passing<16> energy(b, 0);  // that diffuses
    for (int n = -reach_of_diffusion; n < reach_of_diffusion; ++n) set_energy(b, s, n, energy);
    for (int n = 0; n < b.count; ++n) {
      prefetch_state(b, s, n + cells_ahead + reach_of_diffusion);
      for (int k = 0; k < 3; ++k) b.prefetch(own[k], n + cells_ahead);
      convect(b, rate, s, n, x, [&](int i, int l) { return own[i](n, l); });
      set_energy(b, s, n + reach_of_diffusion, energy);
      for (int i = 0; i < 3; ++i) diffuse(b, rate[1 + i], s, n, s[u_ + i]);
      diffuse(b, rate[4], s, n, energy);
    }
  }

  /// mu d u_i, and for the energy mu d(u^2 / 2 + cp T / Pr), with the heat conductivity cp mu / Pr.
  template <class Real, class F>
  SC_FN void diffuse(const Bundle& b, LineOut<Real> rate, const State<Real>& s, int n, F f) const {
    const double per_h2 = per_h * per_h;
    const auto mu = s[mu_];
    b.each([&](int l) {
      const double more = diffusion(
          per_h2, [&](int k) { return double(mu(n + k, l)); }, [&](int k) { return double(f(n + k, l)); });
      rate(n, l) = Real(rate(n, l) + more);
    });
  }
  template <class Real>
  SC_FN void set_energy(const Bundle& b, const State<Real>& s, int n, const Passing<16>& energy) const {
    b.each([&](int l) {
      const double u = s[u_](n, l), v = s[v_](n, l), w = s[w_](n, l);
      energy(n, l) = 0.5 * (u * u + v * v + w * w) + gas.cp() / gas.prandtl * s[T_](n, l);
    });
  }
};

}  // namespace sc::compressible
