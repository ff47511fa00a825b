// SPDX-License-Identifier: Apache-2.0
// Two sweeps that read each other with different reach, and a coloured one, for tests of bits: boundary
// conditions with and without tangential neighbours, halos poisoned before.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "engine/subcurrent.hpp"
#include "tests/mpi/backends.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/mpi/whole_field.hpp"

namespace sc::test {

// u reads v around it, v reads the new u two cells along the axes: a stale halo changes the result
// immediately.
struct AdvanceU {
  double a;
  SC_FN void operator()(At c, Index g, Out<double> next, In<double> u, In<double, 2> v) const {
    const double corner = u[c.x(1).y(-1)] * u[c.y(1).z(1)] - u[c.x(-1).z(1)] / (2.0 + v[0][c] * v[0][c]);
    const double star = u[c.x(1)] + u[c.x(-1)] + u[c.y(1)] + u[c.y(-1)] + u[c.z(1)] + u[c.z(-1)] - 6 * u[c];
    next[c] = u[c] + a * star + 0.01 * corner * v[1][c.x(-1)] +
              1e-3 * static_cast<double>((g.x + 2 * g.y + 3 * g.z) % 5);
  }
};
struct AdvanceV {
  SC_FN double operator()(At c, Out<double, 2> next, In<double, 2> v, In<double> u) const {
    next[0][c] = 0.9 * v[0][c] + 0.05 * (u[c.x(2)] - u[c.y(-2)] + u[c.z(2)]);
    next[1][c] = 0.9 * v[1][c] + 0.05 * (u[c.z(-2)] + u[c.y(2)] - u[c.x(-2)]) * v[0][c];
    return next[0][c] * next[1][c];
  }
};
// Reads along the normal only.
struct Extrapolate {
  SC_FN void operator()(Border b, Out<double> q) const {
    q[b.ghost(1)] = 2 * q[b.inside(1)] - q[b.inside(2)];
    q[b.ghost(2)] = 0.5 * q[b.ghost(1)];
  }
};
struct Swirl {  // two components; uses its position
  SC_FN void operator()(Border b, Index g, Out<double, 2> q) const {
    for (int n = 1; n <= b.layers; ++n) {
      q[0][b.ghost(n)] = -q[1][b.inside(n)] + 1e-3 * static_cast<double>(g.x - g.y);
      q[1][b.ghost(n)] = q[0][b.inside(n)];
    }
  }
};
struct Skewed {  // reads a tangential neighbour, like the wall of a skewed grid
  SC_FN void operator()(Border b, Out<double> q) const {
    q[b.ghost(1)] = q[b.inside(1)] + 0.25 * (q[b.inside(1).x(1)] - q[b.inside(1).y(-1)]);
    q[b.ghost(2)] = q[b.ghost(1)];
  }
};

/// For members of fields with a stage: the declarations of a Sweep.
using Writes = detail::Declared<double, 1, Mode::write>;
using Reads = detail::Declared<double, 1, Mode::read>;

struct Problem {
  Int3 cells;
  Bool3 periodic;
  bool skewed;
};

struct Outcome {
  std::vector<double> u, v;  // global, on rank 0
  double sum = 0;
};

inline void poison(AnyField& field) {
  for (int level = 0; level < field.levels(); ++level) {
    Storage& s = field.storage(level);
    const Layout& l = field.grid().layout();
    s.begin_host_write();
    auto* base = reinterpret_cast<double*>(s.host_base());
    for (int k = 0; k < s.components(); ++k)
      for (std::ptrdiff_t i = 0; i < l.elements; ++i)
        base[k * s.component_stride() + i - l.origin] = std::numeric_limits<double>::quiet_NaN();
  }
}

inline Outcome run(Context& context, const Problem& problem, Int3 split, RunnerOptions options,
                   Space space = Space::host) {
  Grid grid(context, {.cells = problem.cells, .periodic = problem.periodic, .halo = 3, .split = split});
  Field<double> u(grid, "u", {.levels = 2, .space = space});
  Field<double, 2> v(grid, "v", {.levels = 2, .space = space});
  poison(u);
  poison(v);
  context.barrier();  // neighbours on the node must not read cells between poisoning and initialisation
  u.fill([](int x, int y, int z) { return std::sin(0.7 * x + 0.2 * y * z); });
  v.fill([](int k, int x, int y, int z) { return std::cos(0.3 * x * (k + 1) - 0.5 * y + 0.1 * z); });
  for (const Face face : all_faces) {
    if (problem.skewed && face.axis == 2)
      boundary(u, face, Skewed{}, 1);
    else
      boundary(u, face, Extrapolate{});
    boundary(v, face, Swirl{});
  }
  Runner runner(context, options);
  Sweep first("first", AdvanceU{}, writes(u.next()), reads(u.now(), box(1)), reads(v.now(), star(1)));
  Sweep second("second", AdvanceV{}, SweepOptions{.reduce = Reduce::sum}, writes(v.next()), reads(v.now()),
               reads(u.now(), star(2)));
  GlobalValue total(context);
  Outcome outcome;
  for (int step = 0; step < 6; ++step) {
    runner.run(first, AdvanceU{0.05 + 0.001 * step});
    u.advance();
    runner.run(second);
    v.advance();
    outcome.sum = total.reduce(second.accumulators());
  }
  outcome.u = on_root(u);
  outcome.v = on_root(v);
  context.barrier();
  return outcome;
}

// The reference: the same formulas on one rank under blocking. Every rank computes the whole problem alone on
// its own communicator, because files for comparisons between numbers of ranks would need another run.
inline Outcome alone(const Problem& problem, Backend backend = Backend::host) {
  return on_one_rank([&](Context& context) {
    open(context, backend);
    return run(context, problem, {1, 1, 1}, {.strategy = Strategy::blocking}, space_of(backend));
  });
}

inline const std::vector<Problem> problems{{{18, 19, 20}, {true, true, true}, false},
                                           {{19, 18, 23}, {false, false, false}, false},
                                           {{18, 21, 19}, {false, true, false}, true},
                                           {{20, 18, 18}, {true, false, false}, true}};

struct Relax {  // reads the 18 neighbours of other colours (four colours)
  SC_FN void operator()(At c, InOut<double> u) const {
    double sum = 0;
    for (int a = 0; a < 3; ++a) {
      const int b = (a + 1) % 3;
      sum += u[c.along(a, 1)] + u[c.along(a, -1)] + 0.3 * u[c.along(a, 1).along(b, 1)] -
             0.2 * u[c.along(a, -1).along(b, 1)] + 0.1 * u[c.along(a, 1).along(b, -1)] +
             0.4 * u[c.along(a, -1).along(b, -1)];
    }
    u[c] = 0.4 * u[c] + 0.07 * sum;
  }
};

inline std::vector<double> relax(Context& context, Bool3 periodic, Int3 split, RunnerOptions options,
                                 Space space = Space::host) {
  Grid grid(context, {.cells = {16, 18, 20}, .periodic = periodic, .halo = 1, .split = split});
  Field<double> u(grid, "u", {.space = space});
  poison(u);
  context.barrier();
  u.fill([](int x, int y, int z) { return std::sin(0.7 * x + 0.2 * y * z); });
  for (const Face face : all_faces) boundary(u, face, Mirrored<double>{});
  Runner runner(context, options);
  Sweep sweep("relax", Relax{}, SweepOptions{.colours = 4}, updates(u.now(), box(1)));
  for (int n = 0; n < 5; ++n) runner.run(sweep);
  std::vector<double> values = on_root(u);
  context.barrier();
  return values;
}

}  // namespace sc::test
