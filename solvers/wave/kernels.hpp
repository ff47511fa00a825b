// SPDX-License-Identifier: Apache-2.0
// The wave equation d2p/dt2 = c^2 lap p, with fourth order in space and second in time.
#pragma once

#include "engine/exec/face_kernel.hpp"
#include "engine/stage/sweep.hpp"

namespace sc::wave {

/// h^2 lap p by (-1, 16, -30, 16, -1) / 12 along each axis.
template <class Real>
SC_FN Real laplacian(At c, In<Real> p) {
  const Real near = p[c.x(1)] + p[c.x(-1)] + p[c.y(1)] + p[c.y(-1)] + p[c.z(1)] + p[c.z(-1)];
  const Real far = p[c.x(2)] + p[c.x(-2)] + p[c.y(2)] + p[c.y(-2)] + p[c.z(2)] + p[c.z(-2)];
  return (Real(16) * near - far - Real(90) * p[c]) / Real(12);
}

/// Leapfrog: p(t + dt) overwrites p(t - dt). `k`: (c dt / h)^2.
template <class Real>
struct Advance {
  Real k;
  SC_FN void operator()(At c, InOut<Real> next, In<Real> p) const {
    next[c] = Real(2) * p[c] - next[c] + k * laplacian(c, p);
  }
};

/// p(-dt) of a state at rest.
template <class Real>
struct Begin {
  Real k;
  SC_FN void operator()(At c, Out<Real> before, In<Real> p) const {
    before[c] = p[c] + Real(0.5) * k * laplacian(c, p);
  }
};

/// (p(t) - p(t - dt))^2 / 2 - k p(t - dt) h^2 lap p(t) / 2: the leapfrog step conserves its sum up to
/// rounding, because the Laplacian is symmetric with all face conditions.
template <class Real>
struct Energy {
  double k;
  SC_FN double operator()(At c, In<Real> p, In<Real> before) const {
    const double rise = double(p[c]) - double(before[c]);
    return 0.5 * rise * rise - 0.5 * k * double(before[c]) * double(laplacian(c, p));
  }
};

/// The largest values of p and -p; NaN if p is not finite.
template <class Real>
struct Extremes {
  SC_FN std::array<double, 2> operator()(At c, In<Real> p) const {
    const double q = double(p[c]), lost = q - q;
    return {q + lost, -q + lost};
  }
};

/// A wall with p = 0: halo cells are the mirrored own cells with the opposite sign.
template <class Real>
struct Soft {
  SC_FN void operator()(Border b, Out<Real> p) const {
    for (int n = 1; n <= b.layers; ++n) p[b.ghost(n)] = -p[b.inside(n)];
  }
};

}  // namespace sc::wave
