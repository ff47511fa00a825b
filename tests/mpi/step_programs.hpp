// SPDX-License-Identifier: Apache-2.0
// Programs of several steps: one stage that reads corners, a constant field and its position; three stages on
// two fields; a coloured stage and its successor. With walls, whose conditions use their position, and
// periodic axes.
#pragma once

#include <gtest/gtest.h>

#include "tests/mpi/cells.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/mpi/two_sweeps.hpp"

namespace sc::test {

/// Reads edges and corners, a constant field, and its position.
struct Spread {
  double a;
  SC_FN void operator()(At c, Index g, Out<double> next, In<double> q, In<double> k) const {
    const double corner = q[c.x(1).y(-1)] * q[c.y(1).z(1)] - q[c.x(-1).z(1)] * q[c.x(1).y(1).z(1)];
    const double star = q[c.x(1)] + q[c.x(-1)] + q[c.y(1)] + q[c.y(-1)] + q[c.z(1)] + q[c.z(-1)] - 6 * q[c];
    next[c] = q[c] + a * k[c.z(1)] * star + 0.01 * corner +
              1e-3 * static_cast<double>((g.x + 2 * g.y + 3 * g.z) % 5);
  }
};
struct Swing {  // a condition that uses its position
  SC_FN void operator()(Border b, Index g, Out<double> q) const {
    for (int n = 1; n <= b.layers; ++n)
      q[b.ghost(n)] = -0.5 * q[b.inside(n)] + 1e-3 * static_cast<double>((g.x + g.y - g.z) % 7);
  }
};

struct Setting {
  Int3 cells;
  Bool3 periodic;
  Int3 split;
  RunnerOptions runner;
  std::shared_ptr<FarPlace> place = {};
  Space space = Space::host;
  FieldOptions field(int levels = 1) const { return {.levels = levels, .space = space, .place = place}; }
  /// Halos of an odd width have, beyond walls, only the layers that a stage reads.
  Grid grid(Context& context, int halo, int reach) const {
    return {context,
            {.cells = cells,
             .periodic = periodic,
             .halo = halo,
             .wall_halo = halo % 2 == 1 ? std::min(reach, halo) : -1,
             .split = split}};
  }
};

struct Result {
  std::vector<double> values;
  Runner::Passes passes;
};

/// Level 0 of a field in any place.
template <int N>
std::vector<double> on_root_from(Field<double, N>& field) {
  const Grid& grid = field.grid();
  Field<double, N> near(grid, "near");
  const Out<double, N> copy = near.modify();
  field.each_slab([&](int lo, int hi, In<double, N> cells) {
    for (int k = 0; k < N; ++k)
      each_cell({{0, 0, lo}, {grid.own().hi.x, grid.own().hi.y, hi}}, [&](Int3 c) {
        const std::ptrdiff_t at = grid.layout().offset(c);
        copy.base[k * copy.stride + at] = cells.base[k * cells.stride + at];
      });
  });
  return on_root(near);
}

inline void set_conditions(Field<double>& q) {
  for (const Face face : all_faces) {
    if (face.axis == 1)
      boundary(q, face, Swing{});
    else if (face.side == 0)
      boundary(q, face, Mirrored<double>{});
    else
      boundary(q, face, Fixed{0.25});
  }
}

inline Result spread(Context& context, const Setting& setting, int halo, int steps) {
  const Grid grid = setting.grid(context, halo, 1);
  Field<double> q(grid, "q", setting.field(2)), k(grid, "k", setting.field());
  if (!setting.place) poison(q), poison(k);
  context.barrier();
  q.fill([](int x, int y, int z) { return std::sin(0.7 * x + 0.2 * y * z); });
  k.fill([](int x, int y, int z) { return 1 + 0.1 * std::cos(0.3 * x - 0.5 * y + 0.1 * z); });
  set_conditions(q);
  for (const Face face : all_faces) boundary(k, face, Mirrored<double>{});
  Runner runner(context, setting.runner);
  Sweep sweep("spread", Spread{}, writes(q.next()), reads(q.now(), sc::box(1)), reads(k.now(), star(1)));
  runner.steps(steps, [&](int step) {
    runner.run(sweep, Spread{0.05 + 0.001 * step});
    q.advance();
  });
  Result result{on_root_from(q), runner.passes()};
  context.barrier();
  return result;
}

/// Predictor; corrector with a field of two components that reads two cells away; damping in place.
struct Predict {
  double a;
  SC_FN void operator()(At c, Out<double> next, In<double> u, In<double, 2> v) const {
    next[c] = u[c] + a * (u[c.x(1)] + u[c.y(-1).z(1)] - 2 * u[c]) + 0.1 * (v[0][c.y(1)] - v[1][c.x(-1)]);
  }
};
struct Correct {
  SC_FN void operator()(At c, Out<double, 2> next, In<double, 2> v, In<double> u) const {
    next[0][c] = 0.9 * v[0][c] + 0.05 * (u[c.x(2)] - u[c.y(-2)] + u[c.z(2)]);
    next[1][c] = 0.9 * v[1][c] + 0.05 * (u[c.z(-2)] + u[c.y(2)] - u[c.x(-2)]);
  }
};
struct Damp {
  SC_FN void operator()(At c, InOut<double, 2> v, In<double> u) const {
    v[0][c] *= 1 - 0.1 * u[c.z(-1)] * u[c.z(-1)];
    v[1][c] += 0.01 * u[c.x(1)];
  }
};
constexpr int reach_of_a_step = 3;

inline Result predict_and_correct(Context& context, const Setting& setting, int halo, int steps) {
  const Grid grid = setting.grid(context, halo, 2);
  Field<double> u(grid, "u", setting.field(2));
  Field<double, 2> v(grid, "v", setting.field(2));
  if (!setting.place) poison(u), poison(v);
  context.barrier();
  u.fill([](int x, int y, int z) { return std::sin(0.7 * x + 0.2 * y * z); });
  v.fill([](int k, int x, int y, int z) { return std::cos(0.3 * x * (k + 1) - 0.5 * y + 0.1 * z); });
  set_conditions(u);
  for (const Face face : all_faces) boundary(v, face, Swirl{});
  Runner runner(context, setting.runner);
  Sweep predict("predict", Predict{}, writes(u.next()), reads(u.now(), sc::box(1)), reads(v.now(), star(1)));
  Sweep correct("correct", Correct{}, writes(v.next()), reads(v.now()), reads(u.now(), star(2)));
  Sweep damp("damp", Damp{}, updates(v.now()), reads(u.now(), star(1)));
  runner.steps(steps, [&](int step) {
    runner.run(predict, Predict{0.05 + 0.001 * step});
    u.advance();
    runner.run(correct);
    v.advance();
    runner.run(damp);
  });
  Result result{on_root_from(u), runner.passes()};
  const std::vector<double> second = on_root_from(v);
  result.values.insert(result.values.end(), second.begin(), second.end());
  context.barrier();
  return result;
}

/// Relaxes in place, colour by colour, towards a field that changes afterwards.
struct Settle {
  double omega;
  SC_FN void operator()(At c, InOut<double> x, In<double> b) const {
    const In<double> q = x;
    x[c] += omega * ((q[c.x(1)] + q[c.x(-1)] + q[c.y(1)] + q[c.y(-1)] + q[c.z(1)] + q[c.z(-1)]) / 6 - q[c] +
                     0.1 * b[c]);
  }
};
struct Follow {
  SC_FN void operator()(At c, InOut<double> b, In<double> x) const {
    b[c] += 0.1 * (x[c.y(1)] - b[c] * x[c.z(-1)]);
  }
};
constexpr int reach_of_colours = 3;  // two colours, and the following stage

inline Result relax_in_colours(Context& context, const Setting& setting, int halo, int steps) {
  const Grid grid = setting.grid(context, halo, 1);
  Field<double> x(grid, "x", setting.field()), b(grid, "b", setting.field());
  if (!setting.place) poison(x), poison(b);
  context.barrier();
  x.fill([](int i, int j, int k) { return std::sin(0.7 * i + 0.2 * j * k); });
  b.fill([](int i, int j, int k) { return std::cos(0.3 * i - 0.5 * j + 0.1 * k); });
  set_conditions(x);
  Runner runner(context, setting.runner);
  Sweep settle("settle", Settle{}, SweepOptions{.colours = 2}, updates(x.now(), star(1)), reads(b.now()));
  Sweep follow("follow", Follow{}, updates(b.now()), reads(x.now(), star(1)));
  runner.steps(steps, [&](int step) {
    runner.run(settle, Settle{1.1 + 0.01 * step});
    runner.run(follow);
  });
  Result result{on_root(x), runner.passes()};
  const std::vector<double> second = on_root(b);
  result.values.insert(result.values.end(), second.begin(), second.end());
  context.barrier();
  return result;
}

/// Thin tiles, which do not divide the block evenly; none for single steps.
inline Int3 tile_for(int length) { return length > 1 ? Int3{0, 5, 3} : Int3{}; }

/// The length, or as many steps as the blocks hold layers for.
inline int fitting(int length, Int3 cells, Int3 split, int reach) {
  const int thinnest = std::min({cells.x / split.x, cells.y / split.y, cells.z / split.z});
  return std::max(1, std::min(length, thinnest / reach));
}

using Program = Result (*)(Context&, const Setting&, int halo, int steps);

inline std::vector<double> one_by_one(Program program, Int3 cells, Bool3 periodic, int halo, int steps) {
  Result result = on_one_rank([&](Context& one) {
    return program(one, {cells, periodic, {1, 1, 1}, {.strategy = Strategy::blocking}}, halo, steps);
  });
  for (double value : result.values) EXPECT_TRUE(std::isfinite(value));
  return result.values;
}

/// Whether a setting gives the values of single steps, in passes of its length where no slabs limit them.
inline void expect_single_steps(Context& context, Program program, const Setting& setting, int reach,
                                int steps, const std::vector<double>& expected) {
  const int length = setting.runner.steps_per_pass;
  const Result got = program(context, setting, std::max(2, reach * length), steps);
  if (!setting.place || setting.split.z == 1) {
    EXPECT_EQ(got.passes.passes, length == 1 ? 0 : (steps + length - 1) / length) << got.passes.describe();
  }
  if (context.rank() != 0) return;
  EXPECT_TRUE(same_bits(got.values, expected))
      << length << " steps, " << setting.runner.strategy.name << ", split " << to_string(setting.split)
      << ", periodic " << setting.periodic.x << setting.periodic.y << setting.periodic.z;
}

/// q and k in a place, `own` cells on each rank, one block after another along z, and the sweep from q to its
/// next level in passes of several steps.
struct Spreading {
  Spreading(Context& context, Int3 own, Bool3 periodic, int length, const std::shared_ptr<FarPlace>& place)
      : grid(context, {.cells = {own.x, own.y, own.z * context.size()},
                       .periodic = periodic,
                       .halo = std::max(3, length),
                       .wall_halo = 1,
                       .split = {1, 1, context.size()}}),
        q(grid, "q", {.levels = 2, .place = place}),
        k(grid, "k", {.place = place}),
        runner(context, {.strategy = Strategy::boundary_first, .steps_per_pass = length}),
        sweep("spread", Spread{0.05}, writes(q.next()), reads(q.now(), sc::box(1)), reads(k.now(), star(1))) {
    q.fill([](int x, int y, int z) { return std::sin(0.7 * x + 0.2 * y * z); });
    k.fill([](int x, int, int) { return 1 + 0.01 * x; });
    set_conditions(q);
    for (const Face face : all_faces) boundary(k, face, Mirrored<double>{});
  }
  /// The other level of q is not read any more if it is discarded.
  void step(bool discards = false) {
    runner.run(sweep);
    q.advance();
    if (discards) runner.discard(q, 1);
  }
  Grid grid;
  Field<double> q, k;
  Runner runner;
  Sweep<Spread, Writes, Reads, Reads> sweep;
};

}  // namespace sc::test
