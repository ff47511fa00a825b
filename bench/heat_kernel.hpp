// SPDX-License-Identifier: Apache-2.0
// The kernel of the heat equation benchmarks.
#pragma once

#include "engine/subcurrent.hpp"

namespace sc::bench {

/// T += a (sum of the six neighbours - 6 T)
template <class Real>
struct Diffuse {
  Real a;
  SC_FN void operator()(At c, Out<Real> next, In<Real> T) const {
    next[c] =
        T[c] + a * (T[c.x(1)] + T[c.x(-1)] + T[c.y(1)] + T[c.y(-1)] + T[c.z(1)] + T[c.z(-1)] - 6 * T[c]);
  }
};

}  // namespace sc::bench
