// SPDX-License-Identifier: Apache-2.0
// A step of the turbulence solver in single precision against double, and its stages on modes (all except the
// transforms) against a copy of their bytes, in turns in one process.
//   turbulence_bench [turns [points…]] [--trial]
#include "bench/arguments.hpp"
#include "bench/copy_loop.hpp"
#include "bench/measure.hpp"
#include "solvers/turbulence/solver.hpp"

namespace {

using namespace sc;

void compare(Context& context, int n, int turns) {
  turbulence::TurbulenceOptions options{.points = {n, n, n}, .viscosity = 1.0 / 1600, .dt = 1e-3};
  turbulence::Turbulence in_double(context, options);
  options.single = true;
  turbulence::Turbulence in_single(context, options);
  // All modes, because the vortex has many that would be subnormal in single precision during its first
  // steps.
  const turbulence::RandomField field{.spectrum = std::vector<double>(static_cast<std::size_t>(n / 2), 1e-2)};
  in_double.start_random(field);
  in_single.start_random(field);
  std::vector<bench::Way> ways{{"double", [&] { in_double.step(); }}, {"single", [&] { in_single.step(); }}};
  bench::take_turns(context, ways, turns);
  if (context.rank() != 0) return;
  for (const bench::Way& way : ways)
    std::printf("%d^3, %d ranks, %s: %.1f ms a step, %.1f ms of processor time\n", n, context.size(),
                way.name.c_str(), 1e3 * bench::median(way), 1e3 * bench::median(way.busy));
  bench::report("turbulence step, single / double, " + std::to_string(n) + "^3",
                bench::ratio(ways[1], ways[0]), "no goal");
}

/// Seconds in stages on modes so far.
double pointwise(const turbulence::Turbulence& flow) {
  double seconds = 0;
  for (const char* name : {"curl", "stage", "last stage"}) seconds += flow.store().phases().at(name).compute;
  return seconds;
}

/// Four curls and four stages in a step. Bytes count every access to a field once.
void against_copy(Context& context, int n, int turns) {
  turbulence::Turbulence flow(context, {.points = {n, n, n}, .viscosity = 1.0 / 1600, .dt = 1e-3});
  flow.start_random({.spectrum = std::vector<double>(static_cast<std::size_t>(n / 2), 1e-2)});
  flow.step();
  constexpr int curls = 3 + 3 * 2, stages = 4 + 5 + 5 + 3;  // fields of three components read or written
  const auto modes = static_cast<double>(flow.modes().grid().own().cells());
  bench::Copy copy(static_cast<std::size_t>((curls + stages) * 3 * modes), context.threads());
  std::vector<double> seconds;
  double begin = 0;
  std::vector<bench::Way> ways{{.name = "step",
                                .run = [&] { flow.step(); },
                                .before = [&] { begin = pointwise(flow); },
                                .after = [&] { seconds.push_back(pointwise(flow) - begin); }},
                               {.name = "copy", .run = [&] { copy.run(); }}};
  bench::take_turns(context, ways, turns);
  const double rate = copy.bytes() / bench::median(seconds), of_copy = copy.bytes() / bench::median(ways[1]);
  if (context.rank() != 0) return;
  std::printf("%d^3, %d ranks: stages on modes %.1f GB/s, %.2f of a step; copy loop %.1f GB/s\n", n,
              context.size(), 1e-9 * rate, bench::median(seconds) / bench::median(ways[0]), 1e-9 * of_copy);
  bench::report("turbulence stages on modes, speed / copy loop, " + std::to_string(n) + "^3", rate / of_copy,
                "goal >= 0.75");
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv);
  const int turns = arguments.number(1, "turns", 5, 1);
  const std::vector<int> sizes = arguments.numbers(2, "points", {64, 128}, 16, 4);
  Context context;
  for (int n : sizes) {
    against_copy(context, n, turns);
    compare(context, n, turns);
  }
  context.close();
}
