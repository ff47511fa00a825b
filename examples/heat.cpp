// SPDX-License-Identifier: Apache-2.0
// The heat equation dT/dt = a laplace(T) in a periodic box, on any number of ranks: a warm ball spreads, its
// heat stays.
//   mpirun -n 2 build/release/examples/heat 128 100 4
//                                     cells, steps, steps a pass
#include <cstdio>

#include "engine/base/run_main.hpp"
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

void run(Context& ctx, Arguments given) {
  const int n = given.whole("the number of cells", 64), steps = given.whole("the number of steps", 100);
  const int length = given.whole("the number of steps a pass", 1, 1);
  given.end();
  Grid grid(ctx, {.cells = {n, n, n}, .periodic = {true, true, true}, .halo = length});
  Field<double> T(grid, "temperature", {.levels = 2});
  T.fill([n](int x, int y, int z) {
    const double r2 = (x - n / 2) * (x - n / 2) + (y - n / 2) * (y - n / 2) + (z - n / 2) * (z - n / 2);
    return r2 < n * n / 16.0 ? 1.0 : 0.0;
  });
  Sweep diffuse("diffuse", Diffuse{}, writes(T.next()), reads(T.now(), star(1)));
  Sweep heat("heat", Heat{}, SweepOptions{.reduce = Reduce::sum}, reads(T.now()));
  Runner runner(ctx, {.strategy = Strategy::automatic, .steps_per_pass = length});
  GlobalValue total(ctx);
  runner.steps(steps, [&](int) {
    runner.run(diffuse, Diffuse{0.1});
    T.advance();
  });
  runner.run(heat);
  const double sum = total.reduce(heat.accumulators());
  if (ctx.rank() == 0) std::printf("heat after %d steps: %.15g\n", steps, sum);
}

int main(int argc, char** argv) { return run_main(argc, argv, run); }
