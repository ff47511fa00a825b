// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3
// threads: 2
// optimise: no
// label: sanitize checked
// Freshness in its three states, and demand: strategies send what the next readers read.
#include <gtest/gtest.h>

#include "engine/move/exchange.hpp"
#include "engine/move/parcels/halo_parcels.hpp"
#include "engine/subcurrent.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/kernels.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

std::vector<Strategy> strategies_that_are(bool eager) {
  std::vector<Strategy> all = all_strategies(2);
  std::erase_if(all, [&](const Strategy& s) { return s.eager != eager; });
  return all;
}

constexpr Int3 cells{16, 14, 18};

double code(int x, int y, int z, int salt = 0) {  // value of a position on the periodic grid
  x = (x + cells.x) % cells.x, y = (y + cells.y) % cells.y, z = (z + cells.z) % cells.z;
  return ((z * cells.y + y) * cells.x + x) * 8 + salt;
}

struct CopyTwice {
  SC_FN void operator()(At c, Out<double> a, Out<double> b, In<double> in) const { a[c] = b[c] = in[c]; }
};
struct Star2 {
  SC_FN void operator()(At c, Out<double> out, In<double> in) const {
    out[c] = in[c.x(2)] + in[c.y(-2)] - in[c.z(2)] + in[c.x(-1)];
  }
};
double star2(int x, int y, int z, int salt = 0) {
  return code(x + 2, y, z, salt) + code(x, y - 2, z, salt) - code(x, y, z + 2, salt) +
         code(x - 1, y, z, salt);
}
struct Box1 {
  SC_FN void operator()(At c, Out<double> out, In<double> in, In<double> other) const {
    out[c] = in[c.x(1).y(1).z(1)] - in[c.x(-1).y(1)] + other[c];
  }
};
struct StarAndBox {
  SC_FN void operator()(At c, Out<double> out, In<double> straight, In<double> diagonal) const {
    out[c] = straight[c.x(2)] - straight[c.z(-2)] + diagonal[c.x(1).y(-1).z(1)];
  }
};

class Freshness : public testing::Test {
 protected:
  TestContext context{{.threads = 2}};
  Grid grid{context, {.cells = cells, .periodic = {true, true, true}, .halo = 2}};
  Field<double> u{grid, "u", {.levels = 2}};
  Field<double> out{grid, "out"};
  Storage& storage() { return u.storage(0); }

  template <class F>
  void expect(const Field<double>& field, F&& value) {
    each_cell(grid.own(), [&](Int3 c) {
      const Int3 g = grid.origin() + c;
      ASSERT_EQ(field.get(c), value(g.x, g.y, g.z)) << field.name() << to_string(g);
    });
  }
  double bytes(Reach reach) {  // bytes that this rank sends to refresh u's halo
    return static_cast<double>(Exchange(grid.context(), halo_parcels(grid, {{&storage(), reach}})).bytes());
  }
};

TEST_F(Freshness, IsStaleThenInFlightThenFresh) {
  u.fill([](int x, int y, int z) { return code(x, y, z); });
  Refresh refresh({{&storage(), &u.boundaries(), star(2)}}, {}, context.timeline());
  EXPECT_EQ(storage().fresh(), point);
  EXPECT_EQ(storage().in_flight(), nullptr);
  Exchange& exchange = *refresh.exchanges().front();
  exchange.start(0);
  EXPECT_EQ(storage().in_flight(), &refresh);
  EXPECT_EQ(storage().fresh(), point) << "what is in flight is not fresh";
  for (int piece = 1; piece < exchange.pieces(); ++piece) exchange.start(piece);
  refresh.wait();
  EXPECT_EQ(storage().in_flight(), nullptr);
  EXPECT_EQ(storage().fresh(), star(2));
}

TEST_F(Freshness, WhoeverReadsFirstWaitsForWhatIsInFlight) {
  Refresh refresh({{&storage(), &u.boundaries(), star(2)}}, {}, context.timeline());
  Sweep sweep("star", Star2{}, writes(out.now()), reads(u.now(), star(2)));
  Runner runner(context, {.strategy = Strategy::boundary_first});
  for (int salt = 0; salt < 3; ++salt) {
    u.fill([&](int x, int y, int z) { return code(x, y, z, salt); });
    refresh.exchanges().front()->start();
    runner.run(sweep);
    EXPECT_EQ(storage().in_flight(), nullptr);
    EXPECT_EQ(runner.counts().at("star").moved, 0) << "sent again what was in flight";
    expect(out, [&](int x, int y, int z) { return star2(x, y, z, salt); });
  }
}

TEST_F(Freshness, WhoeverWritesEndsWhatIsInFlight) {
  Refresh refresh({{&storage(), &u.boundaries(), star(2)}}, {}, context.timeline());
  Sweep sweep("overwrite", Copy{}, writes(u.now()), reads(out.now()));
  Runner runner(context, {.strategy = Strategy::boundary_first});
  u.fill([](int x, int y, int z) { return code(x, y, z); });
  refresh.exchanges().front()->start();
  runner.run(sweep);
  EXPECT_EQ(storage().in_flight(), nullptr);
  EXPECT_EQ(storage().fresh(), point) << "the halo holds what was there before";
}

// The halos of two grids are two exchanges of one refresh; the core of the stage waits for none of them.
TEST(RefreshOfTwoGrids, ArrivesForOneStage) {
  TestContext context({.threads = 2});
  const Int3 n{8, 8, 12};
  const Grid grid(context, {.cells = n, .periodic = {true, true, true}, .halo = 1});
  const Grid half = grid.coarsen({2, 2, 2}, 1);
  Field<double> u(grid, "u"), out(grid, "out"), coarse(half, "coarse");
  const auto kernel = [](At c, Index g, Out<double> sum, In<double> fine, Across<double> from) {
    sum[c] = fine[c.z(1)] - fine[c.z(-1)] + 3 * from[from.at(g.x / 2, g.y / 2, g.z / 2 + 1)];
  };
  for (const Strategy& strategy : all_strategies(context)) {
    Runner runner(context, {.strategy = strategy, .poke_seconds = 1e-6});
    Sweep sweep("both", kernel, writes(out.now()), reads(u.now(), star(1)),
                reads(coarse.now(), coarsen(2, box(1))));
    for (int salt = 0; salt < 3; ++salt) {  // from the second round on, demand is known
      u.fill([&](int x, int y, int z) { return code(x, y, z, salt); });
      coarse.fill([&](int x, int y, int z) { return code(x, y, z, salt + 7); });
      runner.run(sweep);
      each_cell(grid.own(), [&](Int3 c) {
        const Int3 g = grid.origin() + c;
        const double beside =
            code(g.x, g.y, (g.z + 1) % n.z, salt) - code(g.x, g.y, (g.z + n.z - 1) % n.z, salt);
        ASSERT_EQ(out.get(c), beside + 3 * code(g.x / 2, g.y / 2, (g.z / 2 + 1) % (n.z / 2), salt + 7))
            << strategy.name << to_string(g);
      });
    }
  }
}

TEST_F(Freshness, AStaleHaloIsRefreshedBeforeItIsRead) {
  for (const Strategy& strategy : all_strategies(context)) {
    Runner runner(context, {.strategy = strategy});
    Sweep sweep("star", Star2{}, writes(out.now()), reads(u.now(), star(2)));
    for (int salt = 0; salt < 4; ++salt) {
      if (salt % 2 == 0)
        u.fill([&](int x, int y, int z) { return code(x, y, z, salt); });
      else
        each_cell(grid.own(), [view = u.modify(), salt, this](Int3 c) {
          const Int3 g = grid.origin() + c;
          view.base[grid.layout().offset(c)] = code(g.x, g.y, g.z, salt);
        });
      EXPECT_EQ(storage().fresh(), point) << "a host write leaves the halo stale";
      runner.run(sweep);
      EXPECT_EQ(storage().fresh(), star(2));
      expect(out, [&](int x, int y, int z) { return star2(x, y, z, salt); });
      const double moved = runner.counts().at("star").moved;
      runner.run(sweep);
      EXPECT_EQ(runner.counts().at("star").moved, moved) << "sent what was fresh";
      if (HasFailure()) FAIL() << strategy.name;
    }
  }
}

TEST_F(Freshness, TurnsOverWithTheLevels) {
  Runner runner(context, {.strategy = Strategy::boundary_first});
  u.fill([](int x, int y, int z) { return code(x, y, z); });
  runner.refresh(u.now(), star(1));
  u.advance();
  EXPECT_EQ(u.storage(0).fresh(), point);
  EXPECT_EQ(u.storage(1).fresh(), star(1));
  u.advance();
  EXPECT_EQ(u.storage(0).fresh(), star(1));
  u.fill([](int x, int y, int z) { return code(x, y, z, 1); }, 1);
  EXPECT_EQ(u.storage(0).fresh(), star(1)) << "writing one level touches no other";
}

// first: writes u and w; second: reads u along the axes; third: reads u diagonally and w at the same cell.
class Demand : public Freshness {
 protected:
  Field<double> w{grid, "w"}, seen{grid, "seen"}, start{grid, "start"};
  Sweep<CopyTwice, decltype(writes(u.now())), decltype(writes(u.now())), decltype(reads(u.now()))> first{
      "first", CopyTwice{}, writes(u.now()), writes(w.now()), reads(start.now())};

  void step(Runner& runner, int salt) {
    Sweep second("second", Star2{}, writes(out.now()), reads(u.now(), star(2)));
    Sweep third("third", Box1{}, writes(seen.now()), reads(u.now(), box(1)), reads(w.now()));
    start.fill([&](int x, int y, int z) { return code(x, y, z, salt); });
    runner.run(first);
    runner.run(second);
    runner.run(third);
    expect(out, [&](int x, int y, int z) { return star2(x, y, z, salt); });
    expect(seen, [&](int x, int y, int z) {
      return code(x + 1, y + 1, z + 1, salt) - code(x - 1, y + 1, z, salt) + code(x, y, z, salt);
    });
  }
  double moved(const Runner& runner, const char* stage) { return runner.counts().at(stage).moved; }
};

TEST_F(Demand, EagerStrategiesSendWhatTheNextReadersReadAndNothingElse) {
  const double along = bytes(star(2)), diagonal = bytes(box(1)), both = bytes(star(2) | box(1));
  if (context.size() > 1) {
    EXPECT_GT(both, along);
  }
  for (const Strategy& strategy : strategies_that_are(true)) {
    Runner runner(context, {.strategy = strategy});
    *first.demand() = Stage::Demand(3);  // reset, as for a new runner
    step(runner, 0);
    EXPECT_EQ(moved(runner, "first"), 0) << "nobody has read yet";
    EXPECT_EQ(moved(runner, "second"), along);
    EXPECT_EQ(moved(runner, "third"), diagonal);
    for (int n = 1; n <= 3; ++n) {
      step(runner, n);
      EXPECT_EQ(moved(runner, "first"), n * both) << "w is read at its own cell only";
      EXPECT_EQ(moved(runner, "second"), along);
      EXPECT_EQ(moved(runner, "third"), diagonal);
    }
    if (HasFailure()) FAIL() << strategy.name;
  }
}

TEST_F(Demand, LazyStrategiesSendWhenReadAndCountItThere) {
  for (const Strategy& strategy : strategies_that_are(false)) {
    Runner runner(context, {.strategy = strategy});
    for (int n = 1; n <= 3; ++n) {
      step(runner, n);
      EXPECT_EQ(moved(runner, "first"), 0);
      EXPECT_EQ(moved(runner, "second"), n * bytes(star(2)));
      EXPECT_EQ(moved(runner, "third"), n * bytes(box(1)));
    }
    if (HasFailure()) FAIL() << strategy.name;
  }
}

TEST_F(Demand, TwoReachesOfOneLevelTravelOnce) {
  for (const Strategy& strategy : all_strategies(context)) {
    Runner runner(context, {.strategy = strategy});
    Sweep sweep("both", StarAndBox{}, writes(out.now()), reads(u.now(), star(2)), reads(u.now(), box(1)));
    u.fill([](int x, int y, int z) { return code(x, y, z); });
    runner.run(sweep);
    EXPECT_EQ(moved(runner, "both"), bytes(star(2) | box(1))) << strategy.name;
    EXPECT_EQ(storage().fresh(), star(2) | box(1));
    expect(out, [](int x, int y, int z) {
      return code(x + 2, y, z) - code(x, y, z - 2) + code(x + 1, y - 1, z + 1);
    });
  }
}

TEST_F(Demand, IsNotMadeByReadersOfWhatTheHostWrote) {
  Runner runner(context, {.strategy = Strategy::boundary_first});
  Sweep sweep("star", Star2{}, writes(out.now()), reads(u.now(), star(2)));
  for (int n = 0; n < 3; ++n) {
    runner.run(first);
    u.fill([](int x, int y, int z) { return code(x, y, z); });
    runner.run(sweep);
  }
  EXPECT_EQ(moved(runner, "first"), 0) << "nobody reads around what it wrote";
}

TEST_F(Demand, OutlivesTheWriter) {
  for (const Strategy& strategy : all_strategies(context)) {
    Runner runner(context, {.strategy = strategy});
    for (int salt = 0; salt < 4; ++salt) {
      start.fill([&](int x, int y, int z) { return code(x, y, z, salt); });
      {
        Sweep writer("writer", Copy{}, writes(u.now()), reads(start.now()));
        runner.run(writer);
        runner.run(writer);
      }
      Sweep reader("reader", Star2{}, writes(out.now()), reads(u.now(), star(2)));
      runner.run(reader);
      expect(out, [&](int x, int y, int z) { return star2(x, y, z, salt); });
    }
  }
}

}  // namespace
}  // namespace sc::test
