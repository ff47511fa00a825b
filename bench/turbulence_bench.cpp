// SPDX-License-Identifier: Apache-2.0
// A step of the turbulence solver in single precision against one in double, in turns in one process.
//   turbulence_bench [turns [points…]]
#include <mpi.h>

#include "bench/measure.hpp"
#include "solvers/turbulence/solver.hpp"

namespace {

using namespace sc;

void compare(Context& context, int n, int turns) {
  turbulence::TurbulenceOptions options{.points = {n, n, n}, .viscosity = 1.0 / 1600, .dt = 1e-3};
  const auto in_double = make_turbulence(context, options);
  options.single = true;
  const auto in_single = make_turbulence(context, options);
  // All modes: the vortex has many that are too small to be normal in single precision, for its first steps.
  const turbulence::RandomField field{.spectrum = std::vector<double>(static_cast<std::size_t>(n / 2), 1e-2)};
  in_double->start_random(field);
  in_single->start_random(field);
  std::vector<bench::Way> ways{{"double", [&] { in_double->step(); }},
                               {"single", [&] { in_single->step(); }}};
  bench::take_turns(context, ways, turns);
  if (context.rank() != 0) return;
  for (const bench::Way& way : ways)
    std::printf("%d^3, %d ranks, %s: %.1f ms a step, %.1f ms of processor time\n", n, context.size(),
                way.name.c_str(), 1e3 * bench::median(way), 1e3 * bench::median(way.busy));
  bench::report("turbulence step, single / double, " + std::to_string(n) + "^3",
                bench::ratio(ways[1], ways[0]), "no goal");
}

}  // namespace

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const int turns = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
  std::vector<int> sizes;
  for (int i = 2; i < argc; ++i) sizes.push_back(std::max(4, std::atoi(argv[i])));
  if (sizes.empty()) sizes = {64, 128};
  {
    Context context;
    for (int n : sizes) compare(context, n, turns);
    context.close();
  }
  MPI_Finalize();
}
