// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3
// label: sanitize checked
// Declared bytes against bytes accessed, by counting views; moved bytes against bytes passed to MPI, by its
// profiling interface.
#include <gtest/gtest.h>

#include <set>

#include "engine/subcurrent.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/sent_bytes.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

/// An element that records reads and writes.
struct Touched {
  std::set<std::ptrdiff_t> read, written;
};
struct Element {
  Touched* touched;
  std::ptrdiff_t i;
  operator double() const {
    touched->read.insert(i);
    return 1.0;
  }
  Element& operator=(double) {
    touched->written.insert(i);
    return *this;
  }
  Element& operator=(const Element& other) { return *this = double(other); }
  Element& operator+=(double value) { return *this = double(*this) + value; }
};
struct Counting {
  Touched* components;
  Touched* one = components;
  Counting operator[](int k) const { return {components, components + k}; }
  Element operator[](At c) const { return {one, c.i}; }
};

// The kernels take any view, so that the same code runs on fields and on counting views.
struct Heat {
  template <class O, class I>
  void operator()(At c, O next, I u) const {
    next[c] = u[c] + u[c.x(1)] + u[c.x(-1)] + u[c.y(1)] + u[c.y(-1)] + u[c.z(1)] + u[c.z(-1)];
  }
};
struct Advect {  // three components, one coefficient
  template <class O, class I, class C>
  void operator()(At c, O next, I v, C a) const {
    for (int k = 0; k < 3; ++k) next[k][c] = v[k][c] + a[c] * (v[k][c.x(2)] - v[k][c.z(-2)]);
  }
};
struct Correct {  // in place at its own cell
  template <class U, class P>
  void operator()(At c, U v, P p) const {
    for (int k = 0; k < 3; ++k) v[k][c] += p[c.along(k, 1)] - p[c.along(k, -1)];
  }
};
struct Relax {  // in place, in colours
  template <class U, class B>
  void operator()(At c, U u, B b) const {
    u[c] = b[c] + u[c.x(1)] + u[c.x(-1)] + u[c.y(1)] + u[c.y(-1)] + u[c.z(1)] + u[c.z(-1)];
  }
};

class DeclaredBytes : public testing::Test {
 protected:
  TestContext context;
  Grid grid{context, {.cells = {10, 9, 18}, .periodic = {true, true, true}, .halo = 2}};

  std::set<std::ptrdiff_t> own() {
    std::set<std::ptrdiff_t> all;
    each_cell(grid.own(), [&](Int3 c) { all.insert(grid.layout().offset(c)); });
    return all;
  }
  /// Number of elements of own cells that `kernel` reads, plus those that it writes, each counted once.
  template <class Kernel, std::size_t fields>
  std::int64_t touched(const Kernel& kernel, int colours, const std::array<int, fields>& components) {
    std::array<std::array<Touched, 3>, fields> seen;
    for (int colour = 0; colour < colours; ++colour)
      std::apply(
          [&](auto&... field) {
            for_each(grid.own(), {colours, colour}, {grid.layout(), grid.origin()}, 1, {}, kernel,
                     Counting{field.data()}...);
          },
          seen);
    std::int64_t count = 0;
    const auto all = own();
    for (std::size_t f = 0; f < fields; ++f)
      for (int k = 0; k < 3; ++k) {
        for (const auto* of : {&seen[f][std::size_t(k)].read, &seen[f][std::size_t(k)].written})
          for (std::ptrdiff_t i : *of) count += static_cast<std::int64_t>(all.count(i));
        if (k >= components[f]) {
          EXPECT_TRUE(seen[f][std::size_t(k)].read.empty());
        }
      }
    return count;
  }
  template <class T>
  void expect_declared(const Stage& stage, std::int64_t elements) {
    EXPECT_EQ(stage.bytes_per_cell() * static_cast<double>(grid.own().cells()),
              static_cast<double>(elements) * sizeof(T))
        << stage.name();
  }
};

TEST_F(DeclaredBytes, AreThoseTouched) {
  Field<double> u(grid, "u", {.levels = 2}), p(grid, "p");
  Field<double, 3> v(grid, "v", {.levels = 2});
  expect_declared<double>(Sweep("heat", Heat{}, writes(u.next()), reads(u.now(), star(1))),
                          touched(Heat{}, 1, std::array{1, 1}));
  expect_declared<double>(
      Sweep("advect", Advect{}, writes(v.next()), reads(v.now(), star(2)), reads(u.now())),
      touched(Advect{}, 1, std::array{3, 3, 1}));
  expect_declared<double>(Sweep("correct", Correct{}, updates(v.now()), reads(p.now(), star(1))),
                          touched(Correct{}, 1, std::array{3, 1}));
}

TEST_F(DeclaredBytes, FollowTheElementType) {
  Field<float> u(grid, "u", {.levels = 2});
  Field<std::complex<double>> z(grid, "z", {.levels = 2});
  const auto elements = touched(Heat{}, 1, std::array{1, 1});
  expect_declared<float>(Sweep("heat", Heat{}, writes(u.next()), reads(u.now(), star(1))), elements);
  expect_declared<std::complex<double>>(Sweep("heat", Heat{}, writes(z.next()), reads(z.now(), star(1))),
                                        elements);
}

// Each colour writes its own cells and reads all: the declaration counts u once for any number of colours.
TEST_F(DeclaredBytes, OfColouredSweepsCountEveryElementOnce) {
  const Grid even(context, {.cells = {10, 8, 18}, .periodic = {true, true, true}, .halo = 1});
  grid = even;
  Field<double> u(grid, "u"), b(grid, "b");
  expect_declared<double>(
      Sweep("relax", Relax{}, SweepOptions{.colours = 2}, updates(u.now(), star(1)), reads(b.now())),
      touched(Relax{}, 2, std::array{1, 1}));
}

struct Sum8 {
  SC_FN void operator()(At c, Index g, Out<double> coarse, Across<double> fine) const {
    double sum = 0;
    for (int k = 0; k < 8; ++k) sum += fine[fine.at(2 * g.x + k % 2, 2 * g.y + k / 2 % 2, 2 * g.z + k / 4)];
    coarse[c] = sum;
  }
};

TEST_F(DeclaredBytes, AcrossGridsCountTheCellsThatAreThere) {
  Field<double> fine(grid, "fine"), coarse(grid.coarsen({2, 2, 2}, 1), "coarse");
  const Sweep sweep("sum", Sum8{}, writes(coarse.now()), reads(fine.now(), refine(2, box(1))));
  const auto cells = static_cast<double>(coarse.grid().own().cells());
  EXPECT_NEAR(sweep.bytes_per_cell() * cells, 8 * (cells + static_cast<double>(grid.own().cells())), 1e-6);
}

TEST_F(DeclaredBytes, AddUpOverRuns) {
  Field<double> u(grid, "u", {.levels = 2});
  Runner runner(context, {.strategy = Strategy::boundary_first});
  Sweep heat("heat", Heat{}, SweepOptions{.flops = 6}, writes(u.next()), reads(u.now(), star(1)));
  for (int n = 0; n < 3; ++n) runner.run(heat);
  const auto cells = static_cast<double>(grid.own().cells());
  const Runner::Counts& counts = runner.counts().at("heat");
  EXPECT_EQ(counts.runs, 3);
  EXPECT_EQ(counts.cells, 3 * cells);
  EXPECT_EQ(counts.bytes, 3 * cells * 16);
  EXPECT_EQ(counts.flops, 3 * cells * 6);
}

TEST(MovedBytes, AreThoseHandedToMpi) {
  for (const Strategy& strategy : all_strategies(1)) {
    for (Corners corners : {Corners::direct, Corners::staged}) {
      TestContext context({.transport = TransportPolicy::mpi});
      const Grid grid(context, {.cells = {12, 14, 18}, .periodic = {true, false, true}, .halo = 2});
      Field<double> u(grid, "u", {.levels = 2});
      Field<double, 3> v(grid, "v", {.levels = 2});
      Field<double> s(grid, "s");
      for (AnyField* field : std::initializer_list<AnyField*>{&u, &v, &s})
        field->boundaries().leave_others(Beyond::given);
      Runner runner(context, {.strategy = strategy, .halo = {.corners = corners, .piece_bytes = 700}});
      Sweep heat("heat", Heat{}, writes(u.next()), reads(u.now(), box(1)));
      Sweep advect("advect", Advect{}, writes(v.next()), reads(v.now(), star(2)), reads(u.now()));
      Sweep relax("relax", Relax{}, SweepOptions{.colours = 2}, updates(s.now(), star(1)), reads(u.now()));
      sent().bytes = 0;
      for (int step = 0; step < 4; ++step) {
        runner.run(heat);
        u.advance();
        runner.run(advect);
        v.advance();
        runner.run(relax);
      }
      double moved = 0;
      for (const auto& [name, counts] : runner.counts()) moved += counts.moved;
      EXPECT_EQ(moved, static_cast<double>(sent().bytes)) << strategy.name;
      if (context.size() > 1) {
        EXPECT_GT(moved, 0);
      }
    }
  }
}

}  // namespace
}  // namespace sc::test
