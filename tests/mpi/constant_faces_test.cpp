// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2
// label: checked
// Conditions that depend on no field fill a halo once, and again after the host, another condition or a pass
// has overwritten it: the bits are those of conditions that are applied in every step.
#include <gtest/gtest.h>

#include <atomic>

#include "solvers/common/stage_of.hpp"
#include "tests/mpi/step_programs.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

/// Sets a value, and counts how often.
class Counted final : public Boundary {
 public:
  Counted(double value, bool constant) : fixed_(Fixed<double>{value}, 0, {}), constant_(constant) {}
  bool constant() const override { return constant_; }
  void apply(Storage& storage, Face face, const Columns& columns) const override {
    ++times;
    fixed_.apply(storage, face, columns);
  }
  mutable std::atomic<int> times = 0;

 private:
  detail::FaceKernel<Fixed<double>, double, 1> fixed_;
  bool constant_;
};

struct Walls {
  explicit Walls(double value, bool constant) : condition(std::make_shared<Counted>(value, constant)) {}
  void set(Field<double>& q) const {
    for (const Face face : all_faces) q.boundaries().set(face, condition);
  }
  std::shared_ptr<Counted> condition;
};

struct Case {
  Case(Context& context, int length)
      : grid(context,
             {.cells = {20, 21, 24 * context.size()}, .halo = length, .split = {1, 1, context.size()}}),
        runner(context, {.steps_per_pass = length}) {
    q.fill([](int x, int y, int z) { return std::sin(0.7 * x + 0.2 * y * z); });
    k.fill([](int, int, int) { return 1.0; });
    for (const Face face : all_faces) boundary(k, face, Mirrored<double>{});
  }
  template <class Before>
  void steps(int n, const Before& before) {
    runner.steps(n, [&](int step) {
      before(step);
      runner.run(*sweep);
      q.advance();
    });
  }
  Grid grid;
  Field<double> q{grid, "q", {.levels = 2}}, k{grid, "k"};
  Runner runner;
  std::unique_ptr<Stage> sweep =
      stage_of("spread", Spread{0.05}, writes(q.next()), reads(q.now(), box(1)), reads(k.now(), star(1)));
};

TEST(ConstantFaces, AreFilledOnceForEachLevel) {
  TestContext context;
  for (const int length : {1, 3}) {
    Case one(context, length);
    const Walls walls(0.25, true);
    walls.set(one.q);
    one.steps(6, [](int) {});
    const int times = walls.condition->times;
    EXPECT_GT(times, 0);
    one.steps(6, [](int) {});
    EXPECT_EQ(walls.condition->times, times) << length << " steps a pass";
  }
}

/// The same program with conditions that are constant, and with such that do not say so.
template <class Program>
void expect_same(const Program& program) {
  TestContext context;
  for (const int length : {1, 3}) {
    std::vector<double> values[2];
    for (const bool constant : {false, true}) {
      Case one(context, length);
      program(one, Walls(0.25, constant), Walls(-1.5, constant));
      values[constant ? 1 : 0] = on_root(one.q);
      context.barrier();
    }
    EXPECT_TRUE(same_bits(values[0], values[1])) << length << " steps a pass";
  }
}

TEST(ConstantFaces, AreFilledAgainAfterTheHostHasWritten) {
  expect_same([](Case& one, const Walls& walls, const Walls&) {
    walls.set(one.q);
    one.steps(6, [](int) {});
    poison(one.q);
    one.q.fill([](int x, int, int z) { return 0.1 * x - z; });
    one.steps(7, [](int) {});
  });
}

TEST(ConstantFaces, AreFilledAgainAfterOtherConditions) {
  expect_same([](Case& one, const Walls& walls, const Walls& others) {
    walls.set(one.q);
    one.steps(6, [](int) {});
    for (const Face face : all_faces) boundary(one.q, face, Mirrored<double>{});
    one.steps(6, [](int) {});
    walls.set(one.q);
    one.steps(6, [](int) {});
    others.set(one.q);
    one.steps(5, [](int) {});
  });
}

TEST(ConstantFaces, MayChangeInEveryStep) {
  expect_same([](Case& one, const Walls& walls, const Walls& others) {
    one.steps(11, [&](int step) { (step % 3 == 1 ? others : walls).set(one.q); });
    one.steps(4, [&](int step) { (step % 2 == 1 ? others : walls).set(one.q); });
    // The halo of a level has the conditions of the step that wrote it, so that a pass contains both.
    for (const int steps : {9, 10, 11, 12}) {
      one.steps(steps, [&](int step) {
        if (step > 0) one.runner.hold(reads(one.q.now(), box(1)));
        (step % 3 == steps % 3 ? others : walls).set(one.q);
      });
      one.steps(5, [&](int) { walls.set(one.q); });
    }
  });
}

}  // namespace
}  // namespace sc::test
