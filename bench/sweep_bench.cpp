// SPDX-License-Identifier: Apache-2.0
// A single sweep in memory: the heat equation (7 points) and the wave equation (4th order, 13 points, over
// what it held) on one rank between walls, with rows in plain order, in that for arrays which no cache holds,
// and in what the sweep finds by itself; against a plain loop nest and a copy by stores that pass the caches.
//   sweep_bench [turns] [threads] [cells] [--trial]
#include <memory>

#include "bench/arguments.hpp"
#include "bench/measure.hpp"
#include "bench/single_sweeps.hpp"
#include "engine/subcurrent.hpp"

namespace {

using namespace sc;

constexpr int steps = 8;  // of a turn

struct Size {
  int cells, threads;
};

/// Memory, runner and sweep of one order of rows.
template <class Real>
struct Sweeping {
  Sweeping(int n, int threads, int halo, PastCaches order)
      : context(MPI_COMM_WORLD, {.threads = threads, .past_caches = order}) {
    const Grid grid(context, {.cells = {n, n, n}, .halo = halo});
    field = std::make_unique<Field<Real>>(grid, "field", FieldOptions{.levels = 2});
    for (int level = 0; level < 2; ++level)
      field->fill([](int x, int y, int z) { return Real(1e-2) * Real((x + 3 * y + 7 * z) % 11); }, level);
    bench::set_walls(*field);
    runner = std::make_unique<Runner>(context, RunnerOptions{});
  }
  ~Sweeping() {
    sweep.reset();
    runner.reset();
    field.reset();
    context.close();
  }
  void run() {
    for (int step = 0; step < steps; ++step) {
      runner->run(*sweep);
      field->advance();
    }
  }
  Context context;
  std::unique_ptr<Field<Real>> field;
  std::unique_ptr<Runner> runner;
  std::unique_ptr<Stage> sweep;
};

std::unique_ptr<Stage> heat_of(Field<double>& T) {
  return std::unique_ptr<Stage>(
      new Sweep("diffuse", bench::Diffuse{0.1}, writes(T.next()), reads(T.now(), star(1))));
}
template <class Real>
std::unique_ptr<Stage> wave_of(Field<Real>& u) {
  return std::unique_ptr<Stage>(
      new Sweep("swing", bench::Swing<Real>{Real(0.1)}, updates(u.next()), reads(u.now(), star(2))));
}

template <class Real>
using Plain = void (*)(Field<Real>& field, int threads);

template <class Real, class Make>
void compare(const std::string& what, Size size, int turns, int halo, Make make,
             Plain<Real> plain = nullptr) {
  const auto [n, threads] = size;
  std::vector<std::unique_ptr<Sweeping<Real>>> all;
  std::vector<bench::Way> ways;
  const std::pair<const char*, PastCaches> orders[] = {{"plain order", PastCaches::never},
                                                       {"past the caches", PastCaches::always},
                                                       {"as found", PastCaches::measured}};
  for (const auto& [name, order] : orders) {
    Sweeping<Real>& one = *all.emplace_back(std::make_unique<Sweeping<Real>>(n, threads, halo, order));
    one.sweep = make(*one.field);
    ways.push_back({name, [&one] { one.run(); }});
  }
  const auto array = [&](int level) {  // of the field in plain order, as doubles
    return reinterpret_cast<double*>(all.front()->field->level(level).view().base);
  };
  const auto count = all.front()->field->grid().own().cells() * static_cast<std::int64_t>(sizeof(Real)) / 8;
  ways.push_back({"streaming copy",
                  [&] {
                    for (int step = 0; step < steps; ++step)
                      bench::streaming_copy(array(step % 2), array(1 - step % 2), count, threads);
                  },
                  [&] { all.front()->field->modify(); }});
  if (plain)
    ways.push_back({"plain loop", [&] {
                      for (int step = 0; step < steps; ++step) {
                        plain(*all.front()->field, threads);
                        all.front()->field->advance();
                      }
                    }});
  bench::take_turns(all.front()->context, ways, turns, 2);
  const std::string name = what + " " + std::to_string(n) + "^3, " + std::to_string(threads) + " threads";
  for (const bench::Way& way : ways)
    std::printf("%s, %s: %.3g ms a step\n", name.c_str(), way.name.c_str(), 1e3 * bench::median(way) / steps);
  bench::report(name + ", plain order of rows / chosen order", bench::ratio(ways[0], ways[2]), "goal >= 1");
  bench::report(name + ", streaming copy / chosen order", bench::ratio(ways[3], ways[2]), "goal >= 0.8");
  if (ways.size() > 4)
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
  compare<double>("heat", size, turns, 1, &heat_of, &bench::plain_heat);
  compare<double>("wave f64", size, turns, 2, &wave_of<double>);
  compare<float>("wave f32", size, turns, 2, &wave_of<float>);
  MPI_Finalize();
}
