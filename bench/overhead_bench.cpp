// SPDX-License-Identifier: Apache-2.0
// The overhead of the engine: a step with and without the timeline, and a sweep with the Runner against the
// sweep alone.
//   overhead_bench [turns] [--trial]

#include "bench/arguments.hpp"
#include "bench/measure.hpp"
#include "solvers/cavity/solver.hpp"

namespace {

using namespace sc;
using namespace sc::cavity;

CavityOptions cube(int points) {
  CavityOptions options;
  options.points = {points, points, points};
  options.faces[5] = {FaceKind::moving, {.velocity = {1, 0, 0}}};
  return options;
}

/// Steps with five multigrid cycles: many short sweeps, the worst case for the timeline.
void timeline_cost(Context& context, int points, int turns) {
  CavityOptions options = cube(points);
  options.pressure.fixed_iterations = 5;
  Cavity cavity(context, options);
  const auto steps = [&] {
    for (int n = 0; n < 4; ++n) cavity.step();
  };
  Timeline& timeline = context.timeline();
  std::vector<bench::Way> ways{{.name = "with", .run = steps, .before = [&] { timeline.clear(); }},
                               {.name = "without",
                                .run = steps,
                                .before = [&] { timeline.record(false); },
                                .after = [&] { timeline.record(true); }}};
  bench::take_turns(context, ways, turns, 2);
  bench::report("time to record the timeline, share of a step on " + std::to_string(points) + "^3 (CPU time)",
                bench::median(ways[0].busy) / bench::median(ways[1].busy) - 1, "goal < 0.01");
}

struct Nothing {
  SC_FN void operator()(At c, Out<double> next, In<double> q) const { next[c] = q[c.x(1)] + q[c.z(-1)]; }
};

void runner_cost(Context& context, const Strategy& strategy, int turns) {
  constexpr int runs = 1000;
  const Grid grid(context, {.cells = {4, 4, 4}, .halo = 1});
  Field<double> q(grid, "q", {.levels = 2});
  q.boundaries().leave_others(Beyond::given);
  Sweep sweep("nothing", Nothing{}, writes(q.next()), reads(q.now(), star(1)));
  Runner runner(context, {.strategy = strategy});
  std::vector<bench::Way> ways{{"runner",
                                [&] {
                                  for (int n = 0; n < runs; ++n) {
                                    runner.run(sweep);
                                    q.advance();
                                  }
                                }},
                               {"alone", [&] {
                                  for (int n = 0; n < runs; ++n) {
                                    sweep.compute(grid.own(), 1, sweep.accumulators());
                                    q.advance();
                                  }
                                }}};
  bench::take_turns(context, ways, 20 * turns, 2);
  const std::string under = strategy.chooses ? " under " + std::string(strategy.name) : "";
  bench::report("overhead of Runner" + under + ", microseconds a call (CPU time)",
                (bench::median(ways[0].busy) - bench::median(ways[1].busy)) / runs * 1e6, "goal <= 2");
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv);
  const int turns = arguments.number(1, "turns", 25, 1);
  Context context(MPI_COMM_WORLD);
  timeline_cost(context, arguments.trial() ? 18 : 66, turns);
  timeline_cost(context, 26, 4 * turns);
  runner_cost(context, Strategy::boundary_first, turns);
  // On one rank there is a choice only where messages are held back.
  Context delayed(MPI_COMM_WORLD, {.transport = TransportPolicy::delayed});
  runner_cost(delayed, Strategy::automatic, turns);
  delayed.close();
  context.close();
}
