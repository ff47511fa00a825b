// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4
// threads: 2
// optimise: no
// label: sanitize checked
// All memory except own cells is NaN before every step. The results do not change: only refreshed halos are
// read, including physical ones.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/subcurrent.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

struct Wave {  // reads edges and corners, and two cells along the axes
  SC_FN void operator()(At c, Out<double, 2> next, In<double, 2> q) const {
    next[0][c] = 0.5 * q[0][c] + 0.1 * (q[1][c.x(1).y(1).z(-1)] + q[1][c.x(-1).z(1)] - q[0][c.y(2)]);
    next[1][c] = 0.5 * q[1][c] - 0.1 * (q[0][c.x(-2)] + q[0][c.z(2)] - q[0][c.x(-1).y(-1)]);
  }
};
struct Smooth {
  SC_FN void operator()(At c, InOut<double> s) const {
    s[c] = 0.4 * s[c] + 0.1 * (s[c.x(1)] + s[c.x(-1)] + s[c.y(1)] + s[c.y(-1)] + s[c.z(1)] + s[c.z(-1)]);
  }
};
struct Couple {
  SC_FN double operator()(At c, InOut<double, 2> q, In<double> s) const {
    q[0][c] += 0.01 * (s[c.y(1)] - s[c.y(-1)]);
    return q[0][c];
  }
};
struct Slip {  // reads a tangential neighbour
  SC_FN void operator()(Border b, Out<double> s) const {
    for (int n = 1; n <= b.layers; ++n) s[b.ghost(n)] = s[b.inside(n)];
    s[b.ghost(1)] += 0.125 * (s[b.inside(1).x(1)] - s[b.inside(1).x(-1)]);
  }
};
struct Turn {
  SC_FN void operator()(Border b, Out<double, 2> q) const {
    for (int n = 1; n <= b.layers; ++n) {
      q[0][b.ghost(n)] = -q[1][b.inside(n)];
      q[1][b.ghost(n)] = q[0][b.inside(n)];
    }
  }
};

/// NaN everywhere except in own cells; no halo is fresh.
void poison_halo(AnyField& field) {
  const Grid& grid = field.grid();
  const Layout& layout = grid.layout();
  for (int level = 0; level < field.levels(); ++level) {
    Storage& s = field.storage(level);
    s.settle();
    auto* memory = reinterpret_cast<double*>(memory_begin(s));
    std::vector<bool> own(static_cast<std::size_t>(layout.elements));
    each_cell(grid.own(), [&](Int3 c) { own[std::size_t(layout.origin + layout.offset(c))] = true; });
    for (int k = 0; k < s.components(); ++k)
      for (std::size_t i = 0; i < own.size(); ++i)
        if (!own[i])
          memory[std::size_t(k * s.component_stride()) + i] = std::numeric_limits<double>::quiet_NaN();
    s.set_fresh(point);
  }
}

struct Outcome {
  std::vector<double> values;
  double sum = 0;
};

struct Setting {
  Bool3 periodic;
  Int3 split;
  RunnerOptions runner;
};

Outcome run(Context& context, const Setting& setting, bool poisoned) {
  const Grid grid(context,
                  {.cells = {14, 12, 18}, .periodic = setting.periodic, .halo = 2, .split = setting.split});
  Field<double, 2> q(grid, "q", {.levels = 2});
  Field<double> s(grid, "s");
  q.fill([](int k, int x, int y, int z) { return std::sin(0.3 * x + 0.7 * y * (k + 1) - 0.2 * z); });
  s.fill([](int x, int y, int z) { return std::cos(0.2 * x * y + 0.1 * z); });
  for (const Face face : all_faces) {
    boundary(q, face, Turn{});
    if (face.axis == 2)
      boundary(s, face, Slip{}, 1);
    else
      boundary(s, face, Mirrored<double>{});
  }
  Runner runner(context, setting.runner);
  Sweep wave("wave", Wave{}, writes(q.next()), reads(q.now(), star(2) | box(1)));
  Sweep smooth("smooth", Smooth{}, SweepOptions{.colours = 2}, updates(s.now(), star(1)));
  Sweep couple("couple", Couple{}, SweepOptions{.reduce = Reduce::sum}, updates(q.now()),
               reads(s.now(), star(1)));
  GlobalValue total(context);
  Outcome outcome;
  for (int step = 0; step < 5; ++step) {
    if (poisoned) {
      poison_halo(q);
      poison_halo(s);
    }
    runner.run(wave);
    q.advance();
    runner.run(smooth);
    runner.run(couple);
    outcome.sum += total.reduce(couple.accumulators());
  }
  for (int k = 0; k < 2; ++k) each_cell(grid.own(), [&](Int3 c) { outcome.values.push_back(q.get(c, k)); });
  each_cell(grid.own(), [&](Int3 c) { outcome.values.push_back(s.get(c)); });
  return outcome;
}

TEST(Poisoned, HalosAreNotReadBeforeTheyAreRefreshed) {
  for (TransportPolicy transport : {TransportPolicy::automatic, TransportPolicy::mpi}) {
    TestContext context({.threads = 2, .transport = transport});
    for (const Bool3 periodic : {Bool3{}, Bool3{true, true, true}, Bool3{false, true, false}})
      for (const Int3 split : splits(context.size()))
        for (const Strategy& strategy : all_strategies(context)) {
          const Setting setting{periodic, split, {.strategy = strategy, .poke_seconds = 1e-6}};
          const Outcome clean = run(context, setting, false);
          const Outcome poisoned = run(context, setting, true);
          ASSERT_TRUE(std::isfinite(clean.sum));
          EXPECT_EQ(poisoned.sum, clean.sum) << strategy.name << to_string(split);
          EXPECT_EQ(poisoned.values, clean.values) << strategy.name << to_string(split);
        }
  }
}

}  // namespace
}  // namespace sc::test
