// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3
// ranks when long: 4
// threads: 2
// label: sanitize checked
// Stages that reduce within a pass: every step has the values of single steps, each cell counts once; and
// halos that keep the conditions under which they were held.
#include <gtest/gtest.h>

#include "tests/mpi/cells.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/mpi/two_sweeps.hpp"

namespace {

using namespace sc;
using namespace sc::test;

struct Spread {  // returns what it writes, as a value and as a count
  SC_FN std::array<double, 2> operator()(At c, Index g, Out<double> next, In<double> q) const {
    next[c] =
        q[c] + 0.1 * (q[c.x(1)] + q[c.x(-1)] + q[c.y(1)] + q[c.y(-1)] + q[c.z(1)] + q[c.z(-1)] - 6 * q[c]);
    return {next[c], g.x % 3 == 0 ? 1.0 : 0.0};
  }
};
struct Highest {
  SC_FN double operator()(At c, In<double> q) const { return q[c] * q[c]; }
};
struct Relax {  // in colours
  SC_FN double operator()(At c, Out<double> q) const {
    q[c] = 0.5 * q[c] + 0.08 * (q[c.x(1)] + q[c.x(-1)] + q[c.y(1)] + q[c.y(-1)] + q[c.z(1)] + q[c.z(-1)]);
    return q[c];
  }
};

struct Program {
  Int3 split;
  Bool3 periodic;
  RunnerOptions options;
  int halo;
};
struct Result {
  std::vector<double> field, values;
  Runner::Passes passes;
};

/// Three values a step: two sums and a maximum, or one sum in colours.
template <bool coloured>
Result run(Context& context, const Program& p, int steps) {
  const Grid grid(context, {.cells = {20, 22, 24}, .periodic = p.periodic, .halo = p.halo, .split = p.split});
  Field<double> q(grid, "q", {.levels = 2});
  q.fill([](int x, int y, int z) { return std::sin(0.7 * x + 0.2 * y * z); });
  for (const Face face : all_faces)
    if (!p.periodic[face.axis]) boundary(q, face, Mirrored<double>{});
  Sweep spread("spread", Spread{}, SweepOptions{.reduce = Reduce::sum}, writes(q.next()),
               reads(q.now(), star(1)));
  Sweep highest("highest", Highest{}, SweepOptions{.reduce = Reduce::max}, reads(q.now()));
  Sweep relax("relax", Relax{}, SweepOptions{.reduce = Reduce::sum, .colours = 2}, updates(q.now(), star(1)));
  Runner runner(context, p.options);
  std::vector<Accumulator> found;
  const auto keep = [&](std::span<const Accumulator> values) {
    found.insert(found.end(), values.begin(), values.end());
  };
  runner.steps(steps, [&](int) {
    if constexpr (coloured) {
      runner.run(relax, keep);
    } else {
      runner.run(spread, keep);
      q.advance();
      runner.run(highest, keep);
    }
  });
  Result result{on_root(q), {}, runner.passes()};
  GlobalValue global(context);
  global.start(found);
  for (int n = 0; n < static_cast<int>(found.size()); ++n) result.values.push_back(global.value(n));
  context.barrier();
  return result;
}

template <bool coloured>
void compare(const std::vector<int>& lengths) {
  constexpr int steps = 7;
  for (const Bool3 periodic : {Bool3{}, Bool3{true, true, true}, Bool3{true, false, false}}) {
    const Result expected = on_one_rank([&](Context& one) {
      return run<coloured>(one, {{1, 1, 1}, periodic, {.strategy = Strategy::blocking}, 1}, steps);
    });
    for (const int threads : {1, 2}) {
      TestContext context({.threads = threads});
      for (const Int3 split : splits(context.size()))
        for (const Strategy& strategy : {Strategy::blocking, Strategy::boundary_first})
          for (const int length : lengths) {
            const RunnerOptions options{.strategy = strategy,
                                        .poke_seconds = 1e-6,
                                        .steps_per_pass = length,
                                        .pass_tile = length > 1 ? Int3{0, 5, 3} : Int3{}};
            const Result got =
                run<coloured>(context, {split, periodic, options, (coloured ? 2 : 1) * length}, steps);
            const std::string how = std::to_string(length) + " steps, " + std::string(strategy.name) + " " +
                                    to_string(split) + std::to_string(periodic.x) +
                                    std::to_string(periodic.y);
            EXPECT_EQ(got.values, expected.values) << how;
            EXPECT_EQ(got.passes.passes, (steps + length - 1) / length) << how << got.passes.describe();
            if (context.rank() == 0) {
              EXPECT_TRUE(same_bits(got.field, expected.field)) << how;
            }
          }
    }
  }
}

TEST(Steps, ReduceToTheValuesOfSingleOnes) { compare<false>({2, 5}); }

TEST(Steps, InColoursReduceToTheValuesOfSingleOnes) { compare<true>({2}); }

struct Copy {
  SC_FN void operator()(At c, Out<double> next, In<double> a, In<double> b) const {
    next[c] = 0.5 * a[c] + 0.1 * (a[c.x(1)] + a[c.x(-1)]) + 0.2 * b[c.x(-1)];
  }
};

/// Two fields, of which each step reads the other; `b` has a condition that changes with every step.
/// `b` before a step is read beyond the face as of the step before.
std::vector<double> leaps(Context& context, int length, int steps, std::string* passes = nullptr) {
  const Grid grid(context,
                  {.cells = {24, 6, 6}, .halo = std::max(1, 2 * length), .split = {context.size(), 1, 1}});
  Field<double> a(grid, "a", {.levels = 2}), b(grid, "b", {.levels = 2});
  for (Field<double>* q : {&a, &b}) {
    q->boundaries().leave_others(Beyond::unread);
    q->fill([](int x, int y, int z) { return std::cos(0.3 * x + y - z); });
    boundary(*q, x_high, Fixed{0.0});
  }
  boundary(a, x_low, Fixed{1.0});
  Sweep first("first", Copy{}, writes(b.next()), reads(b.now(), star(1)), reads(a.now(), star(1)));
  Sweep second("second", Copy{}, writes(a.next()), reads(a.now(), star(1)), reads(b.now(), star(1)));
  Runner runner(context, {.strategy = Strategy::boundary_first, .steps_per_pass = length});
  double now = -1;
  const auto set = [&](double time) {
    if (now != time) boundary(b, x_low, Fixed{time});
    now = time;
  };
  runner.steps(steps, [&](int n) {
    set(n);
    runner.hold(reads(b.now(), star(1)));
    set(n + 1);
    runner.run(first);
    b.advance();
    runner.run(second);
    a.advance();
  });
  if (passes) *passes = runner.passes().describe();
  std::vector<double> all = on_root(a);
  const std::vector<double> rest = on_root(b);
  all.insert(all.end(), rest.begin(), rest.end());
  context.barrier();
  return all;
}

TEST(Steps, HoldHalosUnderTheConditionsOfTheirTime) {
  const std::vector<double> expected = on_one_rank([](Context& one) { return leaps(one, 1, 7); });
  TestContext context;
  for (const int length : {1, 2, 3}) {
    std::string passes;
    const std::vector<double> got = leaps(context, length, 7, &passes);
    if (length == 3) {
      EXPECT_EQ(passes.find("7 steps in 3 passes"), 0U) << passes;
    }
    if (context.rank() == 0) {
      EXPECT_TRUE(same_bits(got, expected)) << length << ": " << passes;
    }
  }
}

}  // namespace
