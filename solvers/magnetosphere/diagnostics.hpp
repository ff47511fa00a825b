// SPDX-License-Identifier: Apache-2.0
// Measurements at the nodes: sums, the limits of a step, the divergence of B, cells at a floor.
#pragma once

#include "engine/stage/sweep.hpp"
#include "solvers/magnetosphere/fields.hpp"

namespace sc::magnetosphere {

/// Sums over the 8 corners: of the values, and of the differences along the 4 edges in each direction.
struct Corners8 {
  double sum, x, y, z;
};
template <class F>
SC_FN Corners8 corners(At low, const F& f) {
  const At y = low.y(1);
  const double a = f(low), b = f(low.z(1)), c = f(y), d = f(y.z(1));
  const double e = f(low.x(1)), g = f(low.x(1).z(1)), k = f(y.x(1)), l = f(y.x(1).z(1));
  const double s00 = a + b, s01 = c + d, s10 = e + g, s11 = k + l;
  const double z0 = (b - a) + (d - c), z1 = (g - e) + (l - k);
  const double low_x = s00 + s01, high_x = s10 + s11;
  return {low_x + high_x, high_x - low_x, (s01 - s00) + (s11 - s10), z0 + z1};
}

/// rho, rho v, rho v^2 / 2 + p / (gamma - 1) + B^2 / 2, B, B^2 / 2
struct Totals {
  double per_gamma1;
  SC_FN std::array<double, 9> operator()(At c, In<double> rho, In<double, 3> v, In<double> p,
                                         In<double, 3> B) const {
    const double vx = v[0][c], vy = v[1][c], vz = v[2][c], bx = B[0][c], by = B[1][c], bz = B[2][c];
    const double magnetic = 0.5 * (bx * bx + by * by + bz * bz);
    const double energy = 0.5 * rho[c] * (vx * vx + vy * vy + vz * vz) + p[c] * per_gamma1 + magnetic;
    return {rho[c], rho[c] * vx, rho[c] * vy, rho[c] * vz, energy, bx, by, bz, magnetic};
  }
};

/// v| + sqrt((gamma p + B^2) / rho), and 1 / rho, which limits mu / rho; zero where the state is held.
struct Limits {
  double gamma;
  double inner2;  ///< r_a^2, 0 without a planet
  Lattice3 positions;
  SC_FN std::array<double, 2> operator()(At c, Index g, In<double> rho, In<double, 3> v, In<double> p,
                                         In<double, 3> B) const {
    const Vector r = positions.at(g);
    const double vx = v[0][c], vy = v[1][c], vz = v[2][c], bx = B[0][c], by = B[1][c], bz = B[2][c];
    const double per_rho = 1 / rho[c];
    const double fast = std::sqrt((gamma * p[c] + (bx * bx + by * by + bz * bz)) * per_rho);
    const bool held = square(r) < inner2;
    return {held ? 0.0 : std::sqrt(vx * vx + vy * vy + vz * vz) + fast, held ? 0.0 : per_rho};
  }
};

/// div B| at the centres, without the discretisation error of the dipole; 0 where the state is held.
struct Divergence {
  double per_edges;
  double outer2;
  Lattice3 positions;  ///< positions of the centres
  SC_FN double operator()(At c, Index g, In<double, 3> B, In<double> dipole) const {
    const In<double> bx = B[0], by = B[1], bz = B[2];
    const double div =
        per_edges * (corners(c, [&](At a) { return bx[a]; }).x + corners(c, [&](At a) { return by[a]; }).y +
                     corners(c, [&](At a) { return bz[a]; }).z) -
        dipole[c];
    const Vector r = positions.at(g);
    const bool held = square(r) < outer2;
    return held ? 0.0 : div < 0 ? -div : div;
  }
};

/// Number of cells whose density or pressure equals a floor.
struct AtFloor {
  double rho_floor, p_floor;
  SC_FN double operator()(At c, In<double> rho, In<double> p) const {
    return rho[c] == rho_floor || p[c] == p_floor ? 1.0 : 0.0;
  }
};

inline auto totals_stage(Plasma& q) {
  return Sweep("totals", Totals{}, SweepOptions{.reduce = Reduce::sum, .flops = 20}, reads(q.rho.now()),
               reads(q.v.now()), reads(q.p.now()), reads(q.B.now()));
}
inline auto limits_stage(Plasma& q) {
  return Sweep("limits", Limits{}, SweepOptions{.reduce = Reduce::max, .flops = 20}, reads(q.rho.now()),
               reads(q.v.now()), reads(q.p.now()), reads(q.B.now()));
}
inline auto divergence_stage(Plasma& nodes, Plasma& centres) {
  return Sweep("divergence", Divergence{}, SweepOptions{.reduce = Reduce::max, .flops = 30},
               reads(nodes.B.now(), box(1)), reads(centres.dipole_divergence.now()));
}
inline auto floor_stage(Plasma& q) {
  return Sweep("floors", AtFloor{}, SweepOptions{.reduce = Reduce::sum}, reads(q.rho.now()),
               reads(q.p.now()));
}

using FloorStage = decltype(floor_stage(std::declval<Plasma&>()));

/// All diagnostics. They are kept, because on a device the sums of a stage have memory of their own.
struct Diagnostics {
  Diagnostics(Plasma& nodes, Plasma& centres)
      : limits(limits_stage(nodes)),
        totals(totals_stage(nodes)),
        divergence(divergence_stage(nodes, centres)),
        low_nodes(floor_stage(nodes)),
        low_centres(floor_stage(centres)) {}
  decltype(limits_stage(std::declval<Plasma&>())) limits;
  decltype(totals_stage(std::declval<Plasma&>())) totals;
  decltype(divergence_stage(std::declval<Plasma&>(), std::declval<Plasma&>())) divergence;
  FloorStage low_nodes, low_centres;
};

}  // namespace sc::magnetosphere
