// SPDX-License-Identifier: Apache-2.0
// Measures the cavity oracle: manufactured orders, Taylor-Green decay, multigrid cycles, the cube's
// centrelines.
//   g++ -std=c++20 -O3 -march=native -I. tests/oracle/validate_cavity.cpp -o validate_cavity
//   ./validate_cavity orders | vortex | solvers | cube POINTS SMALLEST SKEW REYNOLDS TIME REFERENCE.csv [DT]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/oracle/manufactured.hpp"

namespace {
using namespace sc::oracle;
using namespace sc::oracle::manufactured;
template <class Measure>
void order_row(const char* name, Measure measure) {
  Norms coarse = measure(17), middle = measure(33), fine = measure(65);
  std::printf("%-34s %9.2e %9.2e %9.2e  order %.2f %.2f   max %9.2e order %.2f\n", name, coarse.l2, middle.l2,
              fine.l2, std::log2(coarse.l2 / middle.l2), std::log2(middle.l2 / fine.l2), fine.max,
              std::log2(middle.max / fine.max));
}

void orders() {
  std::printf("manufactured, skewed clustered grid, 17 / 33 / 65 points, L2\n");
  order_row("Poisson (Neumann)", poisson_error);
  order_row("gradient", gradient_error);
  order_row("Laplacian of the velocity", laplacian_error);
  order_row("wall pressure", wall_pressure_error);
  order_row("convection utopia, 4th metrics",
            [](int n) { return convection_error(n, true, Upwind::utopia); });
  order_row("convection kawamura, 4th metrics",
            [](int n) { return convection_error(n, true, Upwind::kawamura); });
  order_row("convection utopia, 2nd metrics",
            [](int n) { return convection_error(n, false, Upwind::utopia); });
  // A shear with all nine derivatives of the mapping non-zero, on top of the skew.
  auto shear = [](Vec3 s) {
    Vec3 x = skewed_clustered(s);
    return Vec3{x[0] + 0.2 * x[1] - 0.1 * x[2], 0.15 * x[0] + x[1] + 0.1 * x[2],
                0.1 * x[0] - 0.2 * x[1] + x[2]};
  };
  Geometry g = make_geometry({14, 15, 16}, walls, shear, true);
  Vec3 slope{0.7, -1.3, 2.1};
  Array p = node_values(g, [&](Vec3 x) { return 3 + dot(slope, x); });
  Norms e = norms(g, [&](long o) {
    Vec3 got = gradient(g, p, o);
    for (int k = 0; k < 3; ++k) got[k] -= slope[k];
    return std::sqrt(dot(got, got));
  });
  std::printf("%-34s max %.1e\n", "gradient of a linear field", e.max);
}

// u = cos x sin y exp(-2 nu t), v = -sin x cos y exp(-2 nu t), extruded in z; periodic.
// Delta t = 0.02 h^2, so that the second order in space is what is seen.
double vortex_error(int n) {
  double h = 2 * pi / n, end = 0.5;
  long steps = std::lround(std::ceil(end / (0.02 * h * h)));
  Geometry g = make_geometry(
      {n, n, 4}, {true, true, true},
      [&](Vec3 s) {
        return Vec3{2 * pi * s[0], 2 * pi * s[1], 8 * pi / n * s[2]};
      },
      true);
  CavityOptions o;
  o.reynolds = 1;
  o.dt = end / double(steps);
  o.tolerance = 1e-8;
  Cavity c(std::move(g), o);
  c.g.mesh.for_each_cell([&](Cell, long q) {
    Vec3 x = at(c.g, q);
    c.V[0][q] = std::cos(x[0]) * std::sin(x[1]), c.V[1][q] = -std::sin(x[0]) * std::cos(x[1]);
  });
  while (c.steps < steps) c.step();
  double decay = std::exp(-2 * c.time / o.reynolds), worst = 0;
  c.g.mesh.for_each_cell([&](Cell, long q) {
    Vec3 x = at(c.g, q);
    worst =
        std::max({worst, std::abs(c.V[0][q] - decay * std::cos(x[0]) * std::sin(x[1])), std::abs(c.V[2][q])});
  });
  return worst;
}
void vortex() {
  double a = vortex_error(16), b = vortex_error(32), c = vortex_error(64);
  std::printf("Taylor-Green, Re 1, t 0.5, 16 / 32 / 64 cells: %.2e %.2e %.2e  ratios %.2f %.2f\n", a, b, c,
              a / b, b / c);
}

// Iterations of each method for the pressure of the fourth step, from the pressure of the third, to 1e-5.
void solver_row(int points, double smallest, double skew, bool classical) {
  CavityOptions o;
  o.faces[2][1].velocity = {1, 0, 0};
  Cavity c(make_cavity_geometry({points - 2, points - 2, points - 2}, walls, smallest, skew, true), o);
  for (int s = 0; s < 3; ++s) c.step();
  Array warm = c.p;
  c.step();
  Level& top = c.multigrid.top();
  Array b = top.b;
  std::printf("%3d points, smallest %.4f, skew %.2f:", points, c.g.smallest, skew);
  auto run = [&](const char* name, auto&& solve) {
    for (int start = 0; start < 2; ++start) {
      top.b = b, top.x = start == 0 ? warm : c.g.mesh.array();
      c.multigrid.clear_work();
      double residual = 0;
      auto begin = std::chrono::steady_clock::now();
      int iterations = solve(residual);
      double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      std::printf("  %s %s %d", name, start == 0 ? "warm" : "from zero", iterations);
      if (c.multigrid.work() > 0) std::printf(" (%.0f sweeps)", c.multigrid.work());
      std::printf(" %.2f s%s", seconds, residual < 1e-5 ? "" : " NOT REACHED");
    }
    std::fflush(stdout);
  };
  run("multigrid", [&](double& r) { return c.multigrid.solve(c.g, 1e-5, 1000, r); });
  if (classical) {
    c.opt.max_iterations = 200000;
    for (Method m : {Method::sor, Method::jacobi}) {
      c.opt.method = m;
      run(m == Method::sor ? "sor" : "jacobi", [&](double& r) { return c.solve(top, r); });
    }
  }
  std::printf("\n");
}
void solvers() {
  solver_row(26, 0, 0, true);
  solver_row(26, 0.012, 0, true);
  solver_row(26, 0.004, 0, false);
  solver_row(26, 0, 0.1, true);
  solver_row(26, 0.012, 0.1, false);
  solver_row(66, 0, 0, false);
  solver_row(66, 0.012, 0, true);
  solver_row(66, 0.004, 0, false);
  solver_row(66, 0, 0.1, false);
  solver_row(66, 0.012, 0.1, false);
}

struct Row {
  double z, u, x = -1, w = 0;
};
std::vector<Row> reference(const char* path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error(std::string("cannot read ") + path);
  std::vector<Row> rows;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#' || line[0] == 'z') continue;
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream s(line);
    Row r;
    s >> r.z >> r.u;
    if (!(s >> r.x >> r.w)) r.x = -1;
    rows.push_back(r);
  }
  return rows;
}
void cube(char** argv, double dt) {
  int points = std::atoi(argv[0]);
  CavityOptions o;
  o.reynolds = std::atof(argv[3]);
  o.dt = dt;
  o.faces[2][1].velocity = {1, 0, 0};
  Cavity c(make_cavity_geometry({points - 2, points - 2, points - 2}, walls, std::atof(argv[1]),
                                std::atof(argv[2]), true),
           o);
  double end = std::atof(argv[4]), next = 0;
  std::vector<Row> rows = reference(argv[5]);
  long cycles = 0;
  for (bool done = false; !done;) {
    StepResult r = c.step();
    cycles += r.iterations;
    done = r.max_change < 1e-5 || c.time >= end || !(r.max_change < 1e6);
    if (!done && c.time < next) continue;
    next = c.time + end / 20;
    double u = 0, w = 0, inside = 0;
    for (const Row& row : rows) {
      u = std::max(u, std::abs(sample(c.g, c.V[0], {0.5, 0.5, row.z}) - row.u));
      if (row.x >= 0) w = std::max(w, std::abs(sample(c.g, c.V[2], {row.x, 0.5, 0.5}) - row.w));
    }
    c.g.mesh.for_each_cell([&](Cell, long q) {
      Vec3 x = at(c.g, q);
      if (std::abs(x[0] - 0.5) < 0.4 && std::abs(x[1] - 0.5) < 0.4 && std::abs(x[2] - 0.5) < 0.4)
        inside = std::max(inside, std::abs(c.divergence(q)));
    });
    std::printf(
        "step %6ld t %7.3f dt %.2e cycles %2d (mean %.2f) change %.1e sum rhs %.0e div rms %.3f interior "
        "%.1e error u "
        "%.3f %% w %.3f %%\n",
        c.steps, c.time, r.dt, r.iterations, double(cycles) / double(c.steps), r.max_change, r.sum_of_rhs,
        c.divergence_rms(), inside, 100 * u, 100 * w);
    std::fflush(stdout);
  }
}
}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && !std::strcmp(argv[1], "orders")) return orders(), 0;
  if (argc == 2 && !std::strcmp(argv[1], "vortex")) return vortex(), 0;
  if (argc == 2 && !std::strcmp(argv[1], "solvers")) return solvers(), 0;
  if ((argc == 8 || argc == 9) && !std::strcmp(argv[1], "cube"))
    return cube(argv + 2, argc == 9 ? std::atof(argv[8]) : 0.0), 0;
  std::fprintf(
      stderr,
      "validate_cavity orders | vortex | solvers | cube POINTS SMALLEST SKEW REYNOLDS TIME REFERENCE [DT]\n");
  return 2;
}
