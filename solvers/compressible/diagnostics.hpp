// SPDX-License-Identifier: Apache-2.0
// What is measured of a compressible flow: sums over the cells, extremes, the limits of a step.
#pragma once

#include "solvers/compressible/kernels.hpp"

namespace sc::compressible {

/// |u_a| summed over the axes with c, each over its spacing, and 4/3 gamma / Pr mu / rho over its square:
/// what bounds the step.
struct Limits {
  Gas gas;
  std::array<double, 3> per_h{};
  template <class Real>
  SC_FN std::array<double, 2> operator()(At c, In<Real, state_size> s) const {
    const double sound = std::sqrt(gas.gamma * s[T_][c]);
    double signal = 0, squares = 0;
    for (int a = 0; a < 3; ++a) {
      signal += std::abs(s[u_ + a][c]) * per_h[std::size_t(a)];
      squares += per_h[std::size_t(a)] * per_h[std::size_t(a)];
    }
    const double spread = gas.gamma / gas.prandtl > 4.0 / 3 ? gas.gamma / gas.prandtl : 4.0 / 3;
    return {signal + sound * std::sqrt(squares), spread * s[mu_][c] / s[rho_][c] * squares};
  }
};

/// rho, rho u, E; rho u^2 / 2, u^2, c; w^2, theta^2, theta^3, mu w^2, 4/3 mu theta^2, mu / rho, sums of
/// (d u_i / d x_i)^2, p theta, sums of (d u_i / d x_i)^3, and what friction takes of the kinetic energy: w is
/// the vorticity, theta the dilatation.
constexpr int sums_ = 18;
struct Totals {
  Gas gas;
  std::array<double, 3> per_h{};

  /// Of the pairs of this cell and the next four along an axis, whose velocities diffusion brings together:
  /// sum_k w_k 1/2 (mu + mu_k) |u_k - u|^2 / h^2. Over all cells it is -sum u d(mu d u), by parts.
  template <int axis, class Real>
  SC_FN double of_pairs(At c, In<Real, state_size> s) const {
    double sum = 0;
    for (int k = 1; k <= reach_of_diffusion; ++k) {
      const At there = axis == 0 ? c.x(k) : axis == 1 ? c.y(k) : c.z(k);
      double square = 0;
      for (int i = 0; i < 3; ++i) {
        const double change = double(s[u_ + i][there]) - s[u_ + i][c];
        square += change * change;
      }
      sum += 0.5 * diffusion_weight[k - 1] * (double(s[mu_][c]) + s[mu_][there]) * square;
    }
    return per_h[axis] * per_h[axis] * sum;
  }
  /// Of the pairs, and of the rest of the stress mu (d_i u_a d_a u_i - 2/3 theta^2).
  template <class Real>
  SC_FN double friction(At c, In<Real, state_size> s, In<Real, 3> X, In<Real, 3> Y, In<Real, 3> Z) const {
    const double xx = X[0][c], yy = Y[1][c], zz = Z[2][c], theta = xx + yy + zz;
    const double mixed = double(X[1][c]) * Y[0][c] + double(X[2][c]) * Z[0][c] + double(Y[2][c]) * Z[1][c];
    const double crossed = xx * xx + yy * yy + zz * zz + 2 * mixed - 2.0 / 3 * theta * theta;
    return of_pairs<0>(c, s) + of_pairs<1>(c, s) + of_pairs<2>(c, s) + s[mu_][c] * crossed;
  }
  template <class Real>
  SC_FN std::array<double, sums_> operator()(At c, In<Real, state_size> s, In<Real, 3> X, In<Real, 3> Y,
                                             In<Real, 3> Z) const {
    const double rho = s[rho_][c], u = s[u_][c], v = s[v_][c], w = s[w_][c], T = s[T_][c], mu = s[mu_][c];
    const double square = u * u + v * v + w * w;
    const double xx = X[0][c], yy = Y[1][c], zz = Z[2][c];
    const double a = double(Y[2][c]) - Z[1][c], b = double(Z[0][c]) - X[2][c], d = double(X[1][c]) - Y[0][c];
    const double enstrophy = a * a + b * b + d * d;
    const double theta = xx + yy + zz;
    return {rho,
            rho * u,
            rho * v,
            rho * w,
            rho * (T / (gas.gamma - 1) + 0.5 * square),
            0.5 * rho * square,
            square,
            std::sqrt(gas.gamma * T),
            enstrophy,
            theta * theta,
            theta * theta * theta,
            mu * enstrophy,
            4.0 / 3 * mu * theta * theta,
            mu / rho,
            xx * xx + yy * yy + zz * zz,
            rho * T * theta,
            xx * xx * xx + yy * yy * yy + zz * zz * zz,
            gas.viscosity > 0 ? friction(c, s, X, Y, Z) : 0.0};
  }
};

/// rho u^2 / 2
struct Kinetic {
  template <class Real>
  SC_FN double operator()(At c, In<Real, state_size> s) const {
    const double u = s[u_][c], v = s[v_][c], w = s[w_][c];
    return 0.5 * s[rho_][c] * (u * u + v * v + w * w);
  }
};

/// -rho, rho, -p, p, |theta|
struct Extremes {
  template <class Real>
  SC_FN std::array<double, 5> operator()(At c, In<Real, state_size> s, In<Real, 3> X, In<Real, 3> Y,
                                         In<Real, 3> Z) const {
    const double rho = s[rho_][c], p = rho * s[T_][c];
    return {-rho, rho, -p, p, std::abs(double(X[0][c]) + Y[1][c] + Z[2][c])};
  }
};

/// What files show.
struct Show {
  template <class Real>
  SC_FN void operator()(At c, Out<Real> density, Out<Real, 3> velocity, Out<Real> pressure,
                        Out<Real> dilatation, Out<Real, 3> vorticity, In<Real, state_size> s, In<Real, 3> X,
                        In<Real, 3> Y, In<Real, 3> Z) const {
    density[c] = s[rho_][c];
    pressure[c] = s[rho_][c] * s[T_][c];
    for (int i = 0; i < 3; ++i) velocity[i][c] = s[u_ + i][c];
    dilatation[c] = X[0][c] + Y[1][c] + Z[2][c];
    vorticity[0][c] = Y[2][c] - Z[1][c];
    vorticity[1][c] = Z[0][c] - X[2][c];
    vorticity[2][c] = X[1][c] - Y[0][c];
  }
};

}  // namespace sc::compressible
