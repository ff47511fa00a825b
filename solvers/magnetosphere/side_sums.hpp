// SPDX-License-Identifier: Apache-2.0
// Sums over the corners of a cell, by way of its two sides: each side belongs to two cells of a row.
#pragma once

#include "engine/field/fused.hpp"
#include "engine/field/sides.hpp"
#include "engine/field/views.hpp"

namespace sc::magnetosphere {

struct Views {
  In<double> rho;
  In<double, 3> v;
  In<double> p;
  In<double, 3> B;
};

/// What has values in common with the cells beside it along x: sums over the four corners of a side, and of
/// the differences along y and z. Three values for each.
namespace side {
enum Quantity { rho, p, vx, vy, vz, Bx, By, Bz, mass_x, mass_y, mass_z, Ex, Ey, Ez, quantities };
enum Part { sum = 1, y = 2, z = 4, all = sum | y | z };
}  // namespace side

/// Those of a side whose corner with the lowest indices is `low`.
template <class Keep>
SC_FN void sums_over_side(At low, const Views& q, const Keep& keep) {
  const In<double> vx = q.v[0], vy = q.v[1], vz = q.v[2], bx = q.B[0], by = q.B[1], bz = q.B[2];
  const At up = low.y(1);
  const auto sums = [&](side::Quantity quantity, int parts, const auto& f) __attribute__((always_inline)) {
    const double a = f(low), b = f(low.z(1)), c = f(up), d = f(up.z(1));
    const double s0 = a + b, s1 = c + d;
    if (parts & side::sum) keep(3 * quantity, s0 + s1);
    if (parts & side::y) keep(3 * quantity + 1, s1 - s0);
    if (parts & side::z) keep(3 * quantity + 2, (b - a) + (d - c));
  };
  sums(side::rho, side::sum, [&](At c) { return q.rho[c]; });
  sums(side::p, side::all, [&](At c) { return q.p[c]; });
  sums(side::vx, side::all, [&](At c) { return vx[c]; });
  sums(side::vy, side::all, [&](At c) { return vy[c]; });
  sums(side::vz, side::all, [&](At c) { return vz[c]; });
  sums(side::Bx, side::all, [&](At c) { return bx[c]; });
  sums(side::By, side::sum | side::z, [&](At c) { return by[c]; });
  sums(side::Bz, side::sum | side::y, [&](At c) { return bz[c]; });
  sums(side::mass_x, side::sum, [&](At c) { return q.rho[c] * vx[c]; });
  sums(side::mass_y, side::y, [&](At c) { return q.rho[c] * vy[c]; });
  sums(side::mass_z, side::z, [&](At c) { return q.rho[c] * vz[c]; });
  // E = v x B, minus the electric field
  sums(side::Ex, side::y | side::z, [&](At c) { return fused(vy[c], bz[c], -(vz[c] * by[c])); });
  sums(side::Ey, side::sum | side::z, [&](At c) { return fused(vz[c], bx[c], -(vx[c] * bz[c])); });
  sums(side::Ez, side::sum | side::y, [&](At c) { return fused(vx[c], by[c], -(vy[c] * bx[c])); });
}

/// Over the 8 corners, from the sums over both sides.
struct OverCorners {
  const SideValues& sides;
  side::Quantity quantity;
  SC_FN double sum() const { return sides.low(3 * quantity) + sides.high(3 * quantity); }
  SC_FN double x() const { return sides.high(3 * quantity) - sides.low(3 * quantity); }
  SC_FN double y() const { return sides.low(3 * quantity + 1) + sides.high(3 * quantity + 1); }
  SC_FN double z() const { return sides.low(3 * quantity + 2) + sides.high(3 * quantity + 2); }
};

}  // namespace sc::magnetosphere
