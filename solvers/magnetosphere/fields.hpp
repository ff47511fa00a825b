// SPDX-License-Identifier: Apache-2.0
// The fields of one set of points, nodes or centres, and where they lie.
#pragma once

#include <string>

#include "engine/field/field.hpp"
#include "solvers/magnetosphere/kernels.hpp"
#include "solvers/magnetosphere/options.hpp"

namespace sc::magnetosphere {

struct Plasma {
  Plasma(const Grid& grid, const std::string& prefix)
      : rho(grid, prefix + "density", {.levels = 2}),
        v(grid, prefix + "velocity", {.levels = 2}),
        p(grid, prefix + "pressure", {.levels = 2}),
        B(grid, prefix + "magnetic field", {.levels = 2}),
        dipole(grid, prefix + "dipole") {}
  void advance() {
    rho.advance();
    v.advance();
    p.advance();
    B.advance();
  }
  Field<double> rho;
  Field<double, 3> v;
  Field<double> p;
  Field<double, 3> B;
  /// Curl (0 … 2) and divergence (3) that the differences see in the dipole; both are truncation errors.
  Field<double, 4> dipole;
};

inline Lattice3 places_of(const MagnetosphereOptions& o, Half half) {
  const double shift = half == Half::centres ? 0.5 * o.spacing : 0;
  return {o.low[0] + shift, o.low[1] + shift, o.low[2] + shift, o.spacing};
}

}  // namespace sc::magnetosphere
