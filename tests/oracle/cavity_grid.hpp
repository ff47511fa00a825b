// SPDX-License-Identifier: Apache-2.0
// Oracle of the cavity solver, part 1: the mesh, its coordinates and every metric, by plain serial loops.
// Nothing of the engine is used here: the tests compare the engine's kernels with these.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <vector>

namespace sc::oracle {

using Vec3 = std::array<double, 3>;
using Array = std::vector<double>;
using VectorArray = std::array<Array, 3>;
using Cell = std::array<int, 3>;

// Unknowns are the interior points 0..n-1 of each axis. On a walled axis the wall is the point -1 (and n);
// the point -2 (n+1) does not exist physically and only carries extrapolated values.
struct Mesh {
  static constexpr int halo = 2;
  Cell n{};
  std::array<bool, 3> periodic{};
  std::array<long, 3> stride{};
  long size = 0;

  Mesh() = default;
  Mesh(Cell cells, std::array<bool, 3> is_periodic) : n(cells), periodic(is_periodic) {
    stride[0] = 1;
    stride[1] = stride[0] * (n[0] + 2 * halo);
    stride[2] = stride[1] * (n[1] + 2 * halo);
    size = stride[2] * (n[2] + 2 * halo);
  }
  long at(int i, int j, int k) const {
    return (i + halo) * stride[0] + (j + halo) * stride[1] + (k + halo) * stride[2];
  }
  long at(Cell c) const { return at(c[0], c[1], c[2]); }
  long cells() const { return long(n[0]) * n[1] * n[2]; }
  Array array() const { return Array(size_t(size), 0.0); }
  VectorArray vector() const { return {array(), array(), array()}; }
  bool at_low_wall(Cell c, int d) const { return !periodic[d] && c[d] == 0; }
  bool at_high_wall(Cell c, int d) const { return !periodic[d] && c[d] == n[d] - 1; }
  // Does the neighbour of c at `side` (-1 or +1) along axis d carry an unknown?
  bool inside(Cell c, int d, int side) const { return !(side < 0 ? at_low_wall(c, d) : at_high_wall(c, d)); }

  template <class F>
  void for_each(Cell lo, Cell hi, F&& f) const {
    for (int k = lo[2]; k < hi[2]; ++k)
      for (int j = lo[1]; j < hi[1]; ++j)
        for (int i = lo[0]; i < hi[0]; ++i) f(Cell{i, j, k}, at(i, j, k));
  }
  template <class F>
  void for_each_cell(F&& f) const {
    for_each({0, 0, 0}, n, f);
  }
  // Copies the periodic halos (two layers), axis by axis so that edges and corners follow.
  void wrap(Array& a) const {
    for (int d = 0; d < 3; ++d) {
      if (!periodic[d]) continue;
      for (int layer = 1; layer <= halo; ++layer) {
        Cell lo{-halo, -halo, -halo}, hi{n[0] + halo, n[1] + halo, n[2] + halo};
        int below = ((-layer) % n[d] + n[d]) % n[d], above = (n[d] - 1 + layer) % n[d];
        lo[d] = -layer, hi[d] = -layer + 1;
        for_each(lo, hi, [&](Cell c, long o) { a[o] = a[o + (below - c[d]) * stride[d]]; });
        lo[d] = n[d] - 1 + layer, hi[d] = n[d] + layer;
        for_each(lo, hi, [&](Cell c, long o) { a[o] = a[o + (above - c[d]) * stride[d]]; });
      }
    }
  }
  void wrap(VectorArray& v) const {
    for (Array& a : v) wrap(a);
  }
};

// ---- Mappings: computational coordinates in [0,1]^3 -> physical space
// ------------------------------------------

using Mapping = std::function<Vec3(Vec3)>;

// beta of X(s) = (1 + tanh(beta (2s - 1)) / tanh(beta)) / 2 such that X(1/intervals) = smallest.
inline double tanh_parameter(int intervals, double smallest) {
  if (!(smallest > 0) || smallest > 1.0 / intervals)
    throw std::invalid_argument("smallest spacing must lie in (0, 1/intervals]");
  auto first = [&](double beta) {
    return 0.5 * (1 + std::tanh(beta * (2.0 / intervals - 1)) / std::tanh(beta));
  };
  double low = 1e-6, high = 20;
  for (int it = 0; it < 200; ++it) {
    double mid = 0.5 * (low + high);
    (first(mid) > smallest ? low : high) = mid;
  }
  return 0.5 * (low + high);
}
inline double tanh_map(double s, double beta) {
  return 0.5 * (1 + std::tanh(beta * (2 * s - 1)) / std::tanh(beta));
}

// Skewed in the interior only, the box itself unchanged: x_e = X_e + skew c_e B, B = sin(pi X) sin(pi Y)
// sin(pi Z). All nine derivatives of the mapping are non-zero, on the walls the one along the normal
// included.
inline Vec3 skew_map(Vec3 X, double skew, std::array<bool, 3> periodic = {}) {
  const double pi = 3.14159265358979323846;
  double B = skew;
  for (int d = 0; d < 3; ++d) B *= std::sin((periodic[d] ? 2 : 1) * pi * X[d]);  // smooth across a period too
  return {X[0] + B, X[1] - 0.8 * B, X[2] + 0.6 * B};
}

// ---- Coordinates and metrics
// ---------------------------------------------------------------------------------

struct Geometry {
  Mesh mesh;
  VectorArray x;                    // nodes -1..n (walls included); -2 and n+1 by extrapolation
  Array J;                          // cell: det(dx/dxi), second order
  std::array<VectorArray, 3> grad;  // cell: grad[d][e] = d xi_d / d x_e, second order (pressure, fluxes)
  std::array<VectorArray, 3> conv;  // the same for the convection: second or fourth order
  VectorArray face;                 // low face of the cell: face[d] = J g^dd at c - e_d/2, walls included
  VectorArray edge;                 // low edge: edge[d] = J g^ab at c - e_a/2 - e_b/2, (a,b) = the other two
  bool orthogonal = false;          // all edge terms vanish: 7 points suffice
  double smallest = 0;              // smallest distance of neighbouring nodes
};

inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

struct Metric {
  double J;
  std::array<Vec3, 3> grad;  // grad[d] = nabla xi_d
};
// T[d] = dx/dxi_d  ->  nabla xi_d = T[d+1] x T[d+2] / J
inline Metric invert(const std::array<Vec3, 3>& T) {
  Vec3 yz = cross(T[1], T[2]), zx = cross(T[2], T[0]), xy = cross(T[0], T[1]);
  Metric m;
  m.J = dot(T[0], yz);
  for (int e = 0; e < 3; ++e)
    m.grad[0][e] = yz[e] / m.J, m.grad[1][e] = zx[e] / m.J, m.grad[2][e] = xy[e] / m.J;
  return m;
}

// Central differences of the mapping at a node; s is the stride of the axis.
inline double diff2(const Array& f, long o, long s) { return 0.5 * (f[o + s] - f[o - s]); }
inline double diff4(const Array& f, long o, long s) {
  return (8 * (f[o + s] - f[o - s]) - (f[o + 2 * s] - f[o - 2 * s])) / 12;
}
inline Metric metric2(const Geometry& g, long o) {
  std::array<Vec3, 3> T;
  for (int d = 0; d < 3; ++d)
    for (int e = 0; e < 3; ++e) T[d][e] = diff2(g.x[e], o, g.mesh.stride[d]);
  return invert(T);
}
inline Metric metric4(const Geometry& g, long o) {
  std::array<Vec3, 3> T;
  for (int d = 0; d < 3; ++d)
    for (int e = 0; e < 3; ++e) T[d][e] = diff4(g.x[e], o, g.mesh.stride[d]);
  return invert(T);
}
// J g^dd on the low face of the node: compact along d, averaged central differences along the others.
inline double face_metric(const Geometry& g, long o, int d) {
  const auto& s = g.mesh.stride;
  int a = (d + 1) % 3, b = (d + 2) % 3;
  std::array<Vec3, 3> T;
  for (int e = 0; e < 3; ++e) {
    const Array& x = g.x[e];
    T[d][e] = x[o] - x[o - s[d]];
    T[a][e] = 0.5 * (diff2(x, o, s[a]) + diff2(x, o - s[d], s[a]));
    T[b][e] = 0.5 * (diff2(x, o, s[b]) + diff2(x, o - s[d], s[b]));
  }
  Metric m = invert(T);
  return m.J * dot(m.grad[d], m.grad[d]);
}
// J g^ab on the low edge (c - e_a/2 - e_b/2) of the node, d the axis along the edge.
inline double edge_metric(const Geometry& g, long o, int d) {
  const auto& s = g.mesh.stride;
  int a = (d + 1) % 3, b = (d + 2) % 3;
  std::array<Vec3, 3> T;
  for (int e = 0; e < 3; ++e) {
    const Array& x = g.x[e];
    T[a][e] = 0.5 * ((x[o] - x[o - s[a]]) + (x[o - s[b]] - x[o - s[a] - s[b]]));
    T[b][e] = 0.5 * ((x[o] - x[o - s[b]]) + (x[o - s[a]] - x[o - s[a] - s[b]]));
    T[d][e] = 0.25 * ((diff2(x, o, s[d]) + diff2(x, o - s[a], s[d])) +
                      (diff2(x, o - s[b], s[d]) + diff2(x, o - s[a] - s[b], s[d])));
  }
  Metric m = invert(T);
  return m.J * dot(m.grad[a], m.grad[b]);
}

// Two ghost rules: coordinates continue as the quartic through the five nodes nearest the wall, which makes
// the central fourth-order difference at the first interior point the one-sided five-point formula.
inline void extrapolate_coordinates(Geometry& g) {
  const Mesh& m = g.mesh;
  for (int d = 0; d < 3; ++d) {
    if (m.periodic[d]) continue;
    Cell lo{-2, -2, -2}, hi{m.n[0] + 2, m.n[1] + 2, m.n[2] + 2};
    for (int side : {-1, 1}) {
      lo[d] = side < 0 ? -2 : m.n[d] + 1, hi[d] = lo[d] + 1;
      long s = -side * m.stride[d];
      for (Array& x : g.x)
        m.for_each(lo, hi, [&](Cell, long o) {
          x[o] = 5 * (x[o + s] - x[o + 4 * s]) - 10 * (x[o + 2 * s] - x[o + 3 * s]) + x[o + 5 * s];
        });
    }
  }
}

// Everything that follows from the coordinates of the nodes -1..n.
inline void compute_metrics(Geometry& g, bool fourth) {
  const Mesh& m = g.mesh;
  extrapolate_coordinates(g);
  g.J = m.array();
  g.face = m.vector(), g.edge = m.vector();
  for (int d = 0; d < 3; ++d) g.grad[d] = m.vector(), g.conv[d] = m.vector();
  m.for_each_cell([&](Cell, long o) {
    Metric two = metric2(g, o), four = fourth ? metric4(g, o) : two;
    g.J[o] = two.J;
    for (int d = 0; d < 3; ++d)
      for (int e = 0; e < 3; ++e) g.grad[d][e][o] = two.grad[d][e], g.conv[d][e][o] = four.grad[d][e];
  });
  double largest = 0, largest_edge = 0;
  g.smallest = 1e300;
  for (int d = 0; d < 3; ++d) {
    Cell hi = m.n, hi_edge{m.n[0] + 1, m.n[1] + 1, m.n[2] + 1};
    hi[d] += 1, hi_edge[d] -= 1;
    m.for_each({0, 0, 0}, hi, [&](Cell, long o) {
      g.face[d][o] = face_metric(g, o, d);
      largest = std::max(largest, std::abs(g.face[d][o]));
      Vec3 step;
      for (int e = 0; e < 3; ++e) step[e] = g.x[e][o] - g.x[e][o - m.stride[d]];
      g.smallest = std::min(g.smallest, std::sqrt(dot(step, step)));
    });
    m.for_each({0, 0, 0}, hi_edge, [&](Cell, long o) {
      g.edge[d][o] = edge_metric(g, o, d);
      largest_edge = std::max(largest_edge, std::abs(g.edge[d][o]));
    });
  }
  // Across a period the face n is the face 0, to the last bit: the sum of all fluxes then vanishes.
  m.wrap(g.J), m.wrap(g.face), m.wrap(g.edge);
  for (int d = 0; d < 3; ++d) m.wrap(g.grad[d]), m.wrap(g.conv[d]);
  g.orthogonal = largest_edge <= 1e-12 * largest;
}

// Nodes at s = (i+1)/(n+1) on a walled axis, i/n on a periodic one; the mapping is evaluated beyond the
// period.
inline Geometry make_geometry(Cell n, std::array<bool, 3> periodic, const Mapping& map, bool fourth) {
  Geometry g;
  g.mesh = Mesh(n, periodic);
  g.x = g.mesh.vector();
  g.mesh.for_each({-2, -2, -2}, {n[0] + 2, n[1] + 2, n[2] + 2}, [&](Cell c, long o) {
    Vec3 s;
    for (int d = 0; d < 3; ++d) s[d] = periodic[d] ? double(c[d]) / n[d] : double(c[d] + 1) / (n[d] + 1);
    Vec3 x = map(s);
    for (int e = 0; e < 3; ++e) g.x[e][o] = x[e];
  });
  compute_metrics(g, fourth);
  return g;
}

// The cavity's grids: tanh-clustered to the walls when smallest > 0, skewed in the interior when skew != 0.
inline Geometry make_cavity_geometry(Cell n, std::array<bool, 3> periodic, double smallest, double skew,
                                     bool fourth) {
  Vec3 beta{};
  for (int d = 0; d < 3; ++d)
    if (smallest > 0 && !periodic[d]) beta[d] = tanh_parameter(n[d] + 1, smallest);
  return make_geometry(
      n, periodic,
      [=](Vec3 s) {
        for (int d = 0; d < 3; ++d)
          if (beta[d] > 0) s[d] = tanh_map(s[d], beta[d]);
        return skew != 0 ? skew_map(s, skew, periodic) : s;
      },
      fourth);
}

}  // namespace sc::oracle
