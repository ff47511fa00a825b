// SPDX-License-Identifier: Apache-2.0
// A stencil that reads edges and corners, under every strategy of one thread: prints for each strategy the
// sum of the cells, each times a weight of its own, so that a wrong cell changes it. The sums do not depend
// on the number of ranks. tests/python/test_simulated_cells.py compiles it for simulated ranks.
//
//   cells_on_ranks CELLS STEPS
#include <mpi.h>

#include <cstdio>
#include <string>

#include "engine/base/run_main.hpp"
#include "engine/subcurrent.hpp"

namespace {

using namespace sc;

struct Mix {
  SC_FN void operator()(At c, Out<double> next, In<double> u) const {
    const double corners = u[c.x(1).y(1).z(1)] + u[c.x(-1).y(1).z(-1)] + u[c.x(1).y(-1)];
    next[c] = 0.4 * u[c] + 0.1 * (u[c.x(1)] + u[c.y(-1)] + u[c.z(1)]) + 0.09 * corners;
  }
};

struct Weighted {
  SC_FN double operator()(At c, Index g, In<double> u) const {
    return u[c] * double(g.x + 3 * g.y + 7 * g.z + 1);
  }
};

double sum_under(Context& context, const Strategy& strategy, int cells, int steps) {
  const Grid grid(context, {.cells = {cells, cells, cells}, .periodic = {true, true, false}, .halo = 1});
  Field<double> u(grid, "u", {.levels = 2});
  boundary(u, {2, 0}, Fixed<double>{0.5});
  boundary(u, {2, 1}, Fixed<double>{-0.25});
  u.fill([](int x, int y, int z) { return (7 * x + 5 * y + 3 * z) % 11 / 8.0; });
  Sweep mix("mix", Mix{}, writes(u.next()), reads(u.now(), box(1)));
  Sweep weighted("weighted", Weighted{}, SweepOptions{.reduce = Reduce::sum}, reads(u.now()));
  Runner runner(context, {.strategy = strategy});
  GlobalValue total(context);
  for (int n = 0; n < steps; ++n) {
    runner.begin_step();
    runner.run(mix);
    u.advance();
  }
  runner.run(weighted);
  return total.reduce(weighted.accumulators());
}

void run(Context& context, Arguments given) {
  const int cells = given.whole("the number of cells", 40, 8), steps = given.whole("the number of steps", 60);
  given.end();
  for (const Strategy* strategy : Strategy::all()) {
    if (strategy->divides_threads) continue;
    const double sum = sum_under(context, *strategy, cells, steps);
    if (context.rank() == 0) std::printf("%s %.17g\n", std::string(strategy->name).c_str(), sum);
  }
}

}  // namespace

// Starts and ends MPI itself: simulated ranks are threads of one process, so that what the engine does at the
// exit of a process comes too late for them.
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int code = run_main(argc, argv, run, {.transport = TransportPolicy::mpi});
  MPI_Finalize();
  return code;
}
