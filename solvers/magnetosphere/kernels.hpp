// SPDX-License-Identifier: Apache-2.0
// The MHD equations, cell by cell. There are two sets of points: nodes at time n, and centres at n + 1/2,
// which are shifted by half a spacing along every axis. For a point of one set, averages are over its 8
// corners in the other set, and derivatives over the 4 edges in each direction.
#pragma once

#include "solvers/magnetosphere/planet.hpp"
#include "solvers/magnetosphere/side_sums.hpp"

namespace sc::magnetosphere {

/// The set of points that a stage computes.
enum class Half { centres, nodes };
/// The diffusion of a run: none; constant coefficients; or these and the mixing of `smoothing`.
enum class Diffusion { none, constant, mixing };

/// The parameters of one half of a step.
struct Numbers {
  double dt = 0;  ///< time step of this half
  double gamma = 5.0 / 3.0;
  double per_edges = 1;  ///< 1 / (4 h)
  double per_h2 = 1;     ///< 1 / h^2
  double D = 0, D_p = 0, mu = 0, eta = 0;
  double mixing = 0;  ///< diffusivity of all conserved variables
  double heat = 0;    ///< gamma - 1 if viscosity and resistivity heat, else 0
  double rho_floor = 0, p_floor = 0;
  Planet planet{};
  Lattice3 positions{};  ///< positions of the computed points
};

/// The corner of a point with the lowest indices.
template <Half half>
SC_FN At lowest(At c) {
  return half == Half::centres ? c : At{c.i - 1 - c.sy - c.sz, c.sy, c.sz};
}

/// Means over the corners, for the two-step start, and the rates of change by the ideal terms.
struct Change {
  MhdState mean, rate;
};

/// d rho/dt = -div(v rho)
/// d v/dt   = -(v . grad) v - grad p / rho + J x B / rho,  J = curl(B - B_dipole)
/// d p/dt   = -(v . grad) p - gamma p div v + heat (mu |grad v|^2 + eta J^2)
/// d B/dt   = curl(v x B)
template <bool heated>
SC_FN Change change_of(const Numbers& n, const SideValues& sides, Vector dipole_curl) {
  const auto over = [&](side::Quantity quantity) { return OverCorners{sides, quantity}; };
  const double d = n.per_edges;
  const OverCorners p = over(side::p), u = over(side::vx), v = over(side::vy), w = over(side::vz),
                    X = over(side::Bx), Y = over(side::By), Z = over(side::Bz);
  const OverCorners ex = over(side::Ex), ey = over(side::Ey), ez = over(side::Ez);
  const double mass = over(side::mass_x).x() + over(side::mass_y).y() + over(side::mass_z).z();

  constexpr double eighth = 0.125;
  Change out;
  out.mean = {eighth * over(side::rho).sum(),
              eighth * u.sum(),
              eighth * v.sum(),
              eighth * w.sum(),
              eighth * p.sum(),
              eighth * X.sum(),
              eighth * Y.sum(),
              eighth * Z.sum()};
  const MhdState& m = out.mean;
  const double Jx = fused(d, Z.y() - Y.z(), -dipole_curl.x);
  const double Jy = fused(d, X.z() - Z.x(), -dipole_curl.y);
  const double Jz = fused(d, Y.x() - X.y(), -dipole_curl.z);
  const double per_rho = 1 / m.rho;
  const auto dot = [](double ax, double ay, double az, const OverCorners& a) {
    return fused(ax, a.x(), fused(ay, a.y(), az * a.z()));
  };
  const auto advected = [&](const OverCorners& a) { return -d * dot(m.vx, m.vy, m.vz, a); };
  out.rate.rho = -d * mass;
  out.rate.vx = fused(per_rho, fused(Jy, m.Bz, -fused(Jz, m.By, d * p.x())), advected(u));
  out.rate.vy = fused(per_rho, fused(Jz, m.Bx, -fused(Jx, m.Bz, d * p.y())), advected(v));
  out.rate.vz = fused(per_rho, fused(Jx, m.By, -fused(Jy, m.Bx, d * p.z())), advected(w));
  out.rate.p = fused(-n.gamma * d * m.p, u.x() + v.y() + w.z(), advected(p));
  if constexpr (heated) {
    const double shear =
        dot(u.x(), u.y(), u.z(), u) + dot(v.x(), v.y(), v.z(), v) + dot(w.x(), w.y(), w.z(), w);
    const double currents = fused(Jx, Jx, fused(Jy, Jy, Jz * Jz));
    out.rate.p = fused(n.heat, fused(n.mu * (d * d), shear, n.eta * currents), out.rate.p);
  }
  out.rate.Bx = d * (ez.y() - ey.z());
  out.rate.By = d * (ex.z() - ez.x());
  out.rate.Bz = d * (ey.x() - ex.y());
  return out;
}

/// Seven-point Laplacian in the set itself, times h^2.
SC_FN double laplacian(In<double> q, At c) {
  return fused(-6.0, q[c], ((q[c.x(1)] + q[c.x(-1)]) + (q[c.y(1)] + q[c.y(-1)])) + (q[c.z(1)] + q[c.z(-1)]));
}

/// d rho/dt += D lap rho, dv/dt += mu / rho lap v, dp/dt += D_p lap p, dB/dt += eta lap B, all at the old
/// time level: centred in time they would be unstable.
SC_FN void add_diffusion(const Numbers& n, At c, const Views& old, MhdState& rate) {
  const double viscosity = n.per_h2 * (n.mu / old.rho[c]), eta = n.per_h2 * n.eta;
  rate.rho = fused(n.per_h2 * n.D, laplacian(old.rho, c), rate.rho);
  rate.vx = fused(viscosity, laplacian(old.v[0], c), rate.vx);
  rate.vy = fused(viscosity, laplacian(old.v[1], c), rate.vy);
  rate.vz = fused(viscosity, laplacian(old.v[2], c), rate.vz);
  rate.p = fused(n.per_h2 * n.D_p, laplacian(old.p, c), rate.p);
  rate.Bx = fused(eta, laplacian(old.B[0], c), rate.Bx);
  rate.By = fused(eta, laplacian(old.B[1], c), rate.By);
  rate.Bz = fused(eta, laplacian(old.B[2], c), rate.Bz);
}

/// dU/dt += D lap U for the conserved variables U = (rho, rho v, p / (gamma - 1) + rho v^2 / 2 + B^2 / 2, B),
/// which preserves the jumps at shocks. For the primitive variables, with sums over the six neighbours n,
/// these are D/h^2 times sum (rho_n - rho),  sum rho_n (v_n - v) / rho',  sum (B_n - B)  and sum (p_n - p) +
/// heat sum (rho_n |v_n - v|^2 + |B_n - B|^2) / 2. rho' = rho + dt D/h^2 sum (rho_n - rho), the density after
/// the step: with it rho' v' = rho v + dt D/h^2 sum (rho_n v_n - rho v) exactly, and v' is a mean of
/// velocities.
SC_FN void add_mixing(const Numbers& n, At c, const Views& old, MhdState& rate) {
  const double k = n.per_h2 * n.mixing;
  MhdState sum{0, 0, 0, 0, 0, 0, 0, 0};
  double lost = 0;
  const auto add = [&](At m) __attribute__((always_inline)) {
    const double rho = old.rho[m];
    const double vx = old.v[0][m] - old.v[0][c], vy = old.v[1][m] - old.v[1][c],
                 vz = old.v[2][m] - old.v[2][c];
    const double Bx = old.B[0][m] - old.B[0][c], By = old.B[1][m] - old.B[1][c],
                 Bz = old.B[2][m] - old.B[2][c];
    sum = {sum.rho + (rho - old.rho[c]),
           fused(rho, vx, sum.vx),
           fused(rho, vy, sum.vy),
           fused(rho, vz, sum.vz),
           sum.p + (old.p[m] - old.p[c]),
           sum.Bx + Bx,
           sum.By + By,
           sum.Bz + Bz};
    lost =
        fused(rho, fused(vx, vx, fused(vy, vy, vz * vz)), fused(Bx, Bx, fused(By, By, fused(Bz, Bz, lost))));
  };
  add(c.x(1));
  add(c.x(-1));
  add(c.y(1));
  add(c.y(-1));
  add(c.z(1));
  add(c.z(-1));
  const double k_rho = k / fused(n.dt * k, sum.rho, old.rho[c]);
  rate.rho = fused(k, sum.rho, rate.rho);
  rate.vx = fused(k_rho, sum.vx, rate.vx);
  rate.vy = fused(k_rho, sum.vy, rate.vy);
  rate.vz = fused(k_rho, sum.vz, rate.vz);
  rate.p = fused(k, fused(0.5 * n.heat, lost, sum.p), rate.p);
  rate.Bx = fused(k, sum.Bx, rate.Bx);
  rate.By = fused(k, sum.By, rate.By);
  rate.Bz = fused(k, sum.Bz, rate.Bz);
}

SC_FN MhdState advanced(const MhdState& from, double dt, const MhdState& r) {
  return {fused(dt, r.rho, from.rho), fused(dt, r.vx, from.vx), fused(dt, r.vy, from.vy),
          fused(dt, r.vz, from.vz),   fused(dt, r.p, from.p),   fused(dt, r.Bx, from.Bx),
          fused(dt, r.By, from.By),   fused(dt, r.Bz, from.Bz)};
}

/// Limits density and pressure from below by their floors, and stores. Returns 1 if a floor was applied, NaN
/// if the state is not finite.
SC_FN double store(const Numbers& n, At c, const MhdState& q, Out<double> rho, Out<double, 3> v,
                   Out<double> p, Out<double, 3> B) {
  const double sum = (q.rho + q.p) + (q.vx + q.vy + q.vz) + (q.Bx + q.By + q.Bz);
  const bool low = q.rho < n.rho_floor, cold = q.p < n.p_floor;
  rho[c] = low ? n.rho_floor : q.rho;
  p[c] = cold ? n.p_floor : q.p;
  v[0][c] = q.vx;
  v[1][c] = q.vy;
  v[2][c] = q.vz;
  B[0][c] = q.Bx;
  B[1][c] = q.By;
  B[2][c] = q.Bz;
  return (low || cold ? 1.0 : 0.0) + (sum - sum);
}

/// The effect of a planet at a point: none here.
struct NoPlanet {
  SC_FN Vector curl() const { return {0, 0, 0}; }
  SC_FN void pull(MhdState&) const {}
  SC_FN void blend_with_static(MhdState&) const {}
};
struct NearPlanet {
  const Numbers& n;
  In<double, 5> around;  ///< see Plasma::around
  At c;
  Vector r;
  SC_FN Vector curl() const { return {around[0][c], around[1][c], around[2][c]}; }
  SC_FN void pull(MhdState& rate) const { n.planet.pull(r, around[4][c], rate); }
  SC_FN void blend_with_static(MhdState& q) const {
    n.planet.blend_with_static(r, around[4][c], around[3][c], q);
  }
};

/// Lax-Wendroff, first half: centre(n + 1/2) = mean of the nodes(n) + dt/2 rate(nodes).
template <Diffusion diffusion>
struct Predict {
  Numbers n;
  static constexpr int side_values = 3 * side::quantities;
  template <class Keep, class... Rest>
  SC_FN void side_below(At c, const Keep& keep, Out<double>, Out<double, 3>, Out<double>, Out<double, 3>,
                        In<double> rho, In<double, 3> v, In<double> p, In<double, 3> B,
                        const Rest&...) const {
    sums_over_side(lowest<Half::centres>(c), {rho, v, p, B}, keep);
  }
  SC_FN double operator()(At c, Index g, const SideValues& nodes, Out<double> rho1, Out<double, 3> v1,
                          Out<double> p1, Out<double, 3> B1, In<double>, In<double, 3>, In<double>,
                          In<double, 3>, In<double, 5> around) const {
    return step(c, nodes, rho1, v1, p1, B1, NearPlanet{n, around, c, n.positions.at(g)});
  }
  SC_FN double operator()(At c, const SideValues& nodes, Out<double> rho1, Out<double, 3> v1, Out<double> p1,
                          Out<double, 3> B1, In<double>, In<double, 3>, In<double>, In<double, 3>) const {
    return step(c, nodes, rho1, v1, p1, B1, NoPlanet{});
  }
  template <class Planet_>
  SC_FN double step(At c, const SideValues& nodes, Out<double> rho1, Out<double, 3> v1, Out<double> p1,
                    Out<double, 3> B1, const Planet_& planet) const {
    Change change = change_of<diffusion != Diffusion::none>(n, nodes, planet.curl());
    planet.pull(change.rate);
    MhdState q = advanced(change.mean, n.dt, change.rate);
    planet.blend_with_static(q);
    return store(n, c, q, rho1, v1, p1, B1);
  }
};

/// Leap-frog, and the second half of Lax-Wendroff: q(new) = q(old) + dt (rate(other set) + diffusion(old)).
template <Half half, Diffusion diffusion>
struct Leap {
  Numbers n;
  static constexpr int side_values = 3 * side::quantities;
  template <class Keep, class... Rest>
  SC_FN void side_below(At c, const Keep& keep, Out<double>, Out<double, 3>, Out<double>, Out<double, 3>,
                        In<double> rho, In<double, 3> v, In<double> p, In<double, 3> B,
                        const Rest&...) const {
    sums_over_side(lowest<half>(c), {rho, v, p, B}, keep);
  }
  SC_FN double operator()(At c, Index g, const SideValues& other, Out<double> rho1, Out<double, 3> v1,
                          Out<double> p1, Out<double, 3> B1, In<double>, In<double, 3>, In<double>,
                          In<double, 3>, In<double> rho0, In<double, 3> v0, In<double> p0, In<double, 3> B0,
                          In<double, 5> around) const {
    return step(c, other, rho1, v1, p1, B1, {rho0, v0, p0, B0}, NearPlanet{n, around, c, n.positions.at(g)});
  }
  SC_FN double operator()(At c, const SideValues& other, Out<double> rho1, Out<double, 3> v1, Out<double> p1,
                          Out<double, 3> B1, In<double>, In<double, 3>, In<double>, In<double, 3>,
                          In<double> rho0, In<double, 3> v0, In<double> p0, In<double, 3> B0) const {
    return step(c, other, rho1, v1, p1, B1, {rho0, v0, p0, B0}, NoPlanet{});
  }
  template <class Planet_>
  SC_FN double step(At c, const SideValues& other, Out<double> rho1, Out<double, 3> v1, Out<double> p1,
                    Out<double, 3> B1, const Views& old, const Planet_& planet) const {
    MhdState rate = change_of<diffusion != Diffusion::none>(n, other, planet.curl()).rate;
    planet.pull(rate);
    if constexpr (diffusion != Diffusion::none) add_diffusion(n, c, old, rate);
    if constexpr (diffusion == Diffusion::mixing) add_mixing(n, c, old, rate);
    const MhdState from{old.rho[c], old.v[0][c], old.v[1][c], old.v[2][c],
                        old.p[c],   old.B[0][c], old.B[1][c], old.B[2][c]};
    MhdState q = advanced(from, n.dt, rate);
    planet.blend_with_static(q);
    return store(n, c, q, rho1, v1, p1, B1);
  }
};

}  // namespace sc::magnetosphere
