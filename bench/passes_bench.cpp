// SPDX-License-Identifier: Apache-2.0
// Several steps a pass in memory: the heat equation (7 points) and the wave equation (4th order, 13 points)
// on one rank between walls, T steps a pass against one, against a plain loop nest over the same fields, and
// against a copy of as many bytes as a step must read and write, by stores that pass the caches by.
//   passes_bench [turns] [threads] [heat cells] [wave cells] [--trial]
#include <memory>

#include "bench/arguments.hpp"
#include "bench/measure.hpp"
#include "bench/single_sweeps.hpp"
#include "engine/subcurrent.hpp"

namespace {

using namespace sc;
using bench::Diffuse;
using bench::plain_heat;
using bench::set_walls;
using bench::streaming_copy;
using bench::Swing;

constexpr int steps = 8;  // of a turn

/// One way for each length of a pass.
template <class Kernel, class Stage, class Any>
void add_lengths(std::vector<bench::Way>& ways, std::vector<std::unique_ptr<Runner>>& runners,
                 Context& context, Stage& stage, Kernel kernel, Any& field) {
  for (const int length : {1, 2, 4, 8}) {
    Runner& runner =
        *runners.emplace_back(std::make_unique<Runner>(context, RunnerOptions{.steps_per_pass = length}));
    ways.push_back({std::to_string(length) + " a pass", [&, kernel] {
                      runner.steps(steps, [&](int) {
                        runner.run(stage, kernel);
                        field.advance();
                      });
                    }});
  }
}

void print(const std::string& what, const std::vector<bench::Way>& ways, double cells) {
  for (const bench::Way& way : ways)
    std::printf("%s, %s: %.3g ms a step, %.0f million cells/s\n", what.c_str(), way.name.c_str(),
                1e3 * bench::median(way) / steps, 1e-6 * cells * steps / bench::median(way));
}

const bench::Way& best_of(const std::vector<bench::Way>& ways) {
  const bench::Way* best = &ways[1];
  for (std::size_t k = 2; k < 4; ++k)
    if (bench::median(ways[k]) < bench::median(*best)) best = &ways[k];
  return *best;
}

void heat(int n, int threads, int turns) {
  Context context(MPI_COMM_WORLD, {.threads = threads});
  {
    const Grid grid(context, {.cells = {n, n, n}, .halo = 1});
    Field<double> T(grid, "temperature", {.levels = 2});
    T.fill([](int x, int y, int z) { return 1e-2 * ((x + 3 * y + 7 * z) % 11); });
    set_walls(T);
    Sweep diffuse("diffuse", Diffuse{}, writes(T.next()), reads(T.now(), star(1)));
    std::vector<std::unique_ptr<Runner>> runners;
    std::vector<bench::Way> ways;
    add_lengths(ways, runners, context, diffuse, Diffuse{0.1}, T);
    ways.push_back({"plain loop", [&] {
                      for (int step = 0; step < steps; ++step) {
                        plain_heat(T, threads);
                        T.advance();
                      }
                    }});
    double* const first = T.now().view().base;
    double* const second = T.next().view().base;
    const auto count = grid.layout().elements - grid.layout().origin - 8;
    ways.push_back({"streaming copy",
                    [&] {
                      for (int step = 0; step < steps; ++step)
                        step % 2 ? streaming_copy(second, first, count, threads)
                                 : streaming_copy(first, second, count, threads);
                    },
                    [&] { T.modify(); }});
    bench::take_turns(context, ways, turns, 1);
    const std::string name = "heat " + std::to_string(n) + "^3, " + std::to_string(threads) + " threads";
    print(name, ways, double(grid.own().cells()));
    const bench::Way& best = best_of(ways);
    bench::report(name + ", one step a pass / best", bench::ratio(ways[0], best), "goal >= 1.8");
    bench::report(name + ", plain loop / best", bench::ratio(ways[4], best), "goal >= 1.35");
    bench::report(name + ", streaming copy / best", bench::ratio(ways[5], best), "for the record");
  }
  context.close();
}

template <class Real>
void wave(int n, int threads, int turns) {
  Context context(MPI_COMM_WORLD, {.threads = threads});
  {
    const Grid grid(context, {.cells = {n, n, n}, .halo = 2});
    Field<Real> u(grid, "u", {.levels = 2});
    for (int level = 0; level < 2; ++level)
      u.fill([](int x, int y, int z) { return Real(1e-2) * Real((x + 3 * y + 7 * z) % 11); }, level);
    set_walls(u);
    Sweep swing("swing", Swing<Real>{}, updates(u.next()), reads(u.now(), star(2)));
    std::vector<std::unique_ptr<Runner>> runners;
    std::vector<bench::Way> ways;
    add_lengths(ways, runners, context, swing, Swing<Real>{Real(0.1)}, u);
    bench::take_turns(context, ways, turns, 1);
    const std::string name = "wave " + std::string(sizeof(Real) == 4 ? "f32 " : "f64 ") + std::to_string(n) +
                             "^3, " + std::to_string(threads) + " threads";
    print(name, ways, double(grid.own().cells()));
    bench::report(name + ", one step a pass / best", bench::ratio(ways[0], best_of(ways)), "goal >= 1.6");
  }
  context.close();
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv);
  const int turns = arguments.number(1, "turns", 5, 2);
  const int threads = arguments.number(2, "threads", 2, 2);
  const int heat_cells = arguments.number(3, "heat cells", 256, 24, 0);
  const int wave_cells = arguments.number(4, "wave cells", 256, 24, 0);
  MPI_Init(&argc, &argv);
  if (heat_cells > 0) heat(heat_cells, threads, turns);
  if (wave_cells > 0) wave<double>(wave_cells, threads, turns);
  if (wave_cells > 0) wave<float>(wave_cells * 3 / 2, threads, turns);
  MPI_Finalize();
}
