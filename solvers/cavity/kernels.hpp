// SPDX-License-Identifier: Apache-2.0
// The equations of a cavity time step, cell by cell. xi_d are the computational coordinates, grad[3 d + e] =
// d xi_d / d x_e.
#pragma once

#include <array>
#include <type_traits>

#include "solvers/cavity/metrics.hpp"
#include "solvers/cavity/poisson_kernels.hpp"

namespace sc::cavity {

template <class Real>
SC_FN Real magnitude(Real v) {
  return v < 0 ? -v : v;
}

/// U^d = V . nabla xi_d, in cells per unit time.
template <class Real>
SC_FN Real contravariant(In<Real, 9> grad, In<Real, 3> V, At c, int d) {
  return grad[3 * d][c] * V[0][c] + grad[3 * d + 1][c] * V[1][c] + grad[3 * d + 2][c] * V[2][c];
}

/// (V . nabla) q = sum_d U^d dq/dxi_d + alpha/12 |U^d| d4 q: five-point slope, fourth difference as
/// upwinding. alpha = 1: UTOPIA, 3: Kawamura and Kuwahara.
template <class Real>
SC_FN Real convection(In<Real> q, const std::array<Real, 3>& U, At c, Real alpha) {
  Real sum = 0;
  for (int d = 0; d < 3; ++d) {
    const Real u = U[std::size_t(d)];
    const Real near = q[c.along(d, 1)] + q[c.along(d, -1)];
    const Real d4 = (q[c.along(d, 2)] + q[c.along(d, -2)]) - Real(4) * near + Real(6) * q[c];
    sum += u * diff4(q, c, d) + alpha / Real(12) * magnitude(u) * d4;
  }
  return sum;
}

/// J nabla^2 q along the axes: differences of the fluxes J g^dd dq/dxi_d through the faces.
template <class Real>
SC_FN Real face_fluxes(In<Real, 3> face, In<Real> q, At c) {
  Real sum = 0;
  for (int d = 0; d < 3; ++d)
    sum += face[d][c.along(d, 1)] * (q[c.along(d, 1)] - q[c]) - face[d][c] * (q[c] - q[c.along(d, -1)]);
  return sum;
}
/// The mixed derivatives: +-J g^ab / 2 along the diagonals of each plane (a, b).
template <class Real>
SC_FN Real edge_fluxes(In<Real, 3> edge, In<Real> q, At c) {
  Real sum = 0;
  for (int d = 0; d < 3; ++d) {
    const int a = (d + 1) % 3, b = (d + 2) % 3;
    const At pp = c.along(a, 1).along(b, 1), mm = c.along(a, -1).along(b, -1);
    const At pm = c.along(a, 1).along(b, -1), mp = c.along(a, -1).along(b, 1);
    sum += Real(0.5) * ((edge[d][pp] * (q[pp] - q[c]) + edge[d][c] * (q[mm] - q[c])) -
                        (edge[d][c.along(a, 1)] * (q[pm] - q[c]) + edge[d][c.along(b, 1)] * (q[mp] - q[c])));
  }
  return sum;
}

/// f = nu nabla^2 V - (V . nabla) V.
template <class Real, bool mixed>
struct Accelerate {
  Real nu, alpha;
  SC_FN void operator()(At c, Out<Real, 3> f, In<Real, 3> V, In<Real> J, In<Real, 9> conv, In<Real, 3> face,
                        In<Real, 3> edge) const {
    std::array<Real, 3> U;
    for (int d = 0; d < 3; ++d) U[std::size_t(d)] = contravariant(conv, V, c, d);
    for (int e = 0; e < 3; ++e) {
      Real fluxes = face_fluxes(face, V[e], c);
      if constexpr (mixed) fluxes += edge_fluxes(edge, V[e], c);
      f[e][c] = nu * (fluxes / J[c]) - convection(V[e], U, c, alpha);
    }
  }
};

/// The contribution of an adjacent wall to the row of a cell along one axis: F -> weight F + share V_wall /
/// dt.
template <class Real>
struct RowGain {
  Real weight = 1, share = 0;
  Real width = 1;  ///< of the row, in cells
  std::array<Real, 3> V{};
};

/// Q^d = J nabla xi_d . F with F = V / dt + f; in rows beside walls F is the row's integral, V_wall / dt on
/// the wall (f - nabla p vanishes there). V_wall is V in the first halo layer.
template <class Real>
struct Flux {
  Real per_dt;
  Walls walls;

  SC_FN void operator()(At c, Index g, Out<Real, 3> Q, In<Real, 3> V, In<Real, 3> f, In<Real> J,
                        In<Real, 9> grad) const {
    std::array<RowGain<Real>, 3> gain;
    std::array<Real, 3> cell;
    for (int a = 0; a < 3; ++a) gain[std::size_t(a)] = beside(V, c, g, a);
    for (int e = 0; e < 3; ++e) cell[std::size_t(e)] = V[e][c] * per_dt + f[e][c];
    for (int d = 0; d < 3; ++d) {
      const RowGain<Real>& a = gain[std::size_t((d + 1) % 3)];
      const RowGain<Real>& b = gain[std::size_t((d + 2) % 3)];
      Real sum = 0;
      for (int e = 0; e < 3; ++e) {
        const auto k = std::size_t(e);
        const Real first = a.weight * cell[k] + a.share * (a.V[k] * per_dt);
        sum += grad[3 * d + e][c] * (b.weight * first + b.share * a.width * (b.V[k] * per_dt));
      }
      Q[d][c] = J[c] * sum;
    }
  }
  /// There is a wall on one side at most, because there are at least four cells between walls.
  SC_FN RowGain<Real> beside(In<Real, 3> V, At c, Index g, int a) const {
    const bool low = walls.at_low(g, a), high = walls.at_high(g, a);
    RowGain<Real> r;
    const RowEnd& end = walls.end(a, high ? 1 : 0);
    r.weight = low || high ? Real(end.weight) : Real(1);
    r.share = low || high ? Real(end.share) : Real(0);
    r.width = low || high ? Real(end.weight + end.share) : Real(1);
    const At wall = c.along(a, high ? 1 : -1);  // without a wall its share is zero
    for (int e = 0; e < 3; ++e) r.V[std::size_t(e)] = V[e][wall];
    return r;
  }
};

/// b = J (nabla . V / dt + nabla . f) from differences of face fluxes, which are means of two cells. Returns
/// b and |b|: the Neumann problem has a solution only if the sum of b over all cells vanishes.
template <class Real>
struct Source {
  SC_FN std::array<double, 2> operator()(At c, Out<Real> b, In<Real, 3> Q) const {
    Real sum = 0;
    for (int d = 0; d < 3; ++d)
      sum += Real(0.5) * (Q[d][c] + Q[d][c.along(d, 1)]) - Real(0.5) * (Q[d][c.along(d, -1)] + Q[d][c]);
    b[c] = sum;
    return {double(sum), double(magnitude(sum))};
  }
};

/// nabla p, exact for linear fields.
template <class Real>
SC_FN std::array<Real, 3> gradient(In<Real, 9> grad, In<Real> p, At c) {
  const Real dx = diff2(p, c, 0), dy = diff2(p, c, 1), dz = diff2(p, c, 2);
  std::array<Real, 3> out;
  for (int e = 0; e < 3; ++e)
    out[std::size_t(e)] = grad[e][c] * dx + grad[3 + e][c] * dy + grad[6 + e][c] * dz;
  return out;
}

/// What limits the next step: a rate, dt times which must stay below 1.8, and max |U^d|, in cells per unit
/// time. The rate is the larger one of 4 nu sum g^dd + (4 alpha / 3) sum |U^d|, and of 1.8 / courant max
/// |U^d|: forward Euler amplifies smooth waves that viscosity hardly damps, the less, the smaller the Courant
/// number.
template <class Real>
struct Limits {
  Real nu, alpha, per_courant;  ///< per_courant: 1.8 / courant
  SC_FN std::array<double, 2> operator()(At c, In<Real, 3> V, In<Real, 9> grad, In<Real, 9> conv) const {
    Real viscous = 0, convective = 0, fastest = 0;
    for (int d = 0; d < 3; ++d) {
      for (int e = 0; e < 3; ++e) viscous += grad[3 * d + e][c] * grad[3 * d + e][c];
      const Real speed = magnitude(contravariant(conv, V, c, d));
      convective += speed;
      fastest = speed > fastest ? speed : fastest;
    }
    const Real stiffness = Real(4) * nu * viscous + Real(4) * alpha / Real(3) * convective;
    const Real moving = per_courant * fastest;
    return {double(moving > stiffness ? moving : stiffness), double(fastest)};
  }
};

/// V' = V + dt (f - nabla p); `to_mean`: the mean of what is there and of that. Returns max |dV/dt| of the
/// three components and the limits of the next step.
template <class Real, bool to_mean>
struct Correct {
  using Next = std::conditional_t<to_mean, InOut<Real, 3>, Out<Real, 3>>;
  Real dt;
  Limits<Real> limits;
  SC_FN std::array<double, 3> operator()(At c, Next next, In<Real, 3> V, In<Real, 3> f, In<Real> p,
                                         In<Real, 9> grad, In<Real, 9> conv) const {
    const std::array<Real, 3> dp = gradient(grad, p, c);
    Real largest = 0;
    bool lost = false;
    for (int e = 0; e < 3; ++e) {
      const Real change = f[e][c] - dp[std::size_t(e)];
      const Real there = V[e][c] + dt * change;
      if constexpr (to_mean)
        next[e][c] = Real(0.5) * (next[e][c] + there);
      else
        next[e][c] = there;
      const Real size = magnitude(change);
      largest = size > largest ? size : largest;
      lost = lost || change != change;
    }
    const In<Real, 3> now = next;
    const std::array<double, 2> limit = limits(c, now, grad, conv);
    return {lost ? double(__builtin_nan("")) : double(largest), limit[0], limit[1]};
  }
};

/// div V = sum_d nabla xi_d . dV/dxi_d, central. Returns J (div V)^2 and J.
template <class Real>
struct Divergence {
  SC_FN std::array<double, 2> operator()(At c, In<Real, 3> V, In<Real> J, In<Real, 9> grad) const {
    Real div = 0;
    for (int d = 0; d < 3; ++d)
      for (int e = 0; e < 3; ++e) div += grad[3 * d + e][c] * diff2(V[e], c, d);
    return {double(J[c] * div * div), double(J[c])};
  }
};

/// J p and J, of which the quotient of the sums is the volume mean of p.
template <class Real>
struct MeanOf {
  SC_FN std::array<double, 2> operator()(At c, In<Real> p, In<Real> J) const {
    return {double(J[c]) * double(p[c]), double(J[c])};
  }
};
/// p = x - mean; the mean is subtracted from the solver's iterate too, so that it does not drift.
template <class Real>
struct Centre {
  Real mean;
  SC_FN void operator()(At c, InOut<Real> x, Out<Real> p) const {
    x[c] -= mean;
    p[c] = x[c];
  }
};

}  // namespace sc::cavity
