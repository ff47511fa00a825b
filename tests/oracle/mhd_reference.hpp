// SPDX-License-Identifier: Apache-2.0
// Oracle of the magnetosphere solver: the modified leap-frog scheme as plain serial loops over whole arrays
// in a box with any faces, with or without a planet, written from the scheme's description and not from the
// solver's kernels: every average and difference is a loop over its corners with weights, no sum is shared.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "tests/oracle/mhd_faces.hpp"
#include "tests/oracle/planet_reference.hpp"

namespace sc::oracle {

struct MhdOptions {
  Faces box;  // periodic if nothing else is said
  Vector low{};
  double h = 1, gamma = 5.0 / 3.0;
  double dt = 0;  // of every step; 0: from `courant` at the start of each cycle
  double courant = 0;
  int cycle = 8;
  double D = 0, Dp = 0, mu = 0, eta = 0, smoothing = 0;
  bool heating = false;
  double rho_floor = 0, p_floor = 0;
  std::optional<Planet> planet = std::nullopt;
};

class Mhd {
 public:
  explicit Mhd(MhdOptions options) : o(options) {
    const auto points = std::size_t(o.box.n[0] * o.box.n[1] * o.box.n[2]);
    centres.centres = true;
    for (Plasma* set : {&nodes, &centres})
      for (auto& values : set->values) values.assign(points, 0.0);
    if (o.planet) each([&](Cell c) { put(nodes, c, o.planet->start(position(false, c))); });
  }

  /// Returns how many points of both sets are at a floor.
  int step() {
    floors_ = 0;
    if (place_ == 0) begin_cycle();
    const Plasma old = nodes;
    if (place_ == 0)
      centres = evolved(averaged(nodes), nodes, dt / 2, nullptr);
    else
      centres = evolved(centres, nodes, dt, &centres);
    nodes = evolved(old, centres, dt, &old);
    place_ = (place_ + 1) % o.cycle;
    return floors_;
  }

  Vector position(bool centre, Cell c) const {
    Vector r;
    for (std::size_t a = 0; a < 3; ++a) r[a] = o.low[a] + o.h * (c[a] + (centre ? 0.5 : 0.0));
    return r;
  }
  template <class F>
  void each(const F& f) const {
    for (int k = 0; k < o.box.n[2]; ++k)
      for (int j = 0; j < o.box.n[1]; ++j)
        for (int i = 0; i < o.box.n[0]; ++i) f(Cell{i, j, k});
  }
  void put(Plasma& q, Cell c, const State& state) const {
    for (std::size_t v = 0; v < variables; ++v) q.values[v][o.box.index(c)] = state[v];
  }
  State get(const Plasma& q, Cell c) const {
    State state;
    for (std::size_t v = 0; v < variables; ++v) state[v] = q.values[v][o.box.index(c)];
    return state;
  }

  MhdOptions o;
  Plasma nodes, centres;
  double dt = 0;  // of the present cycle

 private:
  /// |v| + sqrt((gamma p + B^2) / rho) at its largest, and the time step, from all nodes that are not held.
  void begin_cycle() {
    double signal = 0, thinnest = 1e300;
    each([&](Cell c) {
      if (o.planet && Planet::radius(position(false, c)) < o.planet->inner) return;
      const State q = get(nodes, c);
      const double v2 = q[vx] * q[vx] + q[vy] * q[vy] + q[vz] * q[vz],
                   B2 = q[bx] * q[bx] + q[by] * q[by] + q[bz] * q[bz];
      signal = std::max(signal, std::sqrt(v2) + std::sqrt((o.gamma * q[pr] + B2) / q[rho]));
      thinnest = std::min(thinnest, q[rho]);
    });
    mixing_ = o.smoothing * o.h * signal;
    const double largest = std::max({o.D, o.Dp, o.mu / thinnest, o.eta}) + mixing_;
    dt = o.courant * o.h / signal;
    if (largest > 0) dt = std::min(dt, 0.15 * o.h * o.h / largest);
    if (o.dt > 0) dt = o.dt;
  }

  double value(const Plasma& q, std::size_t v, Cell c) const { return o.box.value(q, v, c); }

  /// Sum over the 8 points of the set q that surround point c of the other set: of weight * f, with weight
  /// +-1 along `axis`, or 1 for a mean.
  template <class F>
  double over_corners(const Plasma& q, Cell c, int axis, const F& f) const {
    const int low = q.centres ? -1 : 0;
    double sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
      const Cell d{corner & 1, (corner >> 1) & 1, (corner >> 2) & 1};
      const double weight = axis < 0 ? 1.0 : 2.0 * d[std::size_t(axis)] - 1.0;
      sum += weight * f(Cell{c[0] + low + d[0], c[1] + low + d[1], c[2] + low + d[2]});
    }
    return sum;
  }
  double mean(const Plasma& q, Cell c, std::size_t v) const {
    return over_corners(q, c, -1, [&](Cell a) { return value(q, v, a); }) / 8;
  }
  Plasma averaged(const Plasma& q) const {
    Plasma out = centres;
    each([&](Cell c) {
      for (std::size_t v = 0; v < variables; ++v) out.values[v][o.box.index(c)] = mean(q, c, v);
    });
    return out;
  }

  /// from + dt (terms of the equations at the other set's corners + diffusion of `old`), then held about the
  /// planet, then limited from below.
  Plasma evolved(const Plasma& from, const Plasma& other, double dt_, const Plasma* old) {
    Plasma out = from;
    each([&](Cell c) {
      const State rate = rates(other, c);
      State q = get(from, c);
      for (std::size_t v = 0; v < variables; ++v) q[v] += dt_ * rate[v];
      if (old) {
        const double nu = o.mu / value(*old, rho, c);
        const double coefficient[variables] = {o.D, nu, nu, nu, o.Dp, o.eta, o.eta, o.eta};
        for (std::size_t v = 0; v < variables; ++v)
          q[v] += dt_ * coefficient[v] * laplacian(c, [&](Cell n) { return value(*old, v, n); });
        if (mixing_ > 0) mix(*old, c, dt_ * mixing_, q);
      }
      if (o.planet) o.planet->hold(position(from.centres, c), q);
      if (q[rho] < o.rho_floor || q[pr] < o.p_floor) ++floors_;
      q[rho] = std::max(q[rho], o.rho_floor);
      q[pr] = std::max(q[pr], o.p_floor);
      put(out, c, q);
    });
    return out;
  }

  template <class F>
  double laplacian(Cell c, const F& u) const {
    double sum = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      Cell before = c, after = c;
      before[a] -= 1;
      after[a] += 1;
      sum += u(after) - 2 * u(c) + u(before);
    }
    return sum / (o.h * o.h);
  }

  /// What `amount` of Laplacian of mass, momentum, energy and field changes in rho, v, p and B.
  void mix(const Plasma& q, Cell c, double amount, State& out) const {
    const auto at = [&](std::size_t v, Cell n) { return value(q, v, n); };
    const auto share = [&](const auto& u) { return amount * laplacian(c, u); };
    const auto squares = [&](std::size_t first, Cell n) {
      double sum = 0;
      for (std::size_t a = first; a < first + 3; ++a) sum += at(a, n) * at(a, n);
      return sum;
    };
    const double mass = share([&](Cell n) { return at(rho, n); });
    double heat = share([&](Cell n) {
      return at(pr, n) / (o.gamma - 1) + (at(rho, n) * squares(vx, n) + squares(bx, n)) / 2;
    });
    heat += mass * squares(vx, c) / 2;
    for (std::size_t a = 0; a < 3; ++a) {
      const double momentum = share([&](Cell n) { return at(rho, n) * at(vx + a, n); });
      const double field = share([&](Cell n) { return at(bx + a, n); });
      heat -= at(vx + a, c) * momentum + at(bx + a, c) * field;
      // the velocity with which the momentum then present in the cell moves the mass then present
      out[vx + a] += (at(rho, c) * at(vx + a, c) + momentum) / (at(rho, c) + mass) - at(vx + a, c);
      out[bx + a] += field;
    }
    out[rho] += mass;
    out[pr] += o.heating ? (o.gamma - 1) * heat : share([&](Cell n) { return at(pr, n); });
  }

  State rates(const Plasma& q, Cell c) const {
    const auto slope_of = [&](std::size_t axis, const auto& f) {
      return over_corners(q, c, int(axis), f) / (4 * o.h);
    };
    const auto slope = [&](std::size_t axis, std::size_t v) {
      return slope_of(axis, [&](Cell a) { return value(q, v, a); });
    };
    // component b of B - B_dipole
    const auto slope_of_rest = [&](std::size_t axis, std::size_t b) {
      return slope_of(axis, [&](Cell a) {
        return value(q, bx + b, a) - (o.planet ? o.planet->dipole(position(q.centres, a))[b] : 0.0);
      });
    };
    // component a of v x B
    const auto slope_of_cross = [&](std::size_t axis, std::size_t a) {
      const std::size_t b = (a + 1) % 3, d = (a + 2) % 3;
      return slope_of(axis, [&, b, d](Cell n) {
        return value(q, vx + b, n) * value(q, bx + d, n) - value(q, vx + d, n) * value(q, bx + b, n);
      });
    };
    State m;
    for (std::size_t v = 0; v < variables; ++v) m[v] = mean(q, c, v);
    const Vector pull = o.planet ? o.planet->pull(position(!q.centres, c)) : Vector{};
    Vector J;
    for (std::size_t a = 0; a < 3; ++a)
      J[a] = slope_of_rest((a + 1) % 3, (a + 2) % 3) - slope_of_rest((a + 2) % 3, (a + 1) % 3);
    State out{};
    double compression = 0, shear = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      const std::size_t b = (a + 1) % 3, d = (a + 2) % 3;
      out[rho] -= slope_of(a, [&](Cell n) { return value(q, rho, n) * value(q, vx + a, n); });
      out[pr] -= m[vx + a] * slope(a, pr);
      compression += slope(a, vx + a);
      out[vx + a] = (J[b] * m[bx + d] - J[d] * m[bx + b] - slope(a, pr)) / m[rho] + pull[a];
      for (std::size_t e = 0; e < 3; ++e) {
        out[vx + a] -= m[vx + e] * slope(e, vx + a);
        shear += slope(e, vx + a) * slope(e, vx + a);
      }
      out[bx + a] = slope_of_cross(b, d) - slope_of_cross(d, b);
    }
    out[pr] -= o.gamma * m[pr] * compression;
    if (o.heating)
      out[pr] += (o.gamma - 1) * (o.mu * shear + o.eta * (J[0] * J[0] + J[1] * J[1] + J[2] * J[2]));
    return out;
  }

  double mixing_ = 0;
  int place_ = 0, floors_ = 0;
};

}  // namespace sc::oracle
