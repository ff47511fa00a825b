// SPDX-License-Identifier: Apache-2.0
// The heat equation in passes, for tests of their ends.
#pragma once

#include "tests/mpi/kernels.hpp"
#include "tests/mpi/step_programs.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {

/// A field in a box of 12 x 12 x 36, periodic along x, and its step.
struct Heat {
  Heat(Context& context, int length, int halo, const std::shared_ptr<FarPlace>& place = {}, Int3 tile = {})
      : grid(context, {.cells = {12, 12, 36},
                       .periodic = {true, false, false},
                       .halo = halo,
                       .split = {1, 1, context.size()}}),
        q(grid, "q", {.levels = 2, .place = place}),
        diffuse("diffuse", Diffuse{}, writes(q.next()), reads(q.now(), star(1))),
        total("total", Value{}, SweepOptions{.reduce = Reduce::sum}, reads(q.now())),
        runner(context, {.steps_per_pass = length, .pass_tile = length > 1 ? tile : Int3{}}) {
    q.fill([](int x, int y, int z) { return std::sin(0.7 * x + 0.2 * y * z); });
    for (const Face face : all_faces) boundary(q, face, Mirrored<double>{});
  }
  void step() {
    runner.run(diffuse);
    q.advance();
  }
  std::int64_t ended(const std::string& why) const {
    const auto& all = runner.passes().ended;
    return all.contains(why) ? all.at(why) : 0;
  }

  Grid grid;
  Field<double> q;
  Sweep<Diffuse, Writes, Reads> diffuse;
  Sweep<Value, Reads> total;
  Runner runner;
};

inline std::vector<double> after(Context& context, int steps) {
  Heat heat(context, 1, 1);
  for (int n = 0; n < steps; ++n) heat.step();
  return on_root(heat.q);
}

struct Leaning {  // reads tangential neighbours
  SC_FN void operator()(Border b, Out<double> q) const {
    for (int n = 1; n <= b.layers; ++n) q[b.ghost(n)] = q[b.inside(n).x(1)];
  }
};

}  // namespace sc::test
