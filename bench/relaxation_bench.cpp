// SPDX-License-Identifier: Apache-2.0
// The cavity's relaxation sweeps, several in a pass against single ones on the same fields: Jacobi, in-place
// relaxation by colours, and the Chebyshev smoother of multigrid, on one rank between walls.
// Rows and planes of the tiles of passes may be given.
//   relaxation_bench [turns] [threads] [cells] [rows] [planes] [--trial]
#include <memory>

#include "bench/arguments.hpp"
#include "bench/measure.hpp"
#include "solvers/cavity/levels.hpp"

namespace {

using namespace sc;
using namespace sc::cavity;

constexpr int sweeps = 8;  // in a turn
const std::vector<int> lengths{1, 2, 4, 8};

/// How sweeps are compared.
struct Comparison {
  int turns;
  Int3 tile;  // of passes; 0: chosen for the caches
};

/// One way for each length; `sweep` runs a sweep with a runner.
template <class Sweep>
void compare(Context& context, const std::string& name, double cells, const Comparison& how,
             const Sweep& sweep) {
  std::vector<std::unique_ptr<Runner>> runners;
  std::vector<bench::Way> ways;
  for (const int length : lengths) {
    Runner& runner = *runners.emplace_back(std::make_unique<Runner>(
        context, RunnerOptions{.steps_per_pass = length, .pass_tile = length > 1 ? how.tile : Int3{}}));
    ways.push_back(
        {std::to_string(length) + " a pass", [&] { runner.steps(sweeps, [&](int) { sweep(runner); }); }});
  }
  bench::take_turns(context, ways, how.turns, bench::until_rows_chosen / sweeps + 1);
  for (const bench::Way& way : ways)
    std::printf("%s, %s: %.3g ms a sweep, %.0f million cells/s\n", name.c_str(), way.name.c_str(),
                1e3 * bench::median(way) / sweeps, 1e-6 * cells * sweeps / bench::median(way));
  for (std::size_t k = 1; k < ways.size(); ++k)
    bench::report(name + ", one by one / " + ways[k].name, bench::ratio(ways[0], ways[k]),
                  lengths[k] == 4 ? "goal >= 1.5" : "for the record");
}

template <class Points>
void relax(const std::string& what, int n, int threads, const Comparison& how) {
  using Real = typename Points::Real;
  Context context(MPI_COMM_WORLD, {.threads = threads});
  {
    const Grid grid(context, {.cells = {n, n, n}, .halo = 2});
    PoissonLevel<Points> level(grid);
    level.a.fill([](int, int x, int y, int z) { return Real(1 + 1e-3 * ((x + 3 * y + 7 * z) % 11)); });
    level.inverse_diagonal.fill([](int, int, int) { return Real(1.0 / (Points::neighbours + 1)); });
    level.x.fill([](int x, int y, int z) { return Real(1e-2 * ((x * y + z) % 17)); });
    level.b.fill([](int x, int y, int z) { return Real(1e-2 * ((x + y * z) % 13) - 0.06); });
    const auto around = reads(level.a.now(), Points::coefficient_reach);
    Sweep jacobi("jacobi", JacobiSweep<Real, Points>{Real(0.98)}, writes(level.x.next()),
                 reads(level.x.now(), Points::reach), reads(level.b.now()), around,
                 reads(level.inverse_diagonal.now()));
    Sweep sor("sor", RelaxationSweep<Real, Points>{Real(1.2)}, SweepOptions{.colours = Points::colours},
              updates(level.x.now(), Points::reach), reads(level.b.now()), around,
              reads(level.inverse_diagonal.now()));
    LevelSweeps<Points> chebyshev(level);
    const auto two_levels = [&](auto& stage) {
      return [&](Runner& runner) {
        runner.run(stage);
        level.x.advance();
      };
    };
    const std::string name =
        ", " + what + ", " + std::to_string(n) + "^3, " + std::to_string(threads) + " threads";
    const double cells = double(grid.own().cells());
    compare(context, "Jacobi" + name, cells, how, two_levels(jacobi));
    compare(context, std::to_string(Points::colours) + " colours" + name, cells, how,
            [&](Runner& runner) { runner.run(sor); });
    compare(context, "Chebyshev" + name, cells, how, [&](Runner& runner) {
      chebyshev.smooth.set({0.3, 0.6});
      runner.run(*chebyshev.smooth);
      level.x.advance();
    });
  }
  context.close();
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv);
  const int turns = arguments.number(1, "turns", 5, 2), threads = arguments.number(2, "threads", 2, 2),
            cells = arguments.number(3, "cells", 192, 24);
  const Comparison how{turns,
                       {0, arguments.number(4, "rows", 0, 0, 0), arguments.number(5, "planes", 0, 0, 0)}};
  MPI_Init(&argc, &argv);
  relax<SevenPoints<double>>("7 points", cells, threads, how);
  relax<NineteenPoints<double>>("19 points", cells, threads, how);
  relax<SevenPoints<float>>("7 points f32", cells, threads, how);
  MPI_Finalize();
}
