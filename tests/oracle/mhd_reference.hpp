// SPDX-License-Identifier: Apache-2.0
// Oracle of the magnetosphere solver: the modified leap-frog scheme as plain serial loops over whole arrays
// in a periodic or mirrored box, written from the scheme's description and not from the solver's kernels:
// every average and difference is a loop over its corners with weights, no sum is shared.
#pragma once

#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <vector>

namespace sc::oracle {

enum Variable { rho, vx, vy, vz, pr, bx, by, bz, variables };

struct MhdOptions {
  std::array<int, 3> n{};
  double h = 1, gamma = 5.0 / 3.0, dt = 0;
  int cycle = 8;
  double D = 0, Dp = 0, mu = 0, eta = 0, mixing = 0;
  bool heating = false;
};

using Cells = std::vector<double>;
using Plasma = std::array<Cells, variables>;

class Mhd {
 public:
  explicit Mhd(MhdOptions options) : o(options) {
    for (Plasma* set : {&nodes, &centres})
      for (Cells& q : *set) q.assign(std::size_t(o.n[0] * o.n[1] * o.n[2]), 0.0);
  }

  void step() {
    const Plasma old = nodes;
    if (place == 0)
      centres = evolved(averaged(nodes, 0), nodes, 0, o.dt / 2, nullptr);
    else
      centres = evolved(centres, nodes, 0, o.dt, &centres);
    nodes = evolved(old, centres, -1, o.dt, &old);
    place = (place + 1) % o.cycle;
  }

  std::size_t at(int i, int j, int k) const {
    const auto wrap = [](int a, int n) { return ((a % n) + n) % n; };
    return std::size_t(wrap(i, o.n[0]) + o.n[0] * (wrap(j, o.n[1]) + o.n[1] * wrap(k, o.n[2])));
  }

  MhdOptions o;
  Plasma nodes, centres;
  int place = 0;

 private:
  using Value = std::function<double(std::size_t)>;

  /// sum over the 8 corners low + {0, 1}^3 of weight * value; weight +-1 along `axis`, or 1 for a mean.
  double over_corners(int i, int j, int k, int low, int axis, const Value& value) const {
    double sum = 0;
    for (int c = 0; c < 8; ++c) {
      const int d[3] = {c & 1, (c >> 1) & 1, (c >> 2) & 1};
      const double weight = axis < 0 ? 1.0 : 2.0 * d[axis] - 1.0;
      sum += weight * value(at(i + low + d[0], j + low + d[1], k + low + d[2]));
    }
    return sum;
  }
  Plasma averaged(const Plasma& q, int low) const {
    Plasma out = q;
    each([&](int i, int j, int k) {
      for (std::size_t v = 0; v < variables; ++v)
        out[v][at(i, j, k)] = over_corners(i, j, k, low, -1, [&](std::size_t c) { return q[v][c]; }) / 8;
    });
    return out;
  }
  template <class F>
  void each(F&& f) const {
    for (int k = 0; k < o.n[2]; ++k)
      for (int j = 0; j < o.n[1]; ++j)
        for (int i = 0; i < o.n[0]; ++i) f(i, j, k);
  }

  /// from + dt (terms of the equations at the other set's corners + diffusion of `old`)
  Plasma evolved(const Plasma& from, const Plasma& q, int low, double dt, const Plasma* old) const {
    Plasma out = from;
    each([&](int i, int j, int k) {
      const auto rate = rates(q, i, j, k, low);
      const std::size_t c = at(i, j, k);
      for (std::size_t v = 0; v < variables; ++v) out[v][c] = from[v][c] + dt * rate[v];
      if (old) {
        const double coefficient[variables] = {
            o.D,  o.mu / (*old)[rho][c], o.mu / (*old)[rho][c], o.mu / (*old)[rho][c], o.Dp, o.eta, o.eta,
            o.eta};
        for (std::size_t v = 0; v < variables; ++v)
          out[v][c] += dt * coefficient[v] * laplacian(i, j, k, [&](std::size_t n) { return (*old)[v][n]; });
        if (o.mixing > 0) mix(*old, i, j, k, dt * o.mixing, out);
      }
    });
    return out;
  }

  double laplacian(int i, int j, int k, const Value& u) const {
    const std::size_t c = at(i, j, k);
    return ((u(at(i + 1, j, k)) - 2 * u(c) + u(at(i - 1, j, k))) +
            (u(at(i, j + 1, k)) - 2 * u(c) + u(at(i, j - 1, k))) +
            (u(at(i, j, k + 1)) - 2 * u(c) + u(at(i, j, k - 1)))) /
           (o.h * o.h);
  }

  /// What `amount` of Laplacian of mass, momentum, energy and field changes in rho, v, p and B.
  void mix(const Plasma& q, int i, int j, int k, double amount, Plasma& out) const {
    const std::size_t c = at(i, j, k);
    const auto share = [&](const Value& u) { return amount * laplacian(i, j, k, u); };
    const auto squares = [&q](std::size_t first, std::size_t n) {
      return q[first][n] * q[first][n] + q[first + 1][n] * q[first + 1][n] +
             q[first + 2][n] * q[first + 2][n];
    };
    const double mass = share([&](std::size_t n) { return q[rho][n]; });
    double heat = share([&](std::size_t n) {
      return q[pr][n] / (o.gamma - 1) + (q[rho][n] * squares(vx, n) + squares(bx, n)) / 2;
    });
    heat += mass * squares(vx, c) / 2;
    for (std::size_t a = 0; a < 3; ++a) {
      const double momentum = share([&](std::size_t n) { return q[rho][n] * q[vx + a][n]; });
      const double field = share([&](std::size_t n) { return q[bx + a][n]; });
      heat -= q[vx + a][c] * momentum + q[bx + a][c] * field;
      // the velocity with which the momentum then present in the cell moves the mass then present
      out[vx + a][c] += (q[rho][c] * q[vx + a][c] + momentum) / (q[rho][c] + mass) - q[vx + a][c];
      out[bx + a][c] += field;
    }
    out[rho][c] += mass;
    out[pr][c] += o.heating ? (o.gamma - 1) * heat : share([&](std::size_t n) { return q[pr][n]; });
  }

  std::array<double, variables> rates(const Plasma& q, int i, int j, int k, int low) const {
    const auto mean = [&](std::size_t v) {
      return over_corners(i, j, k, low, -1, [&](std::size_t c) { return q[v][c]; }) / 8;
    };
    const auto slope_of = [&](int axis, const Value& f) {
      return over_corners(i, j, k, low, axis, f) / (4 * o.h);
    };
    const auto slope = [&](int axis, std::size_t v) {
      return slope_of(axis, [&](std::size_t c) { return q[v][c]; });
    };
    const double v[3] = {mean(vx), mean(vy), mean(vz)}, B[3] = {mean(bx), mean(by), mean(bz)};
    // component a of v x B at a corner
    const auto cross = [&](int a) {
      const std::size_t b = std::size_t((a + 1) % 3), d = std::size_t((a + 2) % 3);
      return Value(
          [&q, b, d](std::size_t c) { return q[vx + b][c] * q[bx + d][c] - q[vx + d][c] * q[bx + b][c]; });
    };
    double J[3], curl[3];
    for (int a = 0; a < 3; ++a) {
      const int b = (a + 1) % 3, d = (a + 2) % 3;
      J[a] = slope(b, std::size_t(bx + d)) - slope(d, std::size_t(bx + b));
      curl[a] = slope_of(b, cross(d)) - slope_of(d, cross(b));
    }
    std::array<double, variables> out{};
    double compression = 0, shear = 0;
    for (int a = 0; a < 3; ++a) {
      const auto va = std::size_t(vx + a);
      out[rho] -= slope_of(a, [&](std::size_t c) { return q[rho][c] * q[va][c]; });
      out[pr] -= v[a] * slope(a, pr);
      compression += slope(a, va);
      const int b = (a + 1) % 3, d = (a + 2) % 3;
      out[va] = (J[b] * B[d] - J[d] * B[b] - slope(a, pr)) / mean(rho);
      for (int e = 0; e < 3; ++e) {
        out[va] -= v[e] * slope(e, va);
        shear += slope(e, va) * slope(e, va);
      }
      out[std::size_t(bx + a)] = curl[a];
    }
    out[pr] -= o.gamma * mean(pr) * compression;
    if (o.heating)
      out[pr] += (o.gamma - 1) * (o.mu * shear + o.eta * (J[0] * J[0] + J[1] * J[1] + J[2] * J[2]));
    return out;
  }
};

}  // namespace sc::oracle
