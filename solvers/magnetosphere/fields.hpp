// SPDX-License-Identifier: Apache-2.0
// The fields of one set of points, nodes or centres, and the positions of these.
#pragma once

#include <string>

#include "engine/field/field.hpp"
#include "solvers/magnetosphere/kernels.hpp"
#include "solvers/magnetosphere/options.hpp"

namespace sc::magnetosphere {

struct Plasma {
  Plasma(const Grid& grid, const std::string& prefix, Space space)
      : rho(grid, prefix + "density", {.levels = 2, .space = space}),
        v(grid, prefix + "velocity", {.levels = 2, .space = space}),
        p(grid, prefix + "pressure", {.levels = 2, .space = space}),
        B(grid, prefix + "magnetic field", {.levels = 2, .space = space}),
        around(grid, prefix + "surroundings", {.space = space}),
        dipole_divergence(grid, prefix + "dipole's divergence", {.space = space}) {}
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
  /// 0 … 2: the discrete curl of the dipole, a truncation error; 3: 1 - f, the weight of the held state; 4: 1
  /// / r. Empty without a planet, as is the next field.
  Field<double, 5> around;
  Field<double> dipole_divergence;
};

inline Lattice3 positions_of(const MagnetosphereOptions& o, Half half) {
  const double shift = half == Half::centres ? 0.5 * o.spacing : 0;
  return {o.low[0] + shift, o.low[1] + shift, o.low[2] + shift, o.spacing};
}

}  // namespace sc::magnetosphere
