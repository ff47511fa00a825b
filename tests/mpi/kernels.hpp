// SPDX-License-Identifier: Apache-2.0
// Kernels of several tests.
#pragma once

#include <vector>

#include "engine/subcurrent.hpp"

namespace sc::test {

/// A step of the heat equation.
struct Diffuse {
  double a = 0.1;
  SC_FN void operator()(At c, Out<double> next, In<double> T) const {
    next[c] =
        T[c] + a * (T[c.x(1)] + T[c.x(-1)] + T[c.y(1)] + T[c.y(-1)] + T[c.z(1)] + T[c.z(-1)] - 6 * T[c]);
  }
};
struct Copy {
  SC_FN void operator()(At c, Out<double> to, In<double> from) const { to[c] = from[c]; }
};
/// For sums and maxima.
struct Value {
  SC_FN double operator()(At c, In<double> q) const { return q[c]; }
};

/// What a compiled kernel gets of its parameters.
template <class Kernel>
std::vector<std::byte> bytes_of(const Kernel& kernel) {
  const auto* first = reinterpret_cast<const std::byte*>(&kernel);
  return {first, first + sizeof kernel};
}

}  // namespace sc::test
