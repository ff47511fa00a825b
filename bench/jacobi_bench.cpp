// SPDX-License-Identifier: Apache-2.0
// The cavity's Jacobi sweep with the Runner on grids larger than the caches, against a copy loop over two of
// its arrays in the same run. Bytes count each array once: 7 doubles for a cell in the sweep, 2 in the copy.
//   jacobi_bench [turns] [--trial]

#include "bench/arguments.hpp"
#include "bench/copy_loop.hpp"
#include "bench/measure.hpp"
#include "solvers/cavity/levels.hpp"

namespace {

using namespace sc;
using namespace sc::cavity;
using Points = SevenPoints<double>;

void compare(Int3 cells, int threads, int turns) {
  Context context(MPI_COMM_WORLD, {.threads = threads});
  {
    Runner runner(context, {});
    const Grid grid(context, {.cells = cells, .halo = 2});
    PoissonLevel<Points> level(grid);
    level.a.fill([](int, int x, int y, int z) { return 1.0 + 1e-3 * ((x + 3 * y + 7 * z) % 11); });
    level.inverse_diagonal.fill([](int, int, int) { return 1.0 / 6; });
    level.x.fill([](int x, int y, int z) { return 1e-2 * ((x * y + z) % 17); });
    level.b.fill([](int x, int y, int z) { return 1e-2 * ((x + y * z) % 13) - 0.06; });
    Sweep jacobi("jacobi", JacobiSweep<double, Points>{}, writes(level.x.next()),
                 reads(level.x.now(), Points::reach), reads(level.b.now()),
                 reads(level.a.now(), Points::coefficient_reach), reads(level.inverse_diagonal.now()));
    const auto elements = grid.layout().elements;
    const auto first = [](Field<double>& f) { return reinterpret_cast<double*>(f.storage(0).base()); };
    const auto whole = elements - grid.layout().origin;
    std::vector<bench::Way> ways{
        {"jacobi",
         [&] {
           runner.run(jacobi, {0.98});
           level.x.advance();
         }},
        {"copy", [&] { bench::copy_loop(first(level.r), first(level.b), whole, threads); }}};
    bench::take_turns(context, ways, turns, bench::until_rows_chosen);
    const double n = double(grid.own().cells());
    const double sweep_rate = n * jacobi.bytes_per_cell() / bench::median(ways[0]);
    const double copy_rate = 16.0 * double(whole) / bench::median(ways[1]);
    const double of_copy =
        n * jacobi.bytes_per_cell() / (16.0 * double(whole)) * bench::ratio(ways[1], ways[0]);
    const std::string name = std::to_string(cells.x) + "x" + std::to_string(cells.y) + "x" +
                             std::to_string(cells.z) + ", " + std::to_string(threads) +
                             (threads > 1 ? " threads" : " thread");
    std::printf("jacobi %s: %.1f GB/s, copy loop %.1f GB/s\n", name.c_str(), sweep_rate * 1e-9,
                copy_rate * 1e-9);
    bench::report("Jacobi sweep, speed / copy loop, " + name, of_copy, "goal >= 0.75");
  }
  context.close();
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv);
  const int turns = arguments.number(1, "turns", 15, 2);
  std::vector<Int3> sizes{{256, 256, 256}, {384, 384, 256}};
  if (arguments.trial()) sizes = {{24, 20, 16}};
  MPI_Init(&argc, &argv);
  for (const Int3 cells : sizes)
    for (const int threads : {1, 2}) compare(cells, threads, turns);
  MPI_Finalize();
}
