// SPDX-License-Identifier: Apache-2.0
// Channels for the tests of open faces: along x, with walls across z, periodic across y.
#pragma once

#include <cmath>
#include <functional>

#include "engine/exec/accumulator.hpp"
#include "engine/grid/cells.hpp"
#include "engine/stage/global_value.hpp"
#include "solvers/cavity/solver.hpp"

namespace sc::test {

using cavity::FaceKind;
using cavity::Vec3;

inline cavity::CavityOptions channel(Int3 points, Vec3 size, double reynolds) {
  cavity::CavityOptions o;
  o.points = points;
  o.size = size;
  o.reynolds = reynolds;
  o.faces[0] = {.kind = FaceKind::inflow, .inflow = {.velocity = {1, 0, 0}, .parabolic = true}};
  o.faces[1].kind = FaceKind::outflow;
  o.faces[2].kind = o.faces[3].kind = FaceKind::periodic;
  o.pressure.tolerance = 1e-8;
  return o;
}

using VelocityAt = std::function<Vec3(const Vec3&)>;

/// A flow at the points of `o`, at pressure 0, to start from.
inline cavity::OtherFlow flow_at_points(const cavity::CavityOptions& o, const VelocityAt& velocity) {
  Int3 shift;
  for (int a = 0; a < 3; ++a) shift[a] = o.periodic()[a] ? 0 : 1;
  const auto at = [points = cavity::analytic_points(o), shift](Int3 c) { return points(c - shift); };
  const auto values = [](int components, const auto& of) {
    return [components, of](const Box& box) {
      cavity::BoxValues all;
      for (int e = 0; e < components; ++e) each_cell(box, [&](Int3 c) { all.push_back(of(c, e)); });
      return all;
    };
  };
  return {"the test's flow", o.points, values(3, [at](Int3 c, int e) { return at(c)[std::size_t(e)]; }),
          values(3, [at, velocity](Int3 c, int e) { return velocity(at(c))[std::size_t(e)]; }),
          values(1, [](Int3, int) { return 0.0; })};
}

/// A flow that vanishes on all walls, without divergence: the curl of (0, psi, phi), each 256 B(x) B(y) B(z)
/// times a factor that breaks the symmetry.
inline Vec3 off_centre(const Vec3& x) {
  const auto B = [](double s) { return s * s * (1 - s) * (1 - s); };
  const auto dB = [](double s) { return 2 * s * (1 - s) * (1 - 2 * s); };
  const auto [X, Y, Z] = x;
  return {256 * (B(X) * (dB(Y) * (1 + 2 * Y) + 2 * B(Y)) * B(Z) - B(X) * (1 + X) * B(Y) * dB(Z)),
          -256 * dB(X) * B(Y) * (1 + 2 * Y) * B(Z), 256 * (dB(X) * (1 + X) + B(X)) * B(Y) * B(Z)};
}

/// The largest of `size(point, velocity, pressure)` over the points of all ranks.
inline double largest(cavity::Cavity& solver, const std::function<double(Vec3, Vec3, double)>& size) {
  const auto& x = static_cast<Field<double, 3>&>(solver.coordinates());
  const auto& V = static_cast<Field<double, 3>&>(solver.velocity());
  const auto& p = static_cast<Field<double>&>(solver.pressure());
  const Box own = solver.grid().own();
  double worst = 0;
  for (int k = 0; k < own.hi.z; ++k)
    for (int j = 0; j < own.hi.y; ++j)
      for (int i = 0; i < own.hi.x; ++i) {
        const Int3 c{i, j, k};
        const double here =
            size({x.get(c, 0), x.get(c, 1), x.get(c, 2)}, {V.get(c, 0), V.get(c, 1), V.get(c, 2)}, p.get(c));
        worst = std::isnan(here) ? here : std::max(worst, here);
        if (std::isnan(here)) return NAN;
      }
  Accumulator most(Reduce::max);
  most.add(&worst, 1);
  return GlobalValue(solver.grid().context()).reduce({&most, 1});
}

/// The largest difference of a component of the velocity.
inline double velocity_error(cavity::Cavity& solver, const VelocityAt& exact) {
  return largest(solver, [&](const Vec3& x, const Vec3& V, double) {
    const Vec3 e = exact(x);
    return std::max({std::abs(V[0] - e[0]), std::abs(V[1] - e[1]), std::abs(V[2] - e[2])});
  });
}

/// Steps until max |dV/dt| is below `change`; the number of steps.
inline int run_until_steady(cavity::Cavity& solver, double change, int most = 20000) {
  for (int n = 1; n < most; ++n)
    if (solver.step().max_change < change) return n;
  return most;
}

}  // namespace sc::test
