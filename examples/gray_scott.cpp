// SPDX-License-Identifier: Apache-2.0
// The reaction of Gray and Scott in a periodic box: u feeds v, v eats u, and a seed of v grows into folds.
// Every 500 steps a snapshot for ParaView and a checkpoint. The same command goes on from the checkpoint, on
// any number of ranks and with the same bits.
//   mpirun -n 2 build/release/examples/gray_scott 64 2000 spots 0.02 0.048 1
//                                      cells, until which step, names of the files, feed, kill, dt
// J. E. Pearson, "Complex patterns in a simple system", Science 261 (1993).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "engine/base/run_main.hpp"
#include "engine/subcurrent.hpp"
#include "io/checkpoint.hpp"
#include "io/snapshot.hpp"

using namespace sc;

constexpr double spread_u = 0.2, spread_v = 0.1;  // diffusion, in units of the laplacian below

SC_FN double laplacian(At c, In<double> q) {  // the mean of the neighbours less the cell itself
  return (q[c.x(1)] + q[c.x(-1)] + q[c.y(1)] + q[c.y(-1)] + q[c.z(1)] + q[c.z(-1)]) / 6 - q[c];
}

struct React {  // du/dt = Du lap u - u v^2 + F (1 - u),  dv/dt = Dv lap v + u v^2 - (F + k) v
  double feed, kill, dt;
  SC_FN void operator()(At c, Out<double> next_u, Out<double> next_v, In<double> u, In<double> v) const {
    const double eaten = u[c] * v[c] * v[c];
    next_u[c] = u[c] + dt * (spread_u * laplacian(c, u) - eaten + feed * (1 - u[c]));
    next_v[c] = v[c] + dt * (spread_v * laplacian(c, v) + eaten - (feed + kill) * v[c]);
  }
};

struct Amounts {  // what a cell adds to the sums that are printed
  SC_FN std::array<double, 2> operator()(At c, In<double> u, In<double> v) const { return {u[c], v[c]}; }
};

struct Case {
  int cells = 64, steps = 2000;
  std::string name = "gray_scott";
  double feed = 0.02, kill = 0.048, dt = 1;
};

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

Case case_of(Arguments given) {
  Case c;
  c.cells = given.whole("the number of cells", c.cells, 12);
  c.steps = given.whole("the number of steps", c.steps);
  c.name = given.text("the name", c.name);
  c.feed = given.number("feed", c.feed);
  c.kill = given.number("kill", c.kill);
  c.dt = given.number("dt", c.dt);
  given.end();
  return c;
}

void run(Context& ctx, Arguments given) {
  const Case asked = case_of(given);
  const int n = asked.cells;
  Grid grid(ctx, {.cells = {n, n, n}, .periodic = {true, true, true}, .halo = 1});
  Field<double> u(grid, "u", {.levels = 2}), v(grid, "v", {.levels = 2});
  const auto seeded = [n](int x, int y, int z) {
    return std::max({std::abs(x - n / 2), std::abs(y - n / 2), std::abs(z - n / 2)}) < 6;
  };
  u.fill([&](int x, int y, int z) { return seeded(x, y, z) ? 0.25 : 1.0; });
  v.fill([&](int x, int y, int z) { return seeded(x, y, z) ? 0.33 : 0.0; });
  std::int64_t step = 0;

  // The state, described once for writing and reading; what the equation was belongs to it.
  Case saved = asked;
  const auto state = [&] {
    return io::CheckpointContents{
        .solver = "gray_scott",
        .grid = grid,
        .fields = {{"u", &u.storage(0)}, {"v", &v.storage(0)}},
        .scalars = {{"step", &step}, {"feed", &saved.feed}, {"kill", &saved.kill}, {"dt", &saved.dt}}};
  };
  const std::string checkpoint = asked.name + ".h5";
  if (ctx.any(std::filesystem::exists(checkpoint))) {
    io::read_checkpoint(checkpoint, state());
    if (saved.feed != asked.feed || saved.kill != asked.kill || saved.dt != asked.dt)
      refuse(checkpoint + " is of a run with feed " + number(saved.feed) + ", kill " + number(saved.kill) +
             " and dt " + number(saved.dt) + "; go on with these, or give another name");
    if (step > asked.steps)
      refuse(checkpoint + " is of step " + std::to_string(step) + ", beyond step " +
             std::to_string(asked.steps));
  }

  Sweep react("react", React{asked.feed, asked.kill, asked.dt}, writes(u.next()), writes(v.next()),
              reads(u.now(), star(1)), reads(v.now(), star(1)));
  Sweep amounts("amounts", Amounts{}, SweepOptions{.reduce = Reduce::sum}, reads(u.now()), reads(v.now()));
  Runner runner(ctx, {.strategy = Strategy::automatic});
  GlobalValue sums(ctx);

  const auto write = [&] {
    runner.run(amounts);
    sums.start(amounts.accumulators());
    const double of_u = sums.value(0), of_v = sums.value(1);
    if (!std::isfinite(of_u + of_v))  // every rank has the same sums, so all throw
      throw Error(Exit::diverged, "u or v is not finite at step " + std::to_string(step) + "; a dt below " +
                                      number(asked.dt) + " may help");
    char file[32];
    std::snprintf(file, sizeof file, "_%08lld.vtkhdf", static_cast<long long>(step));
    io::write_snapshot(asked.name + file, {.uniform = io::UniformPoints{},
                                           .fields = {{"u", &u.storage(0)}, {"v", &v.storage(0)}},
                                           .step = step,
                                           .time = asked.dt * static_cast<double>(step)});
    io::write_checkpoint(checkpoint, state());
    if (ctx.rank() == 0)
      std::printf("step %lld: u %.17g, v %.17g\n", static_cast<long long>(step), of_u, of_v);
  };

  while (step < asked.steps) {
    runner.run(react);
    u.advance();
    v.advance();
    ++step;
    if (step % 500 == 0 || step == asked.steps) write();
  }
}

int main(int argc, char** argv) { return run_main(argc, argv, run); }
