// SPDX-License-Identifier: Apache-2.0
// Initial conditions: random modes from a counter-based generator, so that every rank generates its own,
// independently of the decomposition and the number of points.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "engine/exec/noise.hpp"
#include "solvers/turbulence/kernels.hpp"

namespace sc::turbulence {

struct RandomField {
  std::vector<double> spectrum;  ///< of the shells 0, 1, 2, …; k = 0 and shells beyond stay zero
  std::uint64_t seed = 1;
};

/// Some components of a Gaussian, divergence-free mode; that at -k is its conjugate.
struct RandomMode {
  Projection project;
  std::uint64_t seed;
  Part part;

  template <class Real, int N>
  SC_FN void operator()(At at, Index g, InOut<Mode<Real>, N> n) const {
    const auto k = project.wavenumbers.of(g);
    // Pairs +-k with kx = 0 are both stored; one is the conjugate of the other.
    const bool mirrored = k[0] == 0 && (k[2] < 0 || (k[2] == 0 && k[1] < 0));
    const double sign = mirrored ? -1 : 1;
    std::uint64_t key = seed;
    for (const double along : k) key = mixed64(key + static_cast<std::uint64_t>(std::int64_t(sign * along)));
    for (int d = part.first; d < part.last; ++d) {
      const auto draw = 2 * static_cast<std::uint64_t>(d);
      const double radius = std::sqrt(-2 * std::log(uniform(key, draw)));
      const double angle = 2 * std::numbers::pi * uniform(key, draw + 1);
      n[d][at] = Mode<Real>(Mode<double>{radius * std::cos(angle), sign * radius * std::sin(angle)});
    }
    const std::array<Mode<Real>, N> p = project(at, g, In<Mode<Real>, N>(n));
    const bool mean = k[0] == 0 && k[1] == 0 && k[2] == 0;
    for (int d = part.first; d < part.last; ++d)
      n[d][at] = mean ? Mode<Real>{} : p[static_cast<std::size_t>(d)];
  }
};

/// n <- f(|k|) n in some components
struct Shape {
  Wavenumbers wavenumbers;
  const double* factors;  ///< one for each shell
  Part part;
  template <class Real, int N>
  SC_FN void operator()(At at, Index g, InOut<Mode<Real>, N> n) const {
    const Real f = Real(factors[wavenumbers.shell(g)]);
    for (int d = part.first; d < part.last; ++d) n[d][at] = f * n[d][at];
  }
};

}  // namespace sc::turbulence
