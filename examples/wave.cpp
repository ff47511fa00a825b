// SPDX-License-Identifier: Apache-2.0
// Sound in air from a point, of fourth order in space and second in time. A sponge before the walls takes
// what comes to them, so that the wave leaves the box. Every 200 steps a snapshot for ParaView and a
// checkpoint. The same command goes on from the checkpoint, on any number of ranks and with the same bits.
//   mpirun -n 2 build/release/examples/wave 96 400 sound 0.2 4
//                cells, until which step, names of the files, strength of the sponge, steps a pass
// d2p/dt2 = c^2 lap p + s(t) delta(x - source) has, without walls, p = s(t - r / c) / (4 pi c^2 r).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numbers>

#include "engine/base/run_main.hpp"
#include "engine/subcurrent.hpp"
#include "io/checkpoint.hpp"
#include "io/snapshot.hpp"

using namespace sc;

constexpr double speed = 343;                    // m/s
constexpr double spacing = 0.01;                 // m
constexpr double dt = 0.25 * spacing / speed;    // half of the largest that is stable
constexpr double peak = speed / (16 * spacing);  // Hz: 16 cells a wavelength where the source is loudest
constexpr double delay = 1.5 / peak;

/// Ricker's wavelet, 1 Pa at a distance of 1 m: s(t) / (4 pi c^2) in Pa m.
double wavelet(double t) {
  const double square = std::pow(std::numbers::pi * peak * (t - delay), 2);
  return (1 - 2 * square) * std::exp(-square);
}

struct Advance {  // (1 + g) p(t + dt) = 2 p(t) - (1 - g) p(t - dt) + (c dt)^2 lap p + dt^2 s, g: the sponge
  double k;       // (c dt / h)^2
  double pushed;  // dt^2 s / h^3, in the cell of the source
  std::int64_t source;
  SC_FN void operator()(At c, Index g, InOut<double> next, In<double> p, In<double> sponge) const {
    const double near = p[c.x(1)] + p[c.x(-1)] + p[c.y(1)] + p[c.y(-1)] + p[c.z(1)] + p[c.z(-1)];
    const double far = p[c.x(2)] + p[c.x(-2)] + p[c.y(2)] + p[c.y(-2)] + p[c.z(2)] + p[c.z(-2)];
    const double laplacian = (16 * near - far - 90 * p[c]) * (1.0 / 12);
    const double push = g.x == source && g.y == source && g.z == source ? pushed : 0;
    next[c] = (2 * p[c] - (1 - sponge[c]) * next[c] + k * laplacian + push) / (1 + sponge[c]);
  }
};

struct Loudest {  // NaN where p is not finite
  SC_FN double operator()(At c, In<double> p) const { return std::abs(p[c]) + (p[c] - p[c]); }
};

struct Case {
  int cells = 96, steps = 400;
  std::string name = "wave";
  double strength = 0.2;  ///< of the sponge at the walls; 0: they reflect
  int length = 1;         ///< steps a pass
};

Case case_of(Arguments given) {
  Case c;
  c.cells = given.whole("the number of cells", c.cells, 16);
  c.steps = given.whole("the number of steps", c.steps);
  c.name = given.text("the name", c.name);
  c.strength = given.number("the strength of the sponge", c.strength, 0, 1);
  c.length = given.whole("the number of steps a pass", c.length, 1);
  given.end();
  return c;
}

/// g dt / 2 of a damping g dp/dt, which grows towards the walls as a square over a quarter of the box.
double sponge_at(const Case& of, int x, int y, int z) {
  const int last = of.cells - 1;
  const int inside = std::min({x, last - x, y, last - y, z, last - z});
  const double depth = std::max(0.0, 1 - inside / (of.cells / 4.0));
  return of.strength * depth * depth * speed * dt / spacing;
}

void run(Context& ctx, Arguments given) {
  const Case asked = case_of(given);
  const int n = asked.cells;
  Grid grid(ctx, {.cells = {n, n, n}, .halo = 2 * asked.length});
  Field<double> p(grid, "pressure", {.levels = 2}), sponge(grid, "sponge");
  for (const Face face : all_faces) boundary(p, face, Fixed{0.0});
  sponge.fill([&](int x, int y, int z) { return sponge_at(asked, x, y, z); });
  std::int64_t step = 0;

  // The state, described once for writing and reading: both levels, since the step needs p(t - dt).
  Case saved = asked;
  const auto state = [&] {
    return io::CheckpointContents{.solver = "wave example",
                                  .grid = grid,
                                  .fields = {{"pressure", &p.storage(0)}, {"before", &p.storage(1)}},
                                  .scalars = {{"step", &step}, {"strength", &saved.strength}}};
  };
  const std::string checkpoint = asked.name + ".h5";
  if (ctx.any(std::filesystem::exists(checkpoint))) {
    io::read_checkpoint(checkpoint, state());
    if (saved.strength != asked.strength)
      refuse(checkpoint + " is of a sponge of strength " + std::to_string(saved.strength) +
             "; go on with that, or give another name");
    if (step > asked.steps)
      refuse(checkpoint + " is of step " + std::to_string(step) + ", beyond step " +
             std::to_string(asked.steps));
  }

  Advance advance{std::pow(speed * dt / spacing, 2), 0, n / 2};
  Sweep sweep("advance", advance, updates(p.next()), reads(p.now(), star(2)), reads(sponge.now()));
  Sweep loudest("loudest", Loudest{}, SweepOptions{.reduce = Reduce::max}, reads(p.now()));
  Runner runner(ctx, {.strategy = Strategy::automatic, .steps_per_pass = asked.length});
  GlobalValue global(ctx);

  const auto write = [&] {
    runner.run(loudest);
    const double loud = global.reduce(loudest.accumulators());
    const double ms = 1e3 * dt * static_cast<double>(step);
    char file[32];
    std::snprintf(file, sizeof file, "_%08lld.vtkhdf", static_cast<long long>(step));
    const double centre = spacing / 2;  // of the first cell
    io::write_snapshot(asked.name + file,
                       {.uniform = io::UniformPoints{{centre, centre, centre}, {spacing, spacing, spacing}},
                        .fields = {{"pressure", &p.storage(0)}, {"sponge", &sponge.storage(0)}},
                        .step = step,
                        .time = dt * static_cast<double>(step),
                        .units = {{"length", "m"}, {"time", "s"}, {"pressure", "Pa"}}});
    io::write_checkpoint(checkpoint, state());
    if (ctx.rank() == 0)
      std::printf("step %lld, %.4f ms: at most %.6g Pa\n", static_cast<long long>(step), ms, loud);
  };

  while (step < asked.steps) {
    const auto left = std::min<std::int64_t>(200 - step % 200, asked.steps - step);  // until it writes
    runner.steps(static_cast<int>(left), [&](int) {
      const double s = 4 * std::numbers::pi * speed * speed * wavelet(dt * static_cast<double>(step));
      advance.pushed = dt * dt * s / (spacing * spacing * spacing);
      runner.run(sweep, advance);
      p.advance();
      ++step;
    });
    write();
  }
}

int main(int argc, char** argv) { return run_main(argc, argv, run); }
