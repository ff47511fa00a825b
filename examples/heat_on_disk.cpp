// SPDX-License-Identifier: Apache-2.0
// The heat equation of examples/heat.cpp, its temperature in files: while a slab is computed, the next is
// read, the last one written, and halos travel. With several steps a pass a slab takes so many of them while
// it is near. The digits are those of memory.
//   mpirun -n 2 build/release/examples/heat_on_disk 128 100 scratch 8 4
//                                        cells, steps, folder, pieces, steps a pass
#include <cstdio>
#include <cstdlib>

#include "engine/base/error.hpp"
#include "engine/move/stream/file_memory.hpp"
#include "engine/move/stream/slab_place.hpp"
#include "engine/subcurrent.hpp"

using namespace sc;

struct Diffuse {  // T += a (sum of the six neighbours - 6 T)
  double a;
  SC_FN void operator()(At c, Out<double> next, In<double> T) const {
    next[c] =
        T[c] + a * (T[c.x(1)] + T[c.x(-1)] + T[c.y(1)] + T[c.y(-1)] + T[c.z(1)] + T[c.z(-1)] - 6 * T[c]);
  }
};

struct Heat {  // what a cell adds to the total
  SC_FN double operator()(At c, In<double> T) const { return T[c]; }
};

double heat_after(Context& ctx, int n, int steps, const char* folder, int pieces, int length) {
  Grid grid(ctx, {.cells = {n, n, n}, .periodic = {true, true, true}, .halo = length});
  FileMemory files({.folder = folder, .name = "rank " + std::to_string(ctx.rank())});
  Field<double> T(grid, "temperature", {.levels = 2, .place = in_files(files, pieces)});
  T.fill([n](int x, int y, int z) {
    const double r2 = (x - n / 2) * (x - n / 2) + (y - n / 2) * (y - n / 2) + (z - n / 2) * (z - n / 2);
    return r2 < n * n / 16.0 ? 1.0 : 0.0;
  });
  Sweep diffuse("diffuse", Diffuse{0.1}, writes(T.next()), reads(T.now(), star(1)));
  Sweep heat("heat", Heat{}, SweepOptions{.reduce = Reduce::sum}, reads(T.now()));
  Runner runner(ctx, {.steps_per_pass = length});
  runner.steps(steps, [&](int) {
    runner.run(diffuse);
    T.advance();
  });
  runner.run(heat);
  GlobalValue total(ctx);
  return total.reduce(heat.accumulators());
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 64;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 100;
  const char* folder = argc > 3 ? argv[3] : "heat_on_disk_scratch";
  const int pieces = argc > 4 ? std::atoi(argv[4]) : 8;
  const int length = argc > 5 ? std::atoi(argv[5]) : 1;
  Context ctx(MPI_COMM_WORLD);
  try {
    const double sum = heat_after(ctx, n, steps, folder, pieces, length);
    if (ctx.rank() == 0) std::printf("heat after %d steps: %.15g\n", steps, sum);
  } catch (const Error& error) {
    ctx.abort(error.what(), error.code());
  }
  ctx.close();
}
