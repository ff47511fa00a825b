// SPDX-License-Identifier: Apache-2.0
// Kernels behind a function pointer give the bits of the same kernels as template arguments, under every
// strategy, with threads, colours, reductions and conditions.
// ranks: 1 2 3 4
// threads: 2
#include "engine/stage/compiled_sweep.hpp"

#include <gtest/gtest.h>

#include "engine/move/output/gather.hpp"
#include "engine/overlap/runner.hpp"
#include "engine/stage/global_value.hpp"
#include "tests/mpi/backends.hpp"
#include "tests/mpi/kernels.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/refusal.hpp"

namespace sc::test {
namespace {

struct Advance {
  double a;
  SC_FN double operator()(At c, Index g, Out<double> next, In<double, 2> v, In<double> u) const {
    next[c] = u[c] + a * (u[c.x(1).y(1)] - u[c.z(-2)] * v[1][c]) + 1e-3 * static_cast<double>(g.x - g.z);
    return next[c] * v[0][c];
  }
};
struct Relax {
  SC_FN void operator()(At c, InOut<double> u) const {
    u[c] = 0.5 * u[c] + 0.1 * (u[c.x(1)] + u[c.y(-1)] + u[c.z(1)]);
  }
};

struct Spread {
  double a;
  SC_FN void operator()(At c, Index g, Out<double> next, In<double> u) const {
    next[c] = u[c] + a * (u[c.x(1).y(1)] - u[c.z(-1)]) + 1e-3 * static_cast<double>(g.x - 2 * g.z);
  }
};

void spread_rows(const RowsCall* call) { compute_rows<Spread, Out<double>, In<double>>(*call); }
void advance_rows(const RowsCall* call) {
  compute_rows<Advance, Out<double>, In<double, 2>, In<double>>(*call);
}
void relax_rows(const RowsCall* call) { compute_rows<Relax, InOut<double>>(*call); }
const char* relax_cells(const CellsCall* call) { return compute_cells<Relax, InOut<double>>(*call); }

struct Outcome {
  std::vector<std::byte> u;
  std::vector<double> sums;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome run(Context& context, const Strategy& strategy, bool compiled) {
  Grid grid(context, {.cells = {17, 18, 20}, .halo = 2});
  Field<double> u(grid, "u", {.levels = 2});
  Field<double, 2> v(grid, "v");
  u.fill([](int x, int y, int z) { return std::sin(0.7 * x + 0.2 * y * z); });
  v.fill([](int k, int x, int y, int z) { return std::cos(0.3 * x * (k + 1) - 0.5 * y + 0.1 * z); });
  for (const Face face : all_faces)
    u.boundaries().set(face, std::make_shared<AffineFace>(std::vector<AffineFace::Law>{{-0.5, 0.1, 0.02}}));
  Sweep plain("advance", Advance{}, SweepOptions{.reduce = Reduce::sum}, writes(u.next()), reads(v.now()),
              reads(u.now(), star(2) | box(1)));
  Sweep relax("relax", Relax{}, SweepOptions{.colours = 2}, updates(u.now(), star(1)));
  CompiledSweep late("advance", {advance_rows, {}}, 1, {.reduce = Reduce::sum}, plain.accesses());
  CompiledSweep late_relax("relax", {relax_rows, bytes_of(Relax{})}, 0, {.colours = 2}, relax.accesses());
  Runner runner(context, {.strategy = strategy});
  GlobalValue total(context);
  Outcome outcome;
  for (int step = 0; step < 2; ++step) {
    const Advance kernel{0.05 + 0.01 * step};
    late.set(bytes_of(kernel));
    if (compiled)
      runner.run(late);
    else
      runner.run(plain, kernel);
    outcome.sums.push_back(total.reduce(compiled ? late.accumulators() : plain.accumulators()));
    u.advance();
    runner.run(compiled ? static_cast<Stage&>(late_relax) : relax);
  }
  outcome.u = gather(u.storage(0));
  context.barrier();
  return outcome;
}

TEST(CompiledSweep, LeavesTheBitsOfASweep) {
  for (const int threads : {1, 2}) {
    TestContext context({.threads = threads});
    const Outcome expected = run(context, Strategy::blocking, false);
    for (const Strategy* strategy : Strategy::all())
      EXPECT_TRUE(run(context, *strategy, true) == expected)
          << strategy->name << ", " << threads << " threads";
  }
}

int boxes = 0;  // computed by counted_rows

void counted_rows(const RowsCall* call) {
  ++boxes;
  spread_rows(call);
}

/// Tiles are there for threads to share: a thread alone would only lose the length of its loops by them.
TEST(CompiledSweep, ASingleHaloThreadComputesTheCoreAtOnce) {
  TestContext context({.threads = 1});
  Grid grid(context, {.cells = {24, 40, 40}, .periodic = {true, true, true}});
  Field<double> u(grid, "u", {.levels = 2});
  Sweep plain("spread", Spread{}, writes(u.next()), reads(u.now(), box(1)));
  CompiledSweep counted("spread", {counted_rows, bytes_of(Spread{0.1})}, 0, {}, plain.accesses());
  Runner runner(context, {.strategy = Strategy::halo_thread});
  boxes = 0;
  runner.run(counted);
  EXPECT_GE(boxes, 1);
  EXPECT_LE(boxes, 7);  // six faces and the core
}

std::vector<std::byte> spread(Context& context, int steps_per_pass, bool compiled) {
  Grid grid(context, {.cells = {20, 21, 22}, .periodic = {true, false, false}, .halo = 3});
  Field<double> u(grid, "u", {.levels = 2});
  u.fill([](int x, int y, int z) { return std::sin(0.7 * x + 0.2 * y * z); });
  for (int axis = 1; axis < 3; ++axis)
    for (int side = 0; side < 2; ++side)
      u.boundaries().set({axis, side},
                         std::make_shared<AffineFace>(std::vector<AffineFace::Law>{{-0.5, 0.1, 0.02}}));
  Sweep plain("spread", Spread{}, writes(u.next()), reads(u.now(), box(1)));
  CompiledSweep late("spread", {spread_rows, {}}, 0, {}, plain.accesses());
  Runner runner(context, {.steps_per_pass = steps_per_pass});
  runner.steps(7, [&](int step) {
    const Spread kernel{0.05 + 0.01 * step};
    late.set(bytes_of(kernel));
    if (compiled)
      runner.run(late);
    else
      runner.run(plain, kernel);
    u.advance();
  });
  EXPECT_EQ(runner.passes().passes, steps_per_pass > 1 ? 3 : 0);
  return gather(u.storage(0));
}

TEST(CompiledSweep, LeavesItsBitsInPasses) {
  for (const int threads : {1, 2}) {
    TestContext context({.threads = threads});
    const auto expected = spread(context, 1, false);
    EXPECT_EQ(spread(context, 1, true), expected);
    EXPECT_EQ(spread(context, 3, true), expected);
  }
}

TEST(CompiledSweep, RefusesWhatASweepRefuses) {
  TestContext context;
  Grid grid(context, {.cells = {12, 12, 12}, .periodic = {true, true, true}, .halo = 1});
  Field<double> u(grid, "u", {.levels = 2});
  const auto made = [&](std::vector<Access> accesses, int colours = 1) {
    CompiledSweep("wrong", {relax_rows, {}}, 0, {.colours = colours}, std::move(accesses));
  };
  EXPECT_THROW(made({}), Error);
  EXPECT_THROW(made({updates(u.now(), star(1)).access()}), Error);
  EXPECT_THROW(made({writes(u.now()).access(), reads(u.now(), star(1)).access()}), Error);
  EXPECT_THROW(made({writes(u.next()).access(), reads(u.now(), star(2)).access()}), Error);
  EXPECT_THROW(made({updates(u.now(), star(1)).access()}, 3), Error);
  EXPECT_NO_THROW(made({updates(u.now(), star(1)).access()}, 2));
}

void copy_columns(const ColumnsCall*) {}

TEST(CompiledSweep, IsRefusedWhereItWasNotCompiledFor) {
  TestContext context;
  open(context, Backend::late);
  Grid grid(
      context,
      {.cells = {12, 12, 12}, .periodic = {false, true, true}, .halo = 1, .split = {1, 1, context.size()}});
  Field<double> u(grid, "u", {.levels = 2, .space = Space::device}), v(grid, "v");
  for (int side = 0; side < 2; ++side)
    u.boundaries().set({0, side}, std::make_shared<CompiledFace>(CompiledColumns{copy_columns, {}},
                                                                 std::vector<ReadBeside>{}));
  Runner runner(context, {});
  CompiledSweep sweep("relax", {relax_rows, bytes_of(Relax{})}, 0, {}, {updates(u.now()).access()});
  EXPECT_NE(refusal([&] { runner.run(sweep); }).find("stage \"relax\" runs on the host only"),
            std::string::npos);
  EXPECT_NE(refusal([&] { runner.refresh(u.now(), star(1)); }).find("the boundary condition of field"),
            std::string::npos);
  CompiledSweep elsewhere("relax", {nullptr, bytes_of(Relax{}), false, relax_cells}, 0, {},
                          {updates(v.now()).access()});
  EXPECT_NE(refusal([&] { runner.run(elsewhere); }).find("was compiled for a device"), std::string::npos);
}

}  // namespace
}  // namespace sc::test
