// SPDX-License-Identifier: Apache-2.0
// A step of the compressible solver, line solves included, against a copy of the bytes it must move, and per
// cell against a step that stays in the caches (16^3 cells a rank), in turns in one process.
//   compressible_bench [turns [points…]] [--trial]
#include "bench/arguments.hpp"
#include "bench/copy_loop.hpp"
#include "bench/measure.hpp"
#include "solvers/compressible/solver.hpp"

namespace {

using namespace sc;

/// What is measured of a gas.
struct Gas {
  const char* name;
  bool viscous = true, single = false, forced = false;  ///< forced: with filter and forcing
};

compressible::CompressibleOptions options_of(Int3 cells, const Gas& gas) {
  compressible::CompressibleOptions o;
  o.cells = cells;
  o.flow.mach = 0.5;
  o.gas.viscosity = gas.viscous ? 1.0 / 1600 : 0;
  o.single = gas.single;
  if (gas.forced) {
    o.filter = 0.49;
    o.forcing = {.power = 0.1, .dilatational = 0.1};
  }
  o.dt = 1e-4;
  o.engine = {.strategy = Strategy::boundary_first};
  return o;
}

// Values of a cell that the stages of a step must read or write, whatever stays in a cache from one stage to
// the next: for an axis of slopes 3 and 3, in a viscous gas only; of fluxes 6 of the state and 7 slopes
// (inviscid: 5 of the state) and 5 rates, which the first axis writes and the others read too; the first and
// the last update read 10 and write 11, the two between read 5 more.
constexpr int slopes_of(bool viscous) { return viscous ? 3 * (3 + 3) : 0; }
constexpr int fluxes_of(bool viscous) { return 3 * (viscous ? 13 : 5) + 5 + 2 * 10; }
constexpr int updates = 2 * 21 + 2 * 26;
double bytes_a_cell(bool viscous, bool single) {
  return (single ? 4.0 : 8.0) * (4 * (slopes_of(viscous) + fluxes_of(viscous)) + updates);
}

void compare(Context& context, int n, int turns, const Gas& gas) {
  constexpr double most_of_copy = 1.3, enough_of_cache = 0.6;
  const int ranks = context.size();
  compressible::Compressible large(context, options_of({n, n, n}, gas));
  compressible::Compressible small(context, options_of({16, 16, 16 * ranks}, gas));
  const double cells = double(n) * n * n, few = 16.0 * 16 * 16 * ranks;
  bench::Copy copy(std::size_t{1} << 24, context.threads());
  const int steps = 8;
  std::vector<bench::Way> ways{
      {"step", [&] { large.step(); }}, {"copy", [&] { copy.run(); }}, {"in cache", [&] {
                                                                         for (int k = 0; k < steps; ++k)
                                                                           small.step();
                                                                       }}};
  bench::take_turns(context, ways, turns, bench::until_rows_chosen);
  if (context.rank() != 0) return;
  const double step = bench::median(ways[0]) / cells;
  const double bytes = bytes_a_cell(gas.viscous, gas.single);
  const double moved = bench::median(ways[1]) / copy.bytes() * bytes / ranks;
  const double cached = bench::median(ways[2]) / steps / few;
  const std::string name = std::string("compressible step, ") + gas.name + ", " + std::to_string(n) + "^3";
  std::printf("%s, %d ranks: %.0f ns a cell, in cache %.0f ns\n", name.c_str(), ranks, 1e9 * step,
              1e9 * cached);
  if (!gas.forced) {  // whose filter and forcing are not counted in its bytes
    std::printf("copy of its %.0f bytes: %.0f ns\n", bytes, 1e9 * moved);
    bench::report(name + " / copy", step / moved, "1.3, or 0.6 in the next row");
    bench::report(name + ", speed / speed in cache", cached / step, "0.6, or 1.3 in the row before");
    bench::report(name + ", the better of the two / its goal",
                  std::max(most_of_copy / (step / moved), cached / step / enough_of_cache), "goal >= 1");
  } else {
    bench::report(name + ", speed / speed in cache", cached / step, "goal >= 0.6");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv);
  const int turns = arguments.number(1, "turns", 7, 1);
  const std::vector<int> sizes = arguments.numbers(2, "points", {64, 128}, 16, 8);
  Context context;
  constexpr Gas viscous{"viscous"}, inviscid{"inviscid", false}, single{"viscous, single", true, true};
  constexpr Gas forced{"viscous, filter and forcing", true, false, true};
  for (int n : sizes)
    for (const Gas& gas : {viscous, inviscid}) compare(context, n, turns, gas);
  for (const Gas& gas : {single, forced}) compare(context, sizes.back(), turns, gas);
  context.close();
}
