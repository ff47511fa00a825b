// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 4
// ranks when long: 3
// threads: 2
// timeout: 240
// label: sanitize
// RowStage::read_by: the values of a sweep that reads rows during a product are those of the sweep alone, bit
// for bit, for every division, strategy, transport and number of threads; each row is read once.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/stage/row_stage.hpp"
#include "engine/subcurrent.hpp"
#include "tests/mpi/sparse_matrices.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/refusal.hpp"

namespace sc::test {
namespace {

// x^T y, x^T x and the number of rows
struct Reads {
  SC_FN std::array<double, 3> operator()(At c, In<double> x, In<double> y) const {
    return {x[c] * y[c], x[c] * x[c], 1};
  }
};
auto reader_of(Field<double>& x, Field<double>& y) {
  return Sweep("reads", Reads{}, SweepOptions{.reduce = Reduce::sum}, reads(x.now()), reads(y.now()));
}

/// -1, 0.3, 2.1, -1 about the diagonal: divided by rows, only the ends of a rank's rows need other ranks.
Whole band(int n) {
  Whole a{n, n, {}};
  for (int r = 0; r < n; ++r) {
    auto& row = a.row.emplace_back();
    for (const auto& [d, v] : {std::pair{-2, -1.0}, {-1, 0.3}, {0, 2.1}, {1, -1.0}})
      if (r + d >= 0 && r + d < n) row.emplace_back(r + d, v);
  }
  return a;
}

std::vector<double> values_of(std::span<const Accumulator> accumulators) {
  std::vector<double> all;
  for (const Accumulator& a : accumulators) all.push_back(a.value());
  return all;
}

struct Vectors {
  Vectors(Context& context, const Whole& a) : grid(vector_of(context, a.rows)) {
    x.fill([](int i, int, int) { return std::sin(0.37 * i) * std::ldexp(1.0, i % 60); });
  }
  Grid grid;
  Field<double> x{grid, "x"}, y{grid, "y"};
};

std::vector<Strategy> strategies(const RowStage& product, int threads) {
  std::vector<Strategy> all;
  for (const Strategy& s : all_strategies(threads))
    if (product.refusal(s).empty()) all.push_back(s);
  return all;
}

// Blocks of rows_read_together rows: a rank has several, some of them with parts of other ranks.
TEST(RowReader, HasTheBitsOfASweepOfItsOwn) {
  for (const Whole& a : {band(9 * rows_read_together + 100), scattered(1400, 1400, false)})
    for (const TransportPolicy transport : {TransportPolicy::automatic, TransportPolicy::delayed})
      for (const int threads : {1, 2}) {
        TestContext context({.threads = threads, .transport = transport, .delay = 1e-4});
        Vectors v(context, a);
        auto reader = reader_of(v.x, v.y);
        for (const Division division : {Division::row, Division::column, Division::both}) {
          const Part p = part_of(a, division, v.grid, v.grid);
          RowStage product("product", {p.first, p.begin, p.value}, writes(v.y.now()),
                           reads(v.x.now(), gather(p.column)), {.piece_bytes = 1000});
          for (const Strategy strategy : strategies(product, threads)) {
            Runner runner(context, {.strategy = strategy, .poke_seconds = 1e-6});
            product.read_by(nullptr);
            runner.run(product);
            EXPECT_TRUE(product.accumulators().empty());
            runner.run(reader);
            const auto expected = values_of(reader.accumulators());
            EXPECT_EQ(expected[2], v.grid.own().hi.x);
            v.y.fill([](int, int, int) { return std::nan(""); });
            product.read_by(&reader);
            for (int run = 0; run < 2; ++run) {  // the second begins anew
              runner.run(product);
              EXPECT_EQ(values_of(product.accumulators()), expected) << strategy.name << threads;
            }
          }
        }
      }
}

// A row that another rank contributes to is read a second time from memory, with its block; no others are.
TEST(RowReader, ReadsCompleteRowsOnce) {
  TestContext context;
  const Whole a = band(4000 * context.size());
  const Grid grid(context, {.cells = {a.rows, 1, 1}, .halo = 0, .split = {context.size(), 1, 1}});
  Field<double> x(grid, "x"), y(grid, "y");
  auto reader = reader_of(x, y);
  const Part p = part_of(a, Division::row, grid, grid);
  RowStage product("product", {p.first, p.begin, p.value}, writes(y.now()), reads(x.now(), gather(p.column)));
  const double alone = product.bytes_per_cell() * 4000;
  product.read_by(&reader);
  // The first rows need entries of the rank before, the last one an entry of the next rank.
  const int first = context.rank() > 0 ? rows_read_together : 0;
  const int last = context.rank() + 1 < context.size() ? 4000 % rows_read_together : 0;
  EXPECT_DOUBLE_EQ(product.bytes_per_cell() * 4000, alone + 16 * (first + last));
  product.read_by(nullptr);
  EXPECT_DOUBLE_EQ(product.bytes_per_cell() * 4000, alone);
}

struct Adds {
  SC_FN double operator()(At c, InOut<double> y, In<double> x) const { return y[c] += x[c]; }
};
struct Looks {
  SC_FN double operator()(At c, In<double> y) const { return y[c.x(1)]; }
};

TEST(RowReader, OnlyReads) {
  TestContext context;
  const Whole a = band(64);
  const Grid grid = vector_of(context, 64);
  const Grid other(context, {.cells = {72, 1, 1}, .halo = 1, .split = {context.size(), 1, 1}});
  Field<double> x(grid, "x"), y(grid, "y"), z(other, "z"), w(other, "w");
  const Part p = part_of(a, Division::row, grid, grid);
  RowStage product("product", {p.first, p.begin, p.value}, writes(y.now()), reads(x.now(), gather(p.column)));
  const SweepOptions sum{.reduce = Reduce::sum};
  Sweep adds("adds", Adds{}, sum, updates(y.now()), reads(x.now()));
  Sweep looks("looks", Looks{}, sum, reads(z.now(), star(1)));
  auto elsewhere = reader_of(z, w), reader = reader_of(x, y);
  for (Stage* stage :
       {static_cast<Stage*>(&adds), static_cast<Stage*>(&looks), static_cast<Stage*>(&elsewhere)})
    EXPECT_EQ(
        refusal([&] { product.read_by(stage); }),
        "stage \"" + stage->name() +
            "\" cannot read rows during stage \"product\"; allowed is a sweep that only reads, at its own "
            "cell, fields in memory on the grid of the result");
  EXPECT_EQ(refusal([&] { product.read_by(&reader); }), "accepted");
}

}  // namespace
}  // namespace sc::test
