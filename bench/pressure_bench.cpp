// SPDX-License-Identifier: Apache-2.0
// Multigrid against Jacobi for the pressure equation in a step of the cavity: 66^3 points, tanh grid with
// spacing 0.012 at the walls, Re = 100, after some steps from rest. Both start from the pressure of the
// previous step and stop at the same residual max |laplacian p - rhs| < 1e-5.
//   pressure_bench [steps before] [sweeps of jacobi, 0 = until converged] [points] [--trial]
#include <cstring>

#include "bench/arguments.hpp"
#include "bench/measure.hpp"
#include "solvers/cavity/mesh.hpp"
#include "solvers/cavity/poisson.hpp"
#include "solvers/cavity/solver.hpp"

namespace {

using namespace sc;
using namespace sc::cavity;

CavityOptions options_of(Method method, int points) {
  CavityOptions options;
  options.points = {points, points, points};
  options.clustering = Clustering::tanh;
  options.smallest = 0.012;
  options.faces[5] = {FaceKind::moving, {.velocity = {1, 0, 0}}};
  options.pressure.method = method;
  options.engine.strategy = Strategy::blocking;
  return options;
}

/// The whole memory of a field, including the halo: grids with equal options have equal layouts.
std::vector<double> saved(const AnyField& field) {
  const auto* data = reinterpret_cast<const double*>(field.storage(0).block().data);
  return {data, data + field.grid().layout().elements};
}

struct Problem {
  std::vector<double> first_guess, b;
};

Problem problem_of(Context& context, int steps, int points) {
  Cavity cavity(context, options_of(Method::multigrid, points));
  for (int n = 0; n < steps; ++n) cavity.step();
  Problem problem{.first_guess = saved(cavity.iterate()), .b = {}};
  cavity.step();
  problem.b = saved(cavity.source());
  return problem;
}

struct Bed {
  Bed(Context& context, Method method, int points, int fixed = 0)
      : options(with(options_of(method, points), fixed)),
        runner(context, options.engine),
        grid(context, {.cells = options.cells(), .halo = 2}),
        mesh(grid, analytic_points(options), false, runner),
        poisson(make_poisson(mesh, options.pressure, runner)) {}
  static CavityOptions with(CavityOptions options, int fixed) {
    options.pressure.fixed_iterations = fixed;
    return options;
  }
  void set(const Problem& problem) {
    const auto copy = [&](const std::vector<double>& from, AnyField& to) {
      static_cast<Field<double>&>(to).modify();
      std::memcpy(to.storage(0).block().data, from.data(), from.size() * sizeof(double));
    };
    copy(problem.first_guess, poisson->x());
    copy(problem.b, poisson->b());
  }
  CavityOptions options;
  Runner runner;
  Grid grid;
  Mesh<double> mesh;
  std::unique_ptr<Poisson> poisson;
};

/// Prints the times of the cycles by sweep.
void print_breakdown(Context& context, double solves) {
  const Timeline& timeline = context.timeline();
  for (std::size_t n = 0; n < timeline.names().size(); ++n) {
    double seconds = 0;
    std::int64_t count = 0;
    for (int phase = 0; phase < phase_count; ++phase) {
      const Timeline::Total total = timeline.total(static_cast<std::uint16_t>(n), static_cast<Phase>(phase));
      seconds += total.seconds;
      count = std::max(count, total.count);
    }
    if (seconds > 0)
      std::printf("  %-18s %7.2f ms a solve, %5.0f runs\n", timeline.names()[n].c_str(),
                  seconds / solves * 1e3, double(count) / solves);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv);
  const int steps = arguments.number(1, "steps", 50, 2), sweeps = arguments.number(2, "sweeps", 0, 0, 0),
            points = arguments.number(3, "points", 66, 14, 8);
  Context context(MPI_COMM_WORLD);
  {
    const Problem problem = problem_of(context, steps, points);
    Bed multigrid(context, Method::multigrid, points), jacobi(context, Method::jacobi, points, sweeps);
    Solved by_multigrid, by_jacobi;
    std::vector<bench::Way> cycles{{.name = "multigrid",
                                    .run = [&] { by_multigrid = multigrid.poisson->solve(); },
                                    .before = [&] { multigrid.set(problem); }}};
    std::vector<bench::Way> relaxing{{.name = "jacobi",
                                      .run = [&] { by_jacobi = jacobi.poisson->solve(); },
                                      .before = [&] { jacobi.set(problem); }}};
    bench::take_turns(context, cycles, 10, 2);
    context.timeline().clear();
    bench::take_turns(context, cycles, 10, 0);
    print_breakdown(context, 10);
    bench::take_turns(context, relaxing, 1, 0);
    bench::take_turns(context, cycles, 20, 0);  // before and after, in case the load has changed
    const double ratio = bench::median(relaxing[0]) / bench::median(cycles[0]);
    std::printf(
        "multigrid: %d cycles, residual %.2e, %.1f ms; jacobi: %d sweeps, residual %.2e, %.2f s, %.3f ms a "
        "sweep\n",
        by_multigrid.iterations, by_multigrid.residual, bench::median(cycles[0]) * 1e3, by_jacobi.iterations,
        by_jacobi.residual, bench::median(relaxing[0]),
        bench::median(relaxing[0]) / by_jacobi.iterations * 1e3);
    std::printf("  by CPU time %.1f\n", bench::median(relaxing[0].busy) / bench::median(cycles[0].busy));
    if (by_jacobi.capped || by_multigrid.capped)
      std::printf("result: a solver was stopped above its tolerance\n");
    else if (sweeps == 0)
      bench::report("Jacobi / multigrid, one step's pressure on " + std::to_string(points) + "^3", ratio,
                    "goal >= 100");
  }
  context.close();
}
