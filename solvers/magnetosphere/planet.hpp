// SPDX-License-Identifier: Apache-2.0
// The planet at the origin: its dipole, its gravity, and the static state that is held around it.
#pragma once

#include <cmath>

#include "engine/field/fused.hpp"
#include "engine/grid/box.hpp"

namespace sc::magnetosphere {

/// The eight variables of a point, or their rates of change.
struct MhdState {
  double rho, vx, vy, vz, p, Bx, By, Bz;
};

/// A position r from the centre of the planet, or a field there.
struct Vector {
  double x, y, z;
};

SC_FN double square(Vector r) { return fused(r.x, r.x, fused(r.y, r.y, r.z * r.z)); }

/// The positions of the points of one set.
struct Lattice3 {
  double x0 = 0, y0 = 0, z0 = 0;  ///< of the point with global index (0, 0, 0)
  double h = 1;
  SC_FN Vector at(Index g) const {
    return {fused(h, static_cast<double>(g.x), x0), fused(h, static_cast<double>(g.y), y0),
            fused(h, static_cast<double>(g.z), z0)};
  }
};

struct Dipole {
  double mx = 0, mz = 1;  ///< B = m on the equator of r = 1
  double core2 = 1;       ///< r^2 below which r is taken as constant, to avoid the singularity at the centre

  SC_FN double outside_core(double r2) const { return r2 > core2 ? r2 : core2; }
  /// B = (r^2 m - 3 (m . r) r) / r^5, `inverse` = 1 / r
  SC_FN Vector field(Vector r, double inverse) const {
    const double r2 = square(r), inverse2 = inverse * inverse;
    const double inverse5 = inverse2 * inverse2 * inverse;
    const double along = 3 * fused(mx, r.x, mz * r.z);
    return {inverse5 * fused(r2, mx, -(along * r.x)), inverse5 * -(along * r.y),
            inverse5 * fused(r2, mz, -(along * r.z))};
  }
  Vector field(Vector r) const { return field(r, 1 / std::sqrt(outside_core(square(r)))); }
};

struct Planet {
  Dipole dipole;
  double inner2 = 1, outer2 = 4;  ///< r_a^2, and r^2 beyond which the static state has no weight
  double strength = 100;
  double gravity = 0;
  double pressure = 0;
  double rotation = 0;
  double rho_low = 0, p_low = 0;  ///< lower limits of the atmosphere

  double inverse_radius(Vector r) const { return 1 / std::sqrt(dipole.outside_core(square(r))); }
  /// 1 - f, the weight of the static state: f = a_0 h^2 / (a_0 h^2 + 1), h = (r / r_a)^2 - 1 above r_a, f = 0
  /// below; 0 far away.
  double static_weight(Vector r) const {
    const double r2 = square(r), height = r2 / inner2 - 1;
    return r2 < inner2 ? 1 : r2 > outer2 ? 0 : 1 / (strength * height * height + 1);
  }

  /// dv/dt += -g_0 r / r^3
  SC_FN void pull(Vector r, double inverse, MhdState& rate) const {
    const double factor = -gravity * (inverse * inverse * inverse);
    rate.vx = fused(factor, r.x, rate.vx);
    rate.vy = fused(factor, r.y, rate.vy);
    rate.vz = fused(factor, r.z, rate.vz);
  }
  /// rho = r^-3, p = p_0 r^-2, v = Omega x r, B = dipole
  SC_FN MhdState atmosphere(Vector r, double inverse) const {
    const double inverse2 = inverse * inverse, rho = inverse2 * inverse, p = pressure * inverse2;
    const Vector B = dipole.field(r, inverse);
    return {rho > rho_low ? rho : rho_low,
            -rotation * r.y,
            rotation * r.x,
            0,
            p > p_low ? p : p_low,
            B.x,
            B.y,
            B.z};
  }
  /// q <- f q + (1 - f) q_static, `weight` = 1 - f
  SC_FN void blend_with_static(Vector r, double inverse, double weight, MhdState& q) const {
    const MhdState a = atmosphere(r, inverse);
    const auto mix = [&](double& value, double fixed) { value = fused(weight, fixed - value, value); };
    mix(q.rho, a.rho);
    mix(q.vx, a.vx);
    mix(q.vy, a.vy);
    mix(q.vz, a.vz);
    mix(q.p, a.p);
    mix(q.Bx, a.Bx);
    mix(q.By, a.By);
    mix(q.Bz, a.Bz);
  }
};

}  // namespace sc::magnetosphere
