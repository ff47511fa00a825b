// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3
// optimise: no
// label: checked
// A halo has the conditions that its first reader finds, also where a strategy exchanges it as soon as it is
// computed: programs that change conditions, or what these read, have the same bits under every strategy.
#include <gtest/gtest.h>

#include <functional>

#include "solvers/common/stage_of.hpp"
#include "tests/mpi/step_programs.hpp"

namespace sc::test {
namespace {

/// Reads two layers along the axes only.
struct Flow {
  SC_FN void operator()(At c, Out<double> next, In<double> p, In<double> q) const {
    next[c] = 0.9 * p[c] + 0.02 * (q[c.x(2)] - q[c.x(-2)] + q[c.y(-2)] + q[c.z(2)] - q[c.z(-2)]);
  }
};
struct Mix {
  SC_FN void operator()(At c, Out<double> next, In<double> a, In<double> b) const {
    next[c] = 0.7 * a[c] + 0.2 * b[c];
  }
};
struct Leaning {  // reads a tangential neighbour
  SC_FN void operator()(Border b, Out<double> q) const {
    for (int n = 1; n <= b.layers; ++n)
      q[b.ghost(n)] = 0.4 * q[b.inside(1).y(1)] + 0.3 * q[b.inside(1).x(-1)] + 0.1 * n;
  }
};
struct Beside {  // reads another field
  SC_FN void operator()(Border b, Out<double> q, In<double> p) const {
    for (int n = 1; n <= b.layers; ++n) q[b.ghost(n)] = 0.5 * q[b.inside(n)] + 0.2 * p[b.inside(1)];
  }
};

struct Case {
  Case(Context& context, const Strategy& strategy, Int3 split)
      : grid(context, {.cells = {13, 11, 17}, .halo = 3, .split = split}),
        runner(context, {.strategy = strategy}) {
    q.fill([](int x, int y, int z) { return std::sin(0.7 * x + 0.2 * y * z); });
    p.fill([](int x, int y, int z) { return std::cos(0.3 * x * y - 0.4 * z); });
    k.fill([](int, int, int) { return 1.0; });
    for (Field<double>* field : {&k, &p, &q})
      for (const Face face : all_faces) boundary(*field, face, Mirrored<double>{});
  }
  /// q is read twice: around a cell, then two cells along the axes. `between` may change its conditions.
  void step(const std::function<void()>& between) {
    runner.run(*spread);
    between();
    runner.run(*flow);
    q.advance();
    p.advance();
  }
  Grid grid;
  Field<double> q{grid, "q", {.levels = 2}}, p{grid, "p", {.levels = 2}}, k{grid, "k"};
  Runner runner;
  std::unique_ptr<Stage> spread =
      stage_of("spread", Spread{0.05}, writes(q.next()), reads(q.now(), box(1)), reads(k.now(), star(1)));
  std::unique_ptr<Stage> flow =
      stage_of("flow", Flow{}, writes(p.next()), reads(p.now()), reads(q.now(), star(2)));
};

/// Under every strategy, in several splits, the bits of one rank without overlap.
void expect_same(const std::function<void(Case&)>& program) {
  const auto run = [&](Context& context, const Strategy& strategy, Int3 split) {
    Case one(context, strategy, split);
    program(one);
    std::vector<double> values = on_root(one.q);
    const std::vector<double> more = on_root(one.p);
    values.insert(values.end(), more.begin(), more.end());
    context.barrier();
    return values;
  };
  const std::vector<double> expected = on_one_rank([&](Context& alone) {
    return run(alone, Strategy::blocking, {1, 1, 1});
  });
  TestContext context;
  const int n = context.size();
  for (const Strategy* strategy : Strategy::all())
    for (const Int3 split : {Int3{1, 1, n}, Int3{1, n, 1}, Int3{n, 1, 1}}) {
      const std::vector<double> values = run(context, *strategy, split);
      EXPECT_TRUE(context.rank() > 0 || same_bits(values, expected))
          << strategy->name << ", split " << split.x << split.y << split.z;
    }
}

TEST(ChangingConditions, ThoseOfTheFirstReader) {
  expect_same([](Case& one) {
    for (int n = 0; n < 6; ++n) {
      for (const Face face : all_faces) boundary(one.q, face, Fixed{0.1 * n});
      one.step([] {});
    }
  });
}

TEST(ChangingConditions, ALaterReaderOfMoreLayersFindsOthers) {
  expect_same([](Case& one) {
    for (int n = 0; n < 6; ++n) {
      for (const Face face : all_faces) boundary(one.q, face, Fixed{0.1 * n});
      one.step([&] {
        for (const Face face : all_faces)
          if (n % 2 == 0)
            boundary(one.q, face, Mirrored<double>{});
          else
            boundary(one.q, face, Fixed{-0.3 * n});
      });
    }
  });
}

TEST(ChangingConditions, ThatNeedMoreOfTheNeighbours) {
  expect_same([](Case& one) {
    for (int n = 0; n < 8; ++n) {
      for (int side = 0; side < 2; ++side)
        if (n % 3 == 2)
          boundary(one.q, {2, side}, Leaning{}, 1);
        else
          boundary(one.q, {2, side}, Mirrored<double>{});
      one.step([] {});
    }
  });
}

TEST(ChangingConditions, HeldOnesStay) {
  expect_same([](Case& one) {
    for (int n = 0; n < 6; ++n) {
      if (n > 0) one.runner.hold(reads(one.q.now(), box(2)));
      for (const Face face : all_faces) boundary(one.q, face, Fixed{0.1 * n});
      one.step([] {});
    }
  });
}

TEST(ChangingConditions, ThatReadAFieldThatChangesBeforeTheHaloIsRead) {
  expect_same([](Case& one) {
    for (const Face face : all_faces) boundary(one.q, face, Beside{}, 0, one.p.now());
    const auto mix_q = stage_of("mix q", Mix{}, writes(one.q.next()), reads(one.q.now()), reads(one.p.now()));
    const auto mix_p = stage_of("mix p", Mix{}, writes(one.p.next()), reads(one.p.now()), reads(one.k.now()));
    for (int n = 0; n < 6; ++n) {
      one.runner.run(*mix_q);
      one.q.advance();
      one.runner.run(*mix_p);
      one.p.advance();
      one.runner.run(*one.flow);
      one.p.advance();
    }
  });
}

}  // namespace
}  // namespace sc::test
