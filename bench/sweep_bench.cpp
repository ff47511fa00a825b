// SPDX-License-Identifier: Apache-2.0
// A single sweep in memory: the heat equation (7 points) and the wave equation (4th order, 13 points, in
// place) on one rank between walls; with rows in plain order, in the order for arrays larger than the caches,
// and in the order that the sweep chooses; against a plain loop nest and a copy with non-temporal stores.
//   sweep_bench [turns] [threads] [cells] [--trial]
#include <memory>

#include "bench/arguments.hpp"
#include "bench/measure.hpp"
#include "bench/problems.hpp"
#include "bench/single_sweeps.hpp"
#include "engine/subcurrent.hpp"

namespace {

using namespace sc;

constexpr int steps = 8;  // in a turn

struct Size {
  int cells, threads;
};

/// Fields and runner for one order of rows.
template <class Problem>
struct Sweeping {
  Sweeping(int n, int threads, PastCaches order)
      : context(MPI_COMM_WORLD, {.threads = threads, .past_caches = order}) {
    problem = std::make_unique<Problem>(Grid(context, {.cells = {n, n, n}, .halo = Problem::reach}));
    runner = std::make_unique<Runner>(context, RunnerOptions{});
  }
  ~Sweeping() {
    runner.reset();
    problem.reset();
    context.close();
  }
  void run() {
    for (int step = 0; step < steps; ++step) problem->step(*runner);
  }
  Context context;
  std::unique_ptr<Problem> problem;
  std::unique_ptr<Runner> runner;
};

template <class Real>
using Plain = void (*)(Field<Real>& field, int threads);

template <class Problem>
void compare(const std::string& what, Size size, int turns, Plain<typename Problem::Value> plain) {
  using Real = typename Problem::Value;
  const auto [n, threads] = size;
  std::vector<std::unique_ptr<Sweeping<Problem>>> all;
  std::vector<bench::Way> ways;
  const std::pair<const char*, PastCaches> orders[] = {{"plain order", PastCaches::never},
                                                       {"past the caches", PastCaches::always},
                                                       {"as found", PastCaches::measured}};
  for (const auto& [name, order] : orders) {
    auto& one = *all.emplace_back(std::make_unique<Sweeping<Problem>>(n, threads, order));
    ways.push_back({name, [&one] { one.run(); }});
  }
  Field<Real>& plainly = all.front()->problem->field();
  const auto array = [&](int level) {  // as doubles
    return reinterpret_cast<double*>(plainly.level(level).view().base);
  };
  const auto count = plainly.grid().own().cells() * static_cast<std::int64_t>(sizeof(Real)) / 8;
  ways.push_back({"streaming copy",
                  [&] {
                    for (int step = 0; step < steps; ++step)
                      bench::streaming_copy(array(step % 2), array(1 - step % 2), count, threads);
                  },
                  [&] { plainly.modify(); }});
  ways.push_back({"plain loop", [&] {
                    for (int step = 0; step < steps; ++step) {
                      plain(plainly, threads);
                      plainly.advance();
                    }
                  }});
  bench::take_turns(all.front()->context, ways, turns, bench::until_rows_chosen / steps + 1);
  const std::string name = what + " " + std::to_string(n) + "^3, " + std::to_string(threads) + " threads";
  for (const bench::Way& way : ways)
    std::printf("%s, %s: %.3g ms a step\n", name.c_str(), way.name.c_str(), 1e3 * bench::median(way) / steps);
  bench::report(name + ", plain order of rows / chosen order", bench::ratio(ways[0], ways[2]), "goal >= 1");
  bench::report(name + ", streaming copy of its bytes / chosen order",
                Problem::moved / 2.0 * bench::ratio(ways[3], ways[2]), "goal >= 0.8");
  bench::report(name + ", plain loop / chosen order", bench::ratio(ways[4], ways[2]), "goal >= 1");
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv);
  const int turns = arguments.number(1, "turns", 5, 2);
  const int threads = arguments.number(2, "threads", 2, 1);
  const int cells = arguments.number(3, "cells", 256, 24);
  MPI_Init(&argc, &argv);
  const Size size{cells, threads};
  compare<bench::Heat>("heat", size, turns, &bench::plain_heat);
  compare<bench::Wave<double>>("wave f64", size, turns, &bench::plain_wave<double>);
  compare<bench::Wave<float>>("wave f32", size, turns, &bench::plain_wave<float>);
  MPI_Finalize();
}
