// SPDX-License-Identifier: Apache-2.0
// Manufactured solutions for every operator of the cavity, on a grid that is clustered and skewed: the errors
// whose decrease shows the order.
#pragma once

#include "tests/oracle/cavity_reference.hpp"

namespace sc::oracle::manufactured {

const double pi = 3.14159265358979323846;
constexpr std::array<bool, 3> walls{false, false, false};

// Smoothly clustered (the same mapping at every refinement) and skewed: every cross metric non-zero.
inline Vec3 skewed_clustered(Vec3 s) {
  for (double& t : s) t = tanh_map(t, 1.2);
  return skew_map(s, 0.1);
}

// A smooth function with its derivatives; no symmetry that could hide a missing term.
inline double wave(const Vec3& x) {
  return std::cos(1.3 * x[0] + 0.4) * std::sin(1.7 * x[1] - 0.2) * std::cos(0.9 * x[2] + 0.7);
}
inline Vec3 wave_gradient(const Vec3& x) {
  double a = 1.3 * x[0] + 0.4, b = 1.7 * x[1] - 0.2, c = 0.9 * x[2] + 0.7;
  return {-1.3 * std::sin(a) * std::sin(b) * std::cos(c), 1.7 * std::cos(a) * std::cos(b) * std::cos(c),
          -0.9 * std::cos(a) * std::sin(b) * std::sin(c)};
}
inline double wave_laplacian(const Vec3& x) { return -(1.3 * 1.3 + 1.7 * 1.7 + 0.9 * 0.9) * wave(x); }
inline Vec3 wind(const Vec3& x) {
  return {1 + 0.3 * std::sin(2 * x[1]), -0.7 + 0.2 * std::cos(x[2]), 0.4 + 0.5 * x[0]};
}
inline Vec3 at(const Geometry& g, long o) { return {g.x[0][o], g.x[1][o], g.x[2][o]}; }

struct Norms {
  double l2 = 0, max = 0;
};
template <class Error>
inline Norms norms(const Geometry& g, Error error) {
  double sum = 0, volume = 0, worst = 0;
  g.mesh.for_each_cell([&](Cell, long o) {
    double e = error(o);
    sum += g.J[o] * e * e, volume += g.J[o], worst = std::max(worst, std::abs(e));
  });
  return {std::sqrt(sum / volume), worst};
}

inline Geometry grid(int points, bool fourth) {
  return make_geometry({points - 2, points - 2, points - 2}, walls, skewed_clustered, fourth);
}
// Node values, walls included; the second layer by the velocity's extrapolation.
inline Array node_values(const Geometry& g, const std::function<double(Vec3)>& f) {
  Array q = g.mesh.array();
  g.mesh.for_each({-1, -1, -1}, {g.mesh.n[0] + 1, g.mesh.n[1] + 1, g.mesh.n[2] + 1},
                  [&](Cell, long o) { q[o] = f(at(g, o)); });
  for (int d = 0; d < 3; ++d)
    for (int side : {-1, 1}) {
      long s = -side * g.mesh.stride[d];
      Cell lo{0, 0, 0}, hi = g.mesh.n;
      lo[d] = side < 0 ? -1 : g.mesh.n[d], hi[d] = lo[d] + 1;
      g.mesh.for_each(
          lo, hi, [&](Cell, long o) { q[o - s] = 4 * (q[o] + q[o + 2 * s]) - 6 * q[o + s] - q[o + 3 * s]; });
    }
  return q;
}

inline Norms poisson_error(int points) {
  Geometry g = grid(points, true);
  Multigrid mg(g, {});
  Level& top = mg.top();
  VectorArray Q = g.mesh.vector();
  g.mesh.for_each_cell([&](Cell c, long o) {
    for (int d = 0; d < 3; ++d)
      Q[d][o] = contravariant_flux(g, Faces{}, wave_gradient(at(g, o)), c, o, d, 1.0);
  });
  close_walls(g.mesh, Q);
  g.mesh.for_each_cell([&](Cell, long o) { top.b[o] = scaled_divergence(g, Q, o); });
  double residual = 0;
  mg.solve(g, 1e-8, 200, residual);
  double shift = 0, volume = 0;
  g.mesh.for_each_cell(
      [&](Cell, long o) { shift += g.J[o] * (top.x[o] - wave(at(g, o))), volume += g.J[o]; });
  return norms(g, [&](long o) { return top.x[o] - wave(at(g, o)) - shift / volume; });
}
inline Norms gradient_error(int points) {
  Geometry g = grid(points, true);
  Array p = node_values(g, wave);
  return norms(g, [&](long o) {
    Vec3 got = gradient(g, p, o), want = wave_gradient(at(g, o));
    for (int e = 0; e < 3; ++e) got[e] -= want[e];
    return std::sqrt(dot(got, got));
  });
}
inline Norms laplacian_error(int points) {
  Geometry g = grid(points, true);
  Array q = node_values(g, wave);
  return norms(g, [&](long o) { return laplacian(g, q, o) - wave_laplacian(at(g, o)); });
}
inline Norms convection_error(int points, bool fourth, Upwind upwind) {
  Geometry g = grid(points, fourth);
  Array q = node_values(g, wave);
  VectorArray V = g.mesh.vector();
  g.mesh.for_each_cell([&](Cell, long o) {
    for (int e = 0; e < 3; ++e) V[e][o] = wind(at(g, o))[e];
  });
  return norms(g, [&](long o) {
    return convection(g, V, q, o, upwind_alpha(upwind)) - dot(wind(at(g, o)), wave_gradient(at(g, o)));
  });
}
// The wall value from an exact pressure whose normal derivative is matched by no viscous force: V = 0 needs
// dp/dn = 0, which cos(pi X) cos(pi Y) cos(pi Z) has on the planes of the cube.
inline Norms wall_pressure_error(int points) {
  Geometry g = grid(points, true);
  auto exact = [](Vec3 x) { return std::cos(pi * x[0]) * std::cos(pi * x[1]) * std::cos(pi * x[2]); };
  Array p = node_values(g, exact), computed = p;
  pressure_boundary(g, Faces{}, g.mesh.vector(), 1.0, computed);
  Norms out;
  for (int d = 0; d < 3; ++d)
    for (int side : {-1, g.mesh.n[d]}) {
      Cell lo{0, 0, 0}, hi = g.mesh.n;
      lo[d] = side, hi[d] = side + 1;
      g.mesh.for_each(lo, hi,
                      [&](Cell, long o) { out.max = std::max(out.max, std::abs(computed[o] - p[o])); });
    }
  out.l2 = out.max;
  return out;
}

}  // namespace sc::oracle::manufactured
