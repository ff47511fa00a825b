// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4
// threads: 2
// timeout: 240
// label: sanitize
// RowStage: products with sparse matrices divided by rows, by columns and both ways, against a plain product
// of the whole matrix; bits do not depend on strategy, threads, transport or the order of arrival.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "engine/stage/row_stage.hpp"
#include "engine/subcurrent.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/sparse_matrices.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/refusal.hpp"

namespace sc::test {
namespace {

bool makes_sense(Strategy strategy, Division division) {
  const bool eager = strategy == Strategy::boundary_first || strategy == Strategy::pipelined;
  const bool neutral = !strategy.overlaps || strategy == Strategy::automatic;
  return neutral || division == Division::both || (division == Division::column) == eager;
}
std::vector<Strategy> with_automatic(const Context& context) {
  std::vector<Strategy> all = all_strategies(context);
  all.push_back(Strategy::automatic);
  return all;
}

TEST(RowStage, IsThePlainProduct) {
  for (const Whole& a : {scattered(97, 83, true), laplacian(5)})
    for (TransportPolicy transport : {TransportPolicy::automatic, TransportPolicy::mpi})
      for (int threads : {1, 2}) {
        TestContext context({.threads = threads, .transport = transport});
        const Grid rows = vector_of(context, a.rows), columns = vector_of(context, a.columns);
        std::vector<double> x(static_cast<std::size_t>(a.columns));
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i * 7 % 31) - 15;
        const std::vector<double> expected = plain_product(a, x);
        for (const Division division : {Division::row, Division::column, Division::both})
          for (const Strategy& strategy : with_automatic(context)) {
            if (!makes_sense(strategy, division) && context.size() > 1) continue;
            Field<double> in(columns, "x"), out(rows, "y");
            in.fill([&](int i, int, int) { return x[static_cast<std::size_t>(i)]; });
            out.fill([](int, int, int) { return std::nan(""); });
            const Part p = part_of(a, division, columns, rows);
            RowStage product("product", {p.first, p.begin, p.value}, writes(out.now()),
                             reads(in.now(), gather(p.column)), {.piece_bytes = 40});
            Runner runner(context, {.strategy = strategy, .poke_seconds = 1e-6});
            runner.run(product);
            for (int i = 0; i < rows.own().hi.x; ++i)
              ASSERT_EQ(out.get({i, 0, 0}), expected[static_cast<std::size_t>(rows.origin().x + i)])
                  << strategy.name << " row " << rows.origin().x + i;
          }
      }
}

struct Mix {
  SC_FN void operator()(At c, Out<double> next, In<double> x, In<double> y) const {
    next[c] = 0.4 * x[c] + 0.01 * y[c];
  }
};

/// Eight products, each of the previous result, on two levels that are swapped.
std::vector<double> iterate(Context& context, const Whole& a, Division division, Strategy strategy,
                            std::size_t piece_bytes) {
  const Grid grid = vector_of(context, a.rows);
  Field<double> x(grid, "x", {.levels = 2}), y(grid, "y");
  x.fill([](int i, int, int) { return std::sin(0.37 * i) + 1; });
  const Part p = part_of(a, division, grid, grid);
  RowStage product("product", {p.first, p.begin, p.value}, writes(y.now()), reads(x.now(), gather(p.column)),
                   {.piece_bytes = piece_bytes});
  Sweep mix("mix", Mix{}, writes(x.next()), reads(x.now()), reads(y.now()));
  Runner runner(context, {.strategy = strategy, .poke_seconds = 1e-6});
  for (int n = 0; n < 8; ++n) {
    runner.run(product);
    runner.run(mix);
    x.advance();
  }
  std::vector<double> values;
  each_cell(grid.own(), [&](Int3 c) { values.push_back(x.get(c)); });
  for (int level = 0; level < 2; ++level) x.storage(level).settle();
  context.barrier();
  return values;
}

TEST(RowStage, LeavesTheSameBitsWhateverComesFirst) {
  const Whole a = scattered(143, 143, false);
  for (const Division division : {Division::row, Division::column, Division::both}) {
    std::vector<double> expected;
    for (TransportPolicy transport :
         {TransportPolicy::mpi, TransportPolicy::automatic, TransportPolicy::delayed})
      for (int threads : {1, 2}) {
        TestContext context({.threads = threads, .transport = transport, .delay = 3e-4});
        for (const Strategy& strategy : with_automatic(context)) {
          if (!makes_sense(strategy, division) && context.size() > 1) continue;
          const auto got = iterate(context, a, division, strategy, 48);
          if (expected.empty()) expected = got;
          EXPECT_EQ(got, expected) << strategy.name << threads;
        }
      }
    // The values are those of the plain iteration, up to the order of additions.
    std::vector<double> x(143);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(0.37 * static_cast<double>(i)) + 1;
    for (int n = 0; n < 8; ++n) {
      const std::vector<double> y = plain_product(a, x);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.4 * x[i] + 0.01 * y[i];
    }
    TestContext context;
    const Grid grid = vector_of(context, 143);
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(expected[i], x[static_cast<std::size_t>(grid.origin().x) + i], 1e-13);
  }
}

// A block of rows needs each entry of x once that its columns reference and other ranks own.
TEST(RowStage, SendsWhatIsNeededOnce) {
  const Whole a = laplacian(6);
  for (const Division division : {Division::row, Division::column}) {
    TestContext context({.transport = TransportPolicy::mpi});
    const Grid grid = vector_of(context, a.rows);
    Field<double> x(grid, "x"), y(grid, "y");
    x.fill([](int i, int, int) { return i; });
    const Part p = part_of(a, division, grid, grid);
    RowStage product("product", {p.first, p.begin, p.value}, writes(y.now()),
                     reads(x.now(), gather(p.column)));
    Runner runner(context, {.strategy = Strategy::blocking});
    for (int n = 0; n < 3; ++n) runner.run(product);
    const int lo = grid.origin().x, hi = lo + grid.own().hi.x;
    std::set<std::int64_t> elsewhere;  // the matrix is symmetric, so sends equal receives
    for (int r = lo; r < hi; ++r)
      for (const auto& [c, v] : a.row[static_cast<std::size_t>(r)])
        if (c < lo || c >= hi) elsewhere.insert(c);
    std::int64_t expected = static_cast<std::int64_t>(elsewhere.size());
    if (division == Division::row) {  // sent: own entries that another rank's rows reference, once for each
      expected = 0;
      for (int rank = 0; rank < context.size(); ++rank) {
        const Box theirs = grid.box_of(rank);
        std::set<std::int64_t> named;
        for (int r = theirs.lo.x; rank != context.rank() && r < theirs.hi.x; ++r)
          for (const auto& [c, v] : a.row[static_cast<std::size_t>(r)])
            if (c >= lo && c < hi) named.insert(c);
        expected += static_cast<std::int64_t>(named.size());
      }
    }
    EXPECT_EQ(runner.traffic(Transport::mpi).bytes, 3 * 8 * expected);
    EXPECT_EQ(runner.counts().at("product").moved, static_cast<double>(3 * 8 * expected));
  }
}

// The shell of a pipelined product is divided into pieces: the first is sent before the last is computed.
TEST(RowStage, SendsSumsChunkByChunk) {
  TestContext context({.transport = TransportPolicy::mpi});
  const Whole a = scattered(140, 140, false);
  const Grid grid(context, {.cells = {140, 1, 1}, .halo = 0, .split = {context.size(), 1, 1}});
  Field<double> x(grid, "x"), y(grid, "y");
  x.fill([](int i, int, int) { return i; });
  const Part p = part_of(a, Division::column, grid, grid);
  RowStage product("product", {p.first, p.begin, p.value}, writes(y.now()), reads(x.now(), gather(p.column)),
                   {.piece_bytes = 80});
  Runner runner(context, {.strategy = Strategy::pipelined});
  context.timeline().clear();
  runner.run(product);
  if (context.size() == 1) return;
  double first_start = -1, last_shell = -1;
  int shells = 0;
  const std::size_t chunks = product.own()->cut.shell.size();
  for (const Span& span : context.timeline().spans()) {
    if (context.timeline().names()[span.name] != "product") continue;
    if (span.phase == Phase::start && first_start < 0) first_start = span.begin;
    if (span.phase == Phase::shell && shells++ < static_cast<int>(chunks)) last_shell = span.begin;
  }
  EXPECT_GT(chunks, 3U);
  EXPECT_GT(first_start, 0);
  EXPECT_LT(first_start, last_shell);
}

TEST(RowStage, RefusesWhatItCannotRun) {
  TestContext context;
  const Whole a = laplacian(4);
  const Grid grid(context, {.cells = {64, 1, 1}, .halo = 0, .split = {context.size(), 1, 1}});
  const Grid cube(context, {.cells = {8, 8, 8}, .halo = 1});
  Field<double> x(grid, "x"), y(grid, "y"), T(cube, "T");
  const auto make = [&](const Part& p, Level<double, 1> from) {
    RowStage("product", {p.first, p.begin, p.value}, writes(y.now()), reads(from, gather(p.column)));
  };
  Part p = part_of(a, Division::row, grid, grid);
  EXPECT_EQ(refusal([&] { make(p, x.now()); }), "accepted");
  EXPECT_EQ(refusal([&] { make(p, y.now()); }),
            "stage \"product\" writes the vector that it gathers; it needs another one");
  EXPECT_EQ(refusal([&] { make(p, T.now()); }).substr(0, 51),
            "stage \"product\" gathers field \"T\" on a grid of [8, ");
  if (context.rank() == context.size() - 1) p.column.back() = 64;  // all ranks refuse an error on one
  EXPECT_EQ(refusal([&] { make(p, x.now()); }),
            "stage \"product\" has a value in column 64 of a vector with 64 entries");
  p.column.pop_back();
  EXPECT_EQ(refusal([&] { make(p, x.now()); }),
            "stage \"product\" was given rows whose begins, columns and values do not fit together");
}

// Trials use the strategies that overlap the communication, and blocking.
TEST(RowStage, LeavesTheSameBitsThroughTrials) {
  TestContext context({.threads = 2});
  const Whole a = laplacian(5);
  const Grid grid = vector_of(context, a.rows);
  for (const Division division : {Division::row, Division::column, Division::both}) {
    Field<double> x(grid, "x"), y(grid, "y"), z(grid, "z");
    x.fill([](int i, int, int) { return std::sin(0.3 * i); });
    const Part p = part_of(a, division, grid, grid);
    RowStage product("product", {p.first, p.begin, p.value}, writes(y.now()),
                     reads(x.now(), gather(p.column)));
    RowStage plain("plain", {p.first, p.begin, p.value}, writes(z.now()), reads(x.now(), gather(p.column)));
    Runner blocking(context, {.strategy = Strategy::blocking}), automatic(context, {});
    blocking.run(plain);
    for (int n = 0; n < 40; ++n) {
      automatic.run(product);
      int wrong = 0;
      for (int i = 0; i < grid.own().hi.x; ++i) wrong += y.get({i, 0, 0}) != z.get({i, 0, 0});
      ASSERT_EQ(wrong, 0) << n;
    }
    const Trials& trials = automatic.choice()->trials();
    EXPECT_EQ(trials.trials(), context.size() > 1 ? 1 : 0);
    if (context.size() == 1) continue;
    EXPECT_TRUE(makes_sense(Strategy::of(automatic.choice()->chosen()[0].strategy), division));
    EXPECT_GT(automatic.choice()->chosen()[0].seconds.blocking, 0);
  }
}

TEST(RowStage, RefusesStrategiesThatWouldHideNothing) {
  TestContext context({.threads = 2});
  const Whole a = laplacian(4);
  const Grid grid(context, {.cells = {64, 1, 1}, .halo = 0, .split = {context.size(), 1, 1}});
  Field<double> x(grid, "x"), y(grid, "y");
  x.fill([](int i, int, int) { return i; });
  for (const Division division : {Division::row, Division::column})
    for (const Strategy& strategy : with_automatic(context)) {
      const Part p = part_of(a, division, grid, grid);
      RowStage product("product", {p.first, p.begin, p.value}, writes(y.now()),
                       reads(x.now(), gather(p.column)));
      Runner runner(context, {.strategy = strategy});
      const std::string said = refusal([&] { runner.run(product); });
      if (context.size() == 1 || makes_sense(strategy, division)) {
        EXPECT_EQ(said, "accepted");
      } else {
        EXPECT_NE(said.find("strategy " + std::string(strategy.name) + " would hide nothing"),
                  std::string::npos)
            << said;
      }
    }
}

}  // namespace
}  // namespace sc::test
