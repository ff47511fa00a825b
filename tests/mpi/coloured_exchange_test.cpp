// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 4
// ranks when long: 3
// threads: 2
// timeout: 240
// label: sanitize checked
// After each colour, a coloured sweep sends only the cells of that colour: their bytes are counted, and in
// halos poisoned with NaN exactly the cells of the exchanged colours have values.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/move/exchange.hpp"
#include "engine/move/parcels/halo_parcels.hpp"
#include "engine/subcurrent.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

/// The colour of a cell, independently of the engine: by the parities of its global position.
int colour_of(Int3 g, int colours) {
  const int x = g.x & 1, y = g.y & 1, z = g.z & 1;
  if (colours == 2) return (x + y + z) % 2;
  if (colours == 8) return x + 2 * y + 4 * z;
  // Four: opposite corners of a cube of eight share one; x = y ^ a where y ^ z = a ^ b.
  const int a = x ^ y, b = y ^ z ^ a;
  return a + 2 * b;
}

// Every colour separately: the halo cells of that colour arrive, all others are unchanged.
TEST(ColouredExchange, BringsTheCellsOfOneColour) {
  for (TransportPolicy transport : {TransportPolicy::mpi, TransportPolicy::delayed}) {
    TestContext context({.transport = transport, .delay = 1e-4});
    for (const Int3 split : splits(context.size()))
      for (const Corners corners : {Corners::direct, Corners::staged})
        for (const int setting : {2, 4, 8, -2, -4, -8}) {
          const int colours = std::abs(setting);
          const bool closed = setting > 0;  // around itself: rows with a cell of the colour are copied whole
          const Grid grid(
              context,
              {.cells = {14, 16, 18}, .periodic = {closed, closed, false}, .halo = 2, .split = split});
          Field<double, 2> u(grid, "u");
          Field<float> v(grid, "v");
          Field<std::complex<double>> w(grid, "w");
          for (const Reach reach : {star(1), star(2), box(1)}) {
            for (int colour = 0; colour < colours; ++colour) {
              const Lattice lattice{colours, colour};
              Exchange exchange(
                  grid.context(),
                  halo_parcels(grid,
                               {{&u.storage(0), reach, lattice},
                                {&v.storage(0), reach, lattice},
                                {&w.storage(0), reach, lattice}},
                               {.corners = corners, .piece_bytes = 700, .near_piece_bytes = 700}));
              for (Storage* s : {&u.storage(0), &v.storage(0), &w.storage(0)}) {
                poison(*s);
                fill(*s, colour);
              }
              context.barrier();
              exchange.start();
              exchange.wait();
              exchange.finish();
              for (Storage* s : {&u.storage(0), &v.storage(0), &w.storage(0)}) {
                if (corners == Corners::staged && reach.diagonal > 0) continue;  // brings a few more cells
                const std::vector<std::byte> all = expected_memory(*s, reach, colour);
                const auto size = size_of(s->type());
                int wrong = 0;
                for (int k = 0; k < s->components(); ++k)
                  each_cell(grid.own().grown({2, 2, 2}), [&](Int3 c) {
                    const std::size_t at = byte_offset(*s, c, k);
                    const std::vector<std::byte> nothing(size, std::byte{0xff});
                    const bool arrives =
                        grid.own().contains(c) || colour_of(grid.origin() + c, colours) == colour;
                    const std::byte* expected = arrives ? all.data() + at : nothing.data();
                    const bool early =
                        closed && std::memcmp(memory_begin(*s) + at, all.data() + at, size) == 0;
                    wrong += std::memcmp(memory_begin(*s) + at, expected, size) != 0 && !early ? 1 : 0;
                  });
                ASSERT_EQ(wrong, 0) << to_string(split) << colours << " colours, colour " << colour;
              }
            }
          }
        }
  }
}

struct Relax {  // reads the neighbours of other colours: 6, 18 or 26
  int colours;
  SC_FN void operator()(At c, InOut<double> u) const {
    double sum = 0;
    for (int z = -1; z <= 1; ++z)
      for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x) {
          const int away = (x != 0) + (y != 0) + (z != 0);
          if (away == 0 || away > (colours == 2 ? 1 : colours == 4 ? 2 : 3)) continue;
          sum += (0.3 + 0.1 * x - 0.05 * y + 0.02 * z) * u[c.x(x).y(y).z(z)];
        }
    u[c] = 0.4 * u[c] + 0.05 * sum;
  }
};

Reach reach_of(int colours) { return colours == 2 ? star(1) : box(1); }

struct Sent {
  double coloured, whole;  // bytes of a run with colours, and of one whole halo
};
Sent sent(Context& context, int colours, Strategy strategy, Int3 cells) {
  const Grid grid(context, {.cells = cells, .periodic = {true, true, true}, .halo = 1});
  Field<double> u(grid, "u");
  u.fill([](int x, int y, int z) { return std::sin(x + 0.1 * y * z); });
  Sweep relax("relax", Relax{colours}, SweepOptions{.colours = colours}, updates(u.now(), reach_of(colours)));
  Runner runner(context, {.strategy = strategy});
  for (int n = 0; n < 2; ++n) runner.run(relax);
  const double before = runner.counts().at("relax").moved;
  runner.run(relax);
  Exchange all(grid.context(), halo_parcels(grid, {{&u.storage(0), reach_of(colours)}}));
  u.storage(0).settle();
  context.barrier();
  return {runner.counts().at("relax").moved - before, static_cast<double>(all.bytes())};
}

// All colours of a run together send every cell once, as does one exchange of the whole halo. With two
// colours an exchange has half of the cells, with four a quarter, with eight an eighth.
TEST(ColouredExchange, SendsEveryCellOnceARun) {
  TestContext context({.transport = TransportPolicy::mpi});
  for (const Int3 cells : {Int3{16, 16, 16}, Int3{14, 18, 22}})
    for (const int colours : {2, 4, 8})
      for (Strategy strategy : {Strategy::blocking, Strategy::boundary_first, Strategy::interior_first,
                                Strategy::pipelined, Strategy::halo_thread}) {
        const Sent m = sent(context, colours, strategy, cells);
        EXPECT_EQ(m.coloured, m.whole) << strategy.name << colours;
        if (context.size() > 1) {
          EXPECT_GT(m.whole, 0);
        }
      }
}

TEST(ColouredExchange, CarriesTheShareOfItsColour) {
  TestContext context({.transport = TransportPolicy::mpi});
  const Grid grid(context, {.cells = {16, 16, 16}, .periodic = {true, true, true}, .halo = 1});
  Field<double> u(grid, "u");
  const auto bytes = [&](Lattice lattice) {
    return Exchange(grid.context(), halo_parcels(grid, {{&u.storage(0), star(1), lattice}})).bytes();
  };
  const auto whole = bytes({});
  for (int colour = 0; colour < 2; ++colour) EXPECT_EQ(2 * bytes({2, colour}), whole);
  for (int colour = 0; colour < 4; ++colour) {
    if (context.size() == 3) {  // blocks of 5 and 6 cells: up to a row more or less than a quarter
      EXPECT_NEAR(4.0 * static_cast<double>(bytes({4, colour})), static_cast<double>(whole), 4 * 8 * 32);
    } else {
      EXPECT_EQ(4 * bytes({4, colour}), whole);
    }
  }
}

/// NaN in every halo cell except those of fresh colours.
void poison_stale(Storage& s, int colours) {
  const Grid& grid = s.grid();
  s.settle();
  each_cell(grid.own().grown({1, 1, 1}), [&](Int3 c) {
    const Int3 g = grid.origin() + c;
    if (grid.own().contains(c) || s.fresh({colours, colour_of(g, colours)}).width > 0) return;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    std::memcpy(memory_begin(s) + byte_offset(s, c, 0), &nan, sizeof nan);
  });
}

std::vector<double> relaxed(Context& context, int colours, Int3 split, Bool3 periodic, RunnerOptions options,
                            bool poisoned) {
  const Grid grid(context, {.cells = {14, 12, 16}, .periodic = periodic, .halo = 1, .split = split});
  Field<double> u(grid, "u");
  u.fill([](int x, int y, int z) { return std::sin(0.7 * x + 0.2 * y * z); });
  for (const Face face : all_faces) boundary(u, face, Mirrored<double>{});
  Sweep relax("relax", Relax{colours}, SweepOptions{.colours = colours}, updates(u.now(), reach_of(colours)));
  Runner runner(context, options);
  for (int n = 0; n < 4; ++n) {
    if (poisoned) poison_stale(u.storage(0), colours);
    if (poisoned) context.barrier();
    runner.run(relax);
  }
  std::vector<double> values;
  each_cell(grid.own(), [&](Int3 c) { values.push_back(u.get(c)); });
  u.storage(0).settle();
  context.barrier();
  return values;
}

TEST(ColouredExchange, StaleColoursAreNotRead) {
  for (TransportPolicy transport : {TransportPolicy::automatic, TransportPolicy::mpi}) {
    TestContext context({.threads = 2, .transport = transport});
    for (const int colours : {2, 4, 8})
      for (const Bool3 periodic : {Bool3{}, Bool3{true, true, true}})
        for (const Int3 split : splits(context.size())) {
          const auto expected =
              relaxed(context, colours, split, periodic, {.strategy = Strategy::blocking}, false);
          for (double value : expected) ASSERT_TRUE(std::isfinite(value));
          for (const Strategy& strategy : all_strategies(context))
            for (const Corners corners : {Corners::direct, Corners::staged})
              EXPECT_EQ(
                  relaxed(context, colours, split, periodic,
                          {.strategy = strategy, .poke_seconds = 1e-6, .halo = {.corners = corners}}, true),
                  expected)
                  << strategy.name << to_string(split) << colours;
        }
  }
}

TEST(ColouredExchange, FreshnessIsKeptByColour) {
  TestContext context;
  const Grid grid(context, {.cells = {16, 16, 16}, .periodic = {true, true, true}, .halo = 2});
  Field<double> u(grid, "u");
  Storage& s = u.storage(0);
  s.set_fresh(star(2));
  s.set_fresh(point, {2, 1});
  EXPECT_EQ(s.fresh(), point);
  EXPECT_EQ(s.fresh({2, 0}), star(2));
  EXPECT_EQ(s.stale(star(1)), (Lattice{2, 1}));
  s.set_fresh(point, {2, 0});
  EXPECT_EQ(s.stale(star(1)), Lattice{}) << "two stale colours are all cells";
  s.set_fresh(box(1), {2, 0});
  s.set_fresh(star(2), {2, 1});
  EXPECT_EQ(s.fresh(), star(1));
  s.set_fresh(point, {4, 3});  // the other colours keep the value of all
  EXPECT_EQ(s.fresh({4, 0}), star(1));
  EXPECT_EQ(s.fresh({2, 0}), point);
  s.set_fresh(point);
  EXPECT_EQ(s.fresh({4, 0}), point);
}

}  // namespace
}  // namespace sc::test
