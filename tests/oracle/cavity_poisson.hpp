// SPDX-License-Identifier: Apache-2.0
// Oracle of the cavity solver, part 4: multigrid and the other solvers of the Laplacian.
#pragma once
#include "tests/oracle/cavity_laplacian.hpp"

namespace sc::oracle {

// ---- Coarsening by pairs from global indices

inline int first_child(int coarse, int factor, int fine_cells) {
  return std::min(coarse * factor, fine_cells);
}

inline Array coarse_centres(const Array& fine, int nf, int nc, int factor, bool periodic, double period) {
  Array c(size_t(nc) + 2);
  for (int i = 0; i < nc; ++i) {
    int lo = first_child(i, factor, nf), hi = first_child(i + 1, factor, nf) - 1;
    c[size_t(i) + 1] =
        factor == 1 ? fine[size_t(lo) + 1] : 0.5 * (fine[size_t(lo) + 1] + fine[size_t(hi) + 1]);
  }
  c[0] = periodic ? c[size_t(nc)] - period : c[1] - 1;
  c[size_t(nc) + 1] = periodic ? c[1] + period : c[size_t(nc)] + 1;
  return c;
}

inline Level coarsen(const Level& f, const Cell& finest, bool orthogonal) {
  Level c;
  Cell nc;
  for (int d = 0; d < 3; ++d) {
    c.factor[d] = f.mesh.n[d] > 2 ? 2 : 1;
    nc[d] = (f.mesh.n[d] + c.factor[d] - 1) / c.factor[d];
    c.row[d] = 1 + (f.row[d] - 1) / c.factor[d];
  }
  c.mesh = Mesh(nc, f.mesh.periodic);
  for (int d = 0; d < 3; ++d)
    c.centre[d] = coarse_centres(f.centre[d], f.mesh.n[d], nc[d], c.factor[d], f.mesh.periodic[d], finest[d]);
  c.face = c.mesh.vector(), c.edge = c.mesh.vector();
  const Cell& nf = f.mesh.n;
  for (int d = 0; d < 3; ++d) {
    int a = (d + 1) % 3, b = (d + 2) % 3;
    // Faces: the fine faces that make up the coarse one, over the longer distance between the coarse centres.
    Cell hi = nc;
    hi[d] += 1;
    c.mesh.for_each({0, 0, 0}, hi, [&](Cell I, long o) {
      Cell i;
      i[d] = first_child(I[d], c.factor[d], nf[d]);
      double sum = 0;
      for (i[b] = first_child(I[b], c.factor[b], nf[b]); i[b] < first_child(I[b] + 1, c.factor[b], nf[b]);
           ++i[b])
        for (i[a] = first_child(I[a], c.factor[a], nf[a]); i[a] < first_child(I[a] + 1, c.factor[a], nf[a]);
             ++i[a])
          sum += f.face[d][f.mesh.at(i)];
      double fine_distance = f.centre[d][size_t(i[d]) + 1] - f.centre[d][size_t(i[d])];
      double distance = c.centre[d][size_t(I[d]) + 1] - c.centre[d][size_t(I[d])];
      c.face[d][o] = sum * (fine_distance / distance);
    });
    if (orthogonal) continue;
    // Edges: the fine edges along the coarse one; lengths cancel across it.
    Cell top{nc[0] + 1, nc[1] + 1, nc[2] + 1};
    top[d] -= 1;
    c.mesh.for_each({0, 0, 0}, top, [&](Cell I, long o) {
      Cell i;
      i[a] = first_child(I[a], c.factor[a], nf[a]), i[b] = first_child(I[b], c.factor[b], nf[b]);
      double sum = 0;
      for (i[d] = first_child(I[d], c.factor[d], nf[d]); i[d] < first_child(I[d] + 1, c.factor[d], nf[d]);
           ++i[d])
        sum += f.edge[d][f.mesh.at(i)];
      c.edge[d][o] = sum;
    });
  }
  c.mesh.wrap(c.face), c.mesh.wrap(c.edge);
  build_stencil(c, orthogonal);
  return c;
}

// ---- Smoothing and transfers

// Chebyshev iteration of the fourth kind: x' = x + (2k-1)/(2k+3) (x - x_before) + (8k+4)/((2k+3) lambda) D^-1
// (A x - b), k = 0, 1, ... One sweep each, no colours, no reductions.
inline double chebyshev_cell(const Level& l, const std::array<long, 18>& off, const Array& x,
                             const Array& before, const Array& b, long o, double momentum, double weight) {
  double D = l.diagonal[o];
  return x[o] + momentum * (x[o] - before[o]) + weight * (D > 0 ? (apply(l, off, x, o) - b[o]) / D : 0.0);
}
inline void smooth(Level& l, int sweeps) {
  const Mesh& m = l.mesh;
  auto off = offsets(m);
  for (int k = 0; k < sweeps; ++k) {
    double momentum = k == 0 ? 0.0 : (2.0 * k - 1) / (2.0 * k + 3);
    double weight = (8.0 * k + 4) / ((2.0 * k + 3) * l.lambda);
    m.wrap(l.x);
    m.for_each_cell([&](Cell, long o) {
      l.previous[o] = chebyshev_cell(l, off, l.x, l.previous, l.b, o, momentum, weight);
    });
    std::swap(l.x, l.previous);
  }
}
inline void residual(Level& l) {
  auto off = offsets(l.mesh);
  l.mesh.wrap(l.x);
  l.mesh.for_each_cell([&](Cell, long o) { l.r[o] = l.b[o] - apply(l, off, l.x, o); });
}
// b of the coarse cell: the sum of its children's residuals (the integral over the cell)
inline double restrict_cell(const Level& f, const Level& c, Cell I) {
  double sum = 0;
  Cell lo, hi;
  for (int d = 0; d < 3; ++d)
    lo[d] = first_child(I[d], c.factor[d], f.mesh.n[d]),
    hi[d] = first_child(I[d] + 1, c.factor[d], f.mesh.n[d]);
  f.mesh.for_each(lo, hi, [&](Cell, long o) { sum += f.r[o]; });
  return sum;
}
// Linear interpolation along one axis: the parent and the weight of its neighbour on the child's side.
struct Parent {
  int index, toward;
  double weight;
};
inline Parent parent(const Level& f, const Level& c, int d, int i) {
  Parent p{i / c.factor[d], 0, 0.0};
  double at = f.centre[d][size_t(i) + 1], centre = c.centre[d][size_t(p.index) + 1];
  if (at == centre) return p;
  p.toward = at > centre ? 1 : -1;
  int other = p.index + p.toward;
  if (!c.mesh.periodic[d] && (other < 0 || other >= c.mesh.n[d])) return {p.index, 0, 0.0};
  p.weight = (at - centre) / (c.centre[d][size_t(other) + 1] - centre);
  return p;
}
inline double prolong_cell(const Level& f, const Level& c, Cell i) {
  Parent px = parent(f, c, 0, i[0]), py = parent(f, c, 1, i[1]), pz = parent(f, c, 2, i[2]);
  long o = c.mesh.at(px.index, py.index, pz.index);
  long sx = px.toward * c.mesh.stride[0], sy = py.toward * c.mesh.stride[1],
       sz = pz.toward * c.mesh.stride[2];
  auto along_x = [&](long q) { return c.x[q] + px.weight * (c.x[q + sx] - c.x[q]); };
  auto in_plane = [&](long q) {
    double here = along_x(q);
    return here + py.weight * (along_x(q + sy) - here);
  };
  double here = in_plane(o);
  return here + pz.weight * (in_plane(o + sz) - here);
}

// ---- Multigrid

struct MultigridOptions {
  int pre = 3, post = 3, coarsest = 16;
  bool accelerate = true;  // GCR around the cycles; false: the cycles alone
};

class Multigrid {
 public:
  Multigrid(const Geometry& g, MultigridOptions options) : options_(options) {
    Level top;
    weigh_rows(g, top);
    for (int d = 0; d < 3; ++d) {
      int n = g.mesh.n[d];
      top.centre[d].resize(size_t(n) + 2);
      for (int i = -1; i <= n; ++i) top.centre[d][size_t(i) + 1] = i + 0.5;
    }
    build_stencil(top, g.orthogonal);
    levels_.push_back(std::move(top));
    for (;;) {
      const Cell& n = levels_.back().mesh.n;
      if (n[0] <= 2 && n[1] <= 2 && n[2] <= 2) break;
      levels_.push_back(coarsen(levels_.back(), g.mesh.n, g.orthogonal));
    }
  }
  Level& top() { return levels_[0]; }
  Level& level(size_t i) { return levels_[i]; }
  size_t levels() const { return levels_.size(); }
  double work() const { return work_; }  // sweeps over the finest level so far, all levels counted
  void clear_work() { work_ = 0; }

  // One V cycle on top().x for top().b
  void cycle(size_t i = 0) {
    Level& f = levels_[i];
    double share = double(f.mesh.cells()) / double(levels_[0].mesh.cells());
    if (i + 1 == levels_.size()) {
      smooth(f, options_.coarsest);
      work_ += share * options_.coarsest;
      return;
    }
    Level& c = levels_[i + 1];
    smooth(f, options_.pre);
    residual(f);
    c.mesh.for_each_cell([&](Cell I, long o) { c.b[o] = restrict_cell(f, c, I), c.x[o] = 0; });
    cycle(i + 1);
    c.mesh.wrap(c.x);
    f.mesh.for_each_cell([&](Cell I, long o) { f.x[o] += prolong_cell(f, c, I); });
    smooth(f, options_.post);
    work_ += share * (options_.pre + options_.post + 2);
  }

  // Solves for top().x from the guess that is there until max |(A x - b)/J| < tolerance; returns the cycles
  // used.
  int solve(const Geometry& g, double tolerance, int max_cycles, double& worst) {
    int cycles = 0;
    for (;;) {  // a second round only if the recursive residual had drifted from the true one
      worst = true_residual(g, levels_[0]);
      if (!(worst >= tolerance) || cycles >= max_cycles) return cycles;
      int used = options_.accelerate ? gcr(g, tolerance, max_cycles - cycles) : (cycle(), 1);
      if (used == 0) return cycles;
      cycles += used;
    }
  }

 private:
  // Generalised conjugate residuals, one direction kept, a V cycle from zero as preconditioner B:
  //   z = B r, w = A z; beta = (w,q)/(q,q); d = z - beta d, q = w - beta q; alpha = (r,w)/(q,q), x += alpha
  //   d, r -= alpha q
  // with (q,q) = (w,w) - beta (w,q), so that the three sums of a cycle travel in one reduction. The norm of r
  // never grows, whether or not A or B are symmetric.
  int gcr(const Geometry& g, double tolerance, int max_cycles) {
    Level& top = levels_[0];
    const Mesh& m = top.mesh;
    auto off = offsets(m);
    residual(top);
    Array x = top.x, b = top.b, r = top.r, d = m.array(), q = m.array(), w = m.array();
    double qq = 0;
    int used = 0;
    for (bool go = true; go && used < max_cycles;) {
      top.b = r;
      std::fill(top.x.begin(), top.x.end(), 0.0);
      cycle();
      const Array& z = top.x;
      m.wrap(top.x);
      double wq = 0, ww = 0, rw = 0;
      m.for_each_cell([&](Cell, long o) {
        w[o] = apply(top, off, z, o);
        wq += w[o] * q[o], ww += w[o] * w[o], rw += r[o] * w[o];
      });
      double beta = qq > 0 ? wq / qq : 0.0;
      qq = ww - beta * wq;
      if (!(qq > 0)) break;
      double alpha = rw / qq, largest = 0;
      m.for_each_cell([&](Cell, long o) {
        d[o] = z[o] - beta * d[o];
        q[o] = w[o] - beta * q[o];
        x[o] += alpha * d[o];
        r[o] -= alpha * q[o];
        largest = std::max(largest, std::abs(r[o] / g.J[o]));
      });
      ++used;
      work_ += 2;
      go = largest >= tolerance;
    }
    top.x = x, top.b = b;
    return used;
  }

  MultigridOptions options_;
  std::vector<Level> levels_;
  double work_ = 0;
};

// ---- The two classical solvers

// x' = x + omega D^-1 (A x - b). omega < 1: with 7 points the checkerboard is an eigenvector of D^-1 A to 2.
inline void jacobi_sweep(Level& l, double omega) {
  auto off = offsets(l.mesh);
  l.mesh.wrap(l.x);
  l.mesh.for_each_cell([&](Cell, long o) {
    l.previous[o] = l.x[o] + omega * ((apply(l, off, l.x, o) - l.b[o]) / l.diagonal[o]);
  });
  std::swap(l.x, l.previous);
}
// 7 points: 2 colours; 19 points: 4
inline int colour(Cell c, int points) {
  return points == 7 ? (c[0] + c[1] + c[2]) & 1 : ((c[0] ^ c[2]) & 1) + 2 * ((c[1] ^ c[2]) & 1);
}
inline void sor_sweep(Level& l, double omega) {
  auto off = offsets(l.mesh);
  for (int k = 0; k < (l.points == 7 ? 2 : 4); ++k) {
    l.mesh.wrap(l.x);
    l.mesh.for_each_cell([&](Cell c, long o) {
      if (colour(c, l.points) == k) l.x[o] += omega * ((apply(l, off, l.x, o) - l.b[o]) / l.diagonal[o]);
    });
  }
}

}  // namespace sc::oracle
