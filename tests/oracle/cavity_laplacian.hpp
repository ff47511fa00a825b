// SPDX-License-Identifier: Apache-2.0
// Oracle of the cavity solver, part 3: the J-weighted Neumann Laplacian A of one level, A p = b with b = J
// rhs, and its residuals. The columns of A sum to zero (fluxes), and so do its rows (constants).
#pragma once
#include "tests/oracle/cavity_operators.hpp"

namespace sc::oracle {

// ---- One level of the hierarchy

// The 18 neighbours: six faces (-x +x -y +y -z +z), then per plane d the four diagonals (a,b) = --, +-, -+,
// ++.
inline const std::array<Cell, 18>& neighbours() {
  static const std::array<Cell, 18> table = [] {
    std::array<Cell, 18> t{};
    for (int d = 0; d < 3; ++d)
      for (int side = 0; side < 2; ++side) t[size_t(2 * d + side)][d] = 2 * side - 1;
    for (int d = 0; d < 3; ++d)
      for (int q = 0; q < 4; ++q) {
        t[size_t(6 + 4 * d + q)][(d + 1) % 3] = q & 1 ? 1 : -1;
        t[size_t(6 + 4 * d + q)][(d + 2) % 3] = q & 2 ? 1 : -1;
      }
    return t;
  }();
  return table;
}
inline int face_index(int d, int side) { return 2 * d + (side > 0); }
// Diagonal in the plane of axes a and b (in either order), with signs sa and sb.
inline int edge_index(int a, int sa, int b, int sb) {
  int d = 3 - a - b;
  bool in_order = a == (d + 1) % 3;
  int first = in_order ? sa : sb, second = in_order ? sb : sa;
  return 6 + 4 * d + (first > 0) + 2 * (second > 0);
}

struct Level {
  Mesh mesh;
  Cell factor{1, 1, 1};         // 2 along the axes that were halved to make this level from the finer one
  std::array<Array, 3> centre;  // centre of a cell, in finest cells; index i + 1 for i = -1..n
  VectorArray face, edge;       // couplings J g^dd / distance, J g^ab, low sides; rows beside walls weighted
  Vec3 row{row_weight, row_weight,
           row_weight};     // weight of a row beside a wall of each axis, in rows of this level
  std::array<Array, 18> a;  // stencil; a[0..5] only when orthogonal
  Array diagonal;           // sum of the neighbours' coefficients
  int points = 7;
  double lambda = 2;        // bound of the eigenvalues of D^-1 A (Gershgorin)
  Array x, b, r, previous;  // solution, right side, residual, the iterate before
};

// sum_k a_k (x_k - x_c): A x at the cell
inline double apply(const Level& l, const std::array<long, 18>& off, const Array& x, long o) {
  double sum = 0;
  for (int k = 0; k < l.points - 1; ++k) sum += l.a[k][o] * (x[o + off[k]] - x[o]);
  return sum;
}
inline std::array<long, 18> offsets(const Mesh& m) {
  std::array<long, 18> off;
  for (int k = 0; k < 18; ++k) {
    const Cell& s = neighbours()[k];
    off[k] = s[0] * m.stride[0] + s[1] * m.stride[1] + s[2] * m.stride[2];
  }
  return off;
}

// Coefficients of one cell. Faces on walls carry no flux. A diagonal spring needs both its cells inside. What
// the cross flux through a face beside a wall then lacks (its part beyond the diagonals' half) is closed by
// continuing p linearly: the tangential flux of the wall row uses the one-sided slope there.
inline std::array<double, 18> stencil(const Level& l, Cell c, long o, bool orthogonal) {
  const Mesh& m = l.mesh;
  std::array<double, 18> a{};
  for (int d = 0; d < 3; ++d)
    for (int side : {-1, 1})
      if (m.inside(c, d, side)) a[face_index(d, side)] = l.face[d][side < 0 ? o : o + m.stride[d]];
  if (orthogonal) return a;
  for (int d = 0; d < 3; ++d) {
    int u = (d + 1) % 3, v = (d + 2) % 3;
    for (int su : {-1, 1})
      for (int sv : {-1, 1}) {
        double e = l.edge[d][o + (su > 0 ? m.stride[u] : 0) + (sv > 0 ? m.stride[v] : 0)];
        bool in_u = m.inside(c, u, su), in_v = m.inside(c, v, sv);
        if (in_u && in_v) {
          a[edge_index(u, su, v, sv)] += 0.5 * su * sv * e;
        } else if (in_u != in_v) {
          int t = in_u ? u : v, st = in_u ? su : sv;        // along the wall, through this face
          int w = in_u ? v : u, inward = in_u ? -sv : -su;  // away from the wall
          if (!m.inside(c, w, inward)) continue;
          double q = 0.5 * (l.row[w] - 0.5) * st * inward * e;
          a[face_index(w, inward)] += q;
          a[edge_index(t, st, w, inward)] += q;
          a[face_index(t, st)] -= q;
        }
      }
  }
  return a;
}

inline void build_stencil(Level& l, bool orthogonal) {
  const Mesh& m = l.mesh;
  l.points = orthogonal ? 7 : 19;
  for (int k = 0; k < l.points - 1; ++k) l.a[k] = m.array();
  l.diagonal = m.array();
  double lambda = 0;
  m.for_each_cell([&](Cell c, long o) {
    std::array<double, 18> a = stencil(l, c, o, orthogonal);
    double sum = 0, magnitude = 0;
    for (int k = 0; k < l.points - 1; ++k) l.a[k][o] = a[k], sum += a[k], magnitude += std::abs(a[k]);
    l.diagonal[o] = sum;
    if (sum > 0) lambda = std::max(lambda, 1 + magnitude / sum);
  });
  l.lambda = lambda;
  l.x = l.b = l.r = l.previous = m.array();
}

// The finest couplings: the metrics times the weights of the rows beside walls (an edge lies in the plane
// normal to its axis: the weight of that axis' wall; the other two axes are met in stencil()).
inline void weigh_rows(const Geometry& g, Level& top) {
  top.mesh = g.mesh;
  top.face = g.face, top.edge = g.edge;
  for (int d = 0; d < 3; ++d) {
    Cell hi = g.mesh.n, hi_edge{g.mesh.n[0] + 1, g.mesh.n[1] + 1, g.mesh.n[2] + 1};
    hi[d] += 1, hi_edge[d] -= 1;
    g.mesh.for_each({0, 0, 0}, hi,
                    [&](Cell c, long o) { top.face[d][o] *= tangential_weight(g.mesh, c, d); });
    g.mesh.for_each({0, 0, 0}, hi_edge, [&](Cell c, long o) {
      if (g.mesh.at_low_wall(c, d)) top.edge[d][o] *= row_weight;
      if (g.mesh.at_high_wall(c, d)) top.edge[d][o] *= row_weight;
    });
  }
  for (int d = 0; d < 3; ++d)
    if (g.mesh.periodic[d]) top.row[d] = 1;
}

// ---- Residuals

// max |(A x - b) / J|: the true residual |nabla^2 p - rhs|
inline double true_residual(const Geometry& g, Level& l) {
  auto off = offsets(l.mesh);
  l.mesh.wrap(l.x);
  double worst = 0;
  l.mesh.for_each_cell([&](Cell, long o) {
    double r = std::abs((apply(l, off, l.x, o) - l.b[o]) / g.J[o]);
    if (!(r <= worst)) worst = r;
  });
  return worst;
}
// max |(A x - b) / D|: scaled by the diagonal, what a Jacobi sweep changes
inline double scaled_residual(Level& l) {
  auto off = offsets(l.mesh);
  l.mesh.wrap(l.x);
  double worst = 0;
  l.mesh.for_each_cell([&](Cell, long o) {
    double r = std::abs((apply(l, off, l.x, o) - l.b[o]) / l.diagonal[o]);
    if (!(r <= worst)) worst = r;
  });
  return worst;
}

}  // namespace sc::oracle
