// SPDX-License-Identifier: Apache-2.0
// A flux kernel whose bits differ if the two computations of a flux differ or use other cells.
#pragma once

#include "engine/field/fluxes.hpp"

namespace sc::test {

/// Fluxes with mixed products and a division, of a component that depends on the axis.
template <class T>
struct Conserving {
  using FluxType = T;
  T a;
  template <int axis>
  SC_FN T flux_above(At c, Out<T>, In<T> u, In<T> v) const {
    const At up = c.along(axis, 1), beside = c.along((axis + 1) % 3, 1), under = up.along((axis + 2) % 3, -1);
    return u[c] * v[up] - u[beside] * v[under] + (u[up] - u[c]) / (T(2) + v[c] * v[up] + T(axis));
  }
  SC_FN void operator()(At c, Index g, const Fluxes<T>& low, const Fluxes<T>& high, Out<T> out, In<T> u,
                        In<T>) const {
    const T div = (high.x - low.x) + ((high.y - low.y) + (high.z - low.z));
    out[c] = u[c] + a * div + T(0.001) * T(g.x + 2 * g.y + 3 * g.z);
  }
};

}  // namespace sc::test
