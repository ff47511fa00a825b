// SPDX-License-Identifier: Apache-2.0
// A step of the heat equation with a kernel compiled into the program, and with a kernel behind a function
// pointer, as for kernels in Python. stencil_peer.py compares the first with Python itself.
//   heat_bench [cells] [steps a turn] [turns] [--trial]
#include "bench/arguments.hpp"
#include "bench/heat_kernel.hpp"
#include "bench/measure.hpp"
#include "engine/stage/compiled_sweep.hpp"
#include "engine/subcurrent.hpp"

namespace {

using namespace sc;
using Diffuse = bench::Diffuse<double>;

void diffuse_rows(const RowsCall* call) { compute_rows<Diffuse, Out<double>, In<double>>(*call); }

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv);
  const int cells = arguments.number(1, "cells", 192, 8);
  const int steps = arguments.number(2, "steps", 10, 1);
  const int turns = arguments.number(3, "turns", 15, 1);
  Context context(MPI_COMM_WORLD);
  const Grid grid(context, {.cells = {cells, cells, cells}, .periodic = {true, true, true}, .halo = 1});
  Field<double> T(grid, "temperature", {.levels = 2});
  T.fill([](int x, int y, int z) { return double((x + 2 * y + 3 * z) % 17); });
  const Diffuse kernel{0.1};
  Sweep sweep("diffuse", kernel, writes(T.next()), reads(T.now(), star(1)));
  CompiledSweep behind("diffuse", {diffuse_rows, {}}, 0, {}, sweep.accesses());
  behind.set(std::as_bytes(std::span(&kernel, 1)));
  Runner runner(context, {.strategy = Strategy::boundary_first});
  const auto steps_of = [&](Stage& stage) {
    return [&] {
      for (int n = 0; n < steps; ++n) {
        runner.run(stage);
        T.advance();
      }
    };
  };
  std::vector<bench::Way> ways{{"sweep", steps_of(sweep)}, {"pointer", steps_of(behind)}};
  bench::take_turns(context, ways, turns, 2);
  if (context.rank() == 0) {
    bench::report("heat, sweep / kernel behind a pointer", bench::ratio(ways[0], ways[1]), "goal >= 0.98");
    std::printf("%.9f s a step\n", bench::median(ways[0]) / steps);
  }
  context.close();
}
