// SPDX-License-Identifier: Apache-2.0
// Oracle of the cavity solver, part 5: the MAC time step and what is measured on it.
#pragma once

#include "tests/oracle/cavity_poisson.hpp"

namespace sc::oracle {

enum class Method { jacobi, sor, multigrid };

struct CavityOptions {
  double reynolds = 100;
  Upwind upwind = Upwind::utopia;
  Faces faces{};
  double courant = 0.2;
  double dt = 0;  // 0: from the Courant number and the stability limit
  double tolerance = 1e-5;
  Method method = Method::multigrid;
  double relaxation = 0;  // 0: 0.98 for jacobi, sor_relaxation() for sor
  int max_iterations = 100000;
  MultigridOptions multigrid{};
};

struct StepResult {
  int iterations = 0;
  double residual = 0, dt = 0, max_change = 0, sum_of_rhs = 0;  // sum_of_rhs: |sum b| / sum |b|
};

// Young's optimum for the slowest mode of a uniform box with the most cells along one axis.
inline double sor_relaxation(const Mesh& m) {
  int n = std::max({m.n[0], m.n[1], m.n[2]});
  double rho = 1 - (1 - std::cos(3.14159265358979323846 / n)) / 3;
  return 2 / (1 + std::sqrt(1 - rho * rho));
}

class Cavity {
 public:
  Cavity(Geometry geometry, CavityOptions options)
      : g(std::move(geometry)), opt(options), multigrid(g, options.multigrid) {
    V = f = Q = g.mesh.vector();
    p = g.mesh.array();
  }

  StepResult step() {
    const Mesh& m = g.mesh;
    const double nu = 1 / opt.reynolds, alpha = upwind_alpha(opt.upwind);
    StepResult out;
    velocity_boundary(g, opt.faces, V);
    // Delta t = min(Courant h_min / U, Courant / max |U^d|, 1.8 / stiffness)
    double dt = out.dt = opt.dt > 0 ? opt.dt : stable_step(nu, alpha);
    // f = nu nabla^2 V - (V . nabla) V
    m.for_each_cell([&](Cell, long o) {
      for (int e = 0; e < 3; ++e) f[e][o] = acceleration(g, V, V[e], o, nu, alpha);
    });
    // J rhs = J div(V / dt + f)
    m.for_each_cell([&](Cell c, long o) {
      Vec3 F{V[0][o] / dt + f[0][o], V[1][o] / dt + f[1][o], V[2][o] / dt + f[2][o]};
      for (int d = 0; d < 3; ++d) Q[d][o] = contravariant_flux(g, opt.faces, F, c, o, d, dt);
    });
    close_walls(m, Q);
    Level& top = multigrid.top();
    double sum = 0, magnitude = 0;
    m.for_each_cell([&](Cell, long o) {
      top.b[o] = scaled_divergence(g, Q, o);
      sum += top.b[o], magnitude += std::abs(top.b[o]);
    });
    out.sum_of_rhs = magnitude > 0 ? std::abs(sum) / magnitude : 0.0;
    // A p = J rhs, from the pressure of the step before
    top.x = p;
    out.iterations = solve(top, out.residual);
    p = top.x;
    subtract_mean();
    // V' = V + dt (f - grad p)
    pressure_boundary(g, opt.faces, V, nu, p);
    m.for_each_cell([&](Cell, long o) {
      Vec3 dp = gradient(g, p, o);
      for (int e = 0; e < 3; ++e) {
        double change = f[e][o] - dp[e];
        out.max_change = std::max(out.max_change, std::abs(change));
        V[e][o] += dt * change;
      }
    });
    time += dt;
    ++steps;
    velocity_boundary(g, opt.faces, V);
    return out;
  }

  double stable_step(double nu, double alpha) const {
    double worst = 0, lid = 0;
    g.mesh.for_each_cell([&](Cell, long o) { worst = std::max(worst, stiffness(g, V, o, nu, alpha)); });
    for (int d = 0; d < 3; ++d)
      for (int side : {-1, g.mesh.n[d]}) {
        Cell lo{0, 0, 0}, hi = g.mesh.n;
        lo[d] = side, hi[d] = side + 1;
        g.mesh.for_each(lo, hi, [&](Cell, long o) {
          const Vec3 wall = opt.faces[d][side > 0].at(position(g, o));
          lid = std::max(lid, std::sqrt(dot(wall, wall)));
        });
      }
    double dt = 1.8 / worst;
    // No axis is crossed by more than the Courant number of cells.
    double crossed = 0;
    g.mesh.for_each_cell([&](Cell, long o) {
      for (int d = 0; d < 3; ++d) crossed = std::max(crossed, std::abs(contravariant(g.conv[d], V, o)));
    });
    if (crossed > 0) dt = std::min(dt, opt.courant / crossed);
    return lid > 0 ? std::min(dt, opt.courant * g.smallest / lid) : dt;
  }

  int solve(Level& top, double& residual_out) {
    if (opt.method == Method::multigrid)
      return multigrid.solve(g, opt.tolerance, opt.max_iterations, residual_out);
    double omega = opt.relaxation > 0          ? opt.relaxation
                   : opt.method == Method::sor ? sor_relaxation(g.mesh)
                                               : 0.98;
    int it = 0;
    for (;; ++it) {
      residual_out = true_residual(g, top);
      if (!(residual_out >= opt.tolerance) || it >= opt.max_iterations) return it;
      opt.method == Method::sor ? sor_sweep(top, omega) : jacobi_sweep(top, omega);
    }
  }

  // The mean over the volume, sum J p / sum J, is zero.
  void subtract_mean() {
    double sum = 0, volume = 0;
    g.mesh.for_each_cell([&](Cell, long o) { sum += g.J[o] * p[o], volume += g.J[o]; });
    g.mesh.for_each_cell([&](Cell, long o) { p[o] -= sum / volume; });
  }

  // div V = sum_d nabla xi_d . dV/dxi_d, central, the walls' velocities included; rms over the volume
  double divergence_rms() {
    velocity_boundary(g, opt.faces, V);
    double sum = 0, volume = 0;
    g.mesh.for_each_cell([&](Cell, long o) {
      double div = divergence(o);
      sum += g.J[o] * div * div, volume += g.J[o];
    });
    return std::sqrt(sum / volume);
  }
  double divergence(long o) const {
    double div = 0;
    for (int d = 0; d < 3; ++d)
      for (int e = 0; e < 3; ++e) div += g.grad[d][e][o] * diff2(V[e], o, g.mesh.stride[d]);
    return div;
  }

  Geometry g;
  CavityOptions opt;
  Multigrid multigrid;
  VectorArray V, f, Q;
  Array p;
  double time = 0;
  long steps = 0;
};

// ---- Sampling at a physical point
// ----------------------------------------------------------------------------------

// Cubic Lagrange interpolation in index space, the index found by Newton's method; nodes -1..n are used.
struct Weights {
  Cell first;
  std::array<std::array<double, 4>, 3> w, dw;
};
inline Weights weights_at(const Mesh& m, const Vec3& xi) {
  Weights out;
  for (int d = 0; d < 3; ++d) {
    int lo = m.periodic[d] ? -2 : -1, hi = m.periodic[d] ? m.n[d] + 1 : m.n[d];
    int first = std::clamp(int(std::floor(xi[d])) - 1, lo, hi - 3);
    out.first[d] = first;
    for (int q = 0; q < 4; ++q) {
      double w = 1, dw = 0;
      for (int r = 0; r < 4; ++r) {
        if (r == q) continue;
        double scale = 1.0 / (q - r);
        dw = dw * (xi[d] - first - r) * scale + w * scale;
        w *= (xi[d] - first - r) * scale;
      }
      out.w[d][q] = w, out.dw[d][q] = dw;
    }
  }
  return out;
}
inline double interpolate(const Mesh& m, const Array& a, const Weights& s, int derivative_axis = -1) {
  double sum = 0;
  for (int r = 0; r < 4; ++r)
    for (int q = 0; q < 4; ++q)
      for (int t = 0; t < 4; ++t) {
        double wx = derivative_axis == 0 ? s.dw[0][t] : s.w[0][t];
        double wy = derivative_axis == 1 ? s.dw[1][q] : s.w[1][q];
        double wz = derivative_axis == 2 ? s.dw[2][r] : s.w[2][r];
        sum += wx * wy * wz * a[m.at(s.first[0] + t, s.first[1] + q, s.first[2] + r)];
      }
  return sum;
}
inline double sample(const Geometry& g, const Array& a, const Vec3& at) {
  const Mesh& m = g.mesh;
  Vec3 xi;
  for (int d = 0; d < 3; ++d) xi[d] = 0.5 * (m.n[d] - 1);
  for (int it = 0; it < 60; ++it) {
    Weights s = weights_at(m, xi);
    Vec3 error;
    std::array<Vec3, 3> T;
    for (int e = 0; e < 3; ++e) {
      error[e] = at[e] - interpolate(m, g.x[e], s);
      for (int d = 0; d < 3; ++d) T[d][e] = interpolate(m, g.x[e], s, d);
    }
    Metric inverse = invert(T);
    double largest = 0;
    for (int d = 0; d < 3; ++d) {
      double step = std::clamp(dot(inverse.grad[d], error), -0.25 * m.n[d], 0.25 * m.n[d]);
      xi[d] = std::clamp(xi[d] + step, -1.0, double(m.n[d]));
      largest = std::max(largest, std::abs(step));
    }
    if (largest < 1e-12) break;
  }
  return interpolate(m, a, weights_at(m, xi));
}

}  // namespace sc::oracle
