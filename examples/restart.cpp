// SPDX-License-Identifier: Apache-2.0
// The heat equation of examples/heat.cpp with what a real code needs: a snapshot to look at, a checkpoint to
// go on from on any number of ranks with the same bits, and one sentence where something cannot be.
//   mpirun -n 2 build/release/examples/restart 32 50 state.h5      from the start, 50 steps
//   mpirun -n 3 build/release/examples/restart 32 50 state.h5      50 more
#include <cstdio>
#include <filesystem>

#include "engine/base/run_main.hpp"
#include "engine/subcurrent.hpp"
#include "io/checkpoint.hpp"
#include "io/snapshot.hpp"

using namespace sc;

struct Diffuse {  // T += a (sum of the six neighbours - 6 T)
  double a;
  SC_FN void operator()(At c, Out<double> next, In<double> T) const {
    next[c] =
        T[c] + a * (T[c.x(1)] + T[c.x(-1)] + T[c.y(1)] + T[c.y(-1)] + T[c.z(1)] + T[c.z(-1)] - 6 * T[c]);
  }
};

struct Squares {  // what a cell adds to the sum that is printed
  SC_FN double operator()(At c, In<double> T) const { return T[c] * T[c]; }
};

void run(Context& ctx, Arguments given) {
  const int n = given.whole("the number of cells", 32), steps = given.whole("the number of steps", 50);
  const std::string path = given.text("the checkpoint", "state.h5");
  given.end();
  Grid grid(ctx, {.cells = {n, n, n}, .periodic = {true, true, true}, .halo = 1});
  Field<double> T(grid, "temperature", {.levels = 2});
  T.fill([n](int x, int y, int z) { return x < n / 2 && y < n / 2 && z < n / 2 ? 1.0 : 0.0; });
  std::int64_t step = 0;

  // The state, described once for writing and reading.
  const auto state = [&] {
    return io::CheckpointContents{.solver = "heat example",
                                  .grid = grid,
                                  .fields = {{"temperature", &T.storage(0)}},
                                  .scalars = {{"step", &step}}};
  };
  if (ctx.any(std::filesystem::exists(path))) io::read_checkpoint(path, state());

  Sweep diffuse("diffuse", Diffuse{0.1}, writes(T.next()), reads(T.now(), star(1)));
  Sweep squares("squares", Squares{}, SweepOptions{.reduce = Reduce::sum}, reads(T.now()));
  Runner runner(ctx, {.strategy = Strategy::automatic});
  for (int n_steps = 0; n_steps < steps; ++n_steps, ++step) {
    runner.run(diffuse);
    T.advance();
  }
  io::write_checkpoint(path, state());
  io::write_snapshot(path + ".vtkhdf", {.uniform = io::UniformPoints{},
                                        .fields = {{"temperature", &T.storage(0)}},
                                        .step = step,
                                        .time = 0.1 * static_cast<double>(step)});
  runner.run(squares);
  GlobalValue sum(ctx);
  const double all = sum.reduce(squares.accumulators());
  if (ctx.rank() == 0) std::printf("step %lld: %.17g\n", static_cast<long long>(step), all);
}

int main(int argc, char** argv) { return run_main(argc, argv, run); }
