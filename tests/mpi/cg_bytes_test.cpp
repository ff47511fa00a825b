// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4 6
// optimise: no
// The paper's volumes (eq. 3.1 to 3.3) against the bytes passed to MPI; and chunks that are sent before the
// last one is computed.
#include <gtest/gtest.h>

#include "solvers/cg/benchmark.hpp"
#include "solvers/cg/solver.hpp"
#include "tests/mpi/cg_strategies.hpp"
#include "tests/mpi/sent_bytes.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::cg {
namespace {

using test::TestContext;

double counted(Context& context) {
  return static_cast<double>(context.sum(static_cast<std::uint64_t>(sent().bytes)));
}

/// All entries of the rows of a rank's group.
LocalRows dense(const Partition& partition, int rank) {
  const auto [first, last] = partition.rows(rank);
  LocalRows rows;
  rows.first = first;
  for (int r = first; r < last; ++r) {
    for (int c = 0; c < partition.n(); ++c) {
      rows.column.push_back(c);
      rows.value.push_back(r == c ? 100 : 1);
    }
    rows.begin.push_back(static_cast<std::int64_t>(rows.column.size()));
  }
  return keep_own(rows, partition, rank);
}

TEST(CgBytes, OfADenseMatrixAreThePapers) {
  constexpr int n = 120, runs = 3;
  for (const Division division : {Division::row, Division::column, Division::grid})
    for (const Strategy& strategy : strategies_of(division)) {
      TestContext context({.transport = TransportPolicy::mpi});
      const Partition partition(division, std::vector<std::int64_t>(n, n), context.size());
      Product product(context, partition, dense(partition, context.rank()), {division, strategy, 4});
      product.x().fill([](int i, int, int) { return i; });
      sent().bytes = 0;
      for (int run = 0; run < runs; ++run) product.run();
      EXPECT_EQ(counted(context), runs * partition.bytes_of_product()) << division_name(division);
      if (division != Division::grid) {
        EXPECT_EQ(partition.bytes_of_product(), 8.0 * n * (context.size() - 1));
      } else if (context.size() == 4) {
        EXPECT_EQ(partition.bytes_of_product(), 16.0 * n);  // 16 n (sqrt(p) - 1)
      }
      // y = 99 x + sum of x, which is exact
      const double sum = n * (n - 1) / 2;
      for (int i = 0; i < product.grid().own().hi.x; ++i)
        ASSERT_EQ(product.y().get({i, 0, 0}), 99.0 * (product.grid().origin().x + i) + sum);
    }
}

// The random matrix uses almost every entry of x, so that the formula is close to the bytes sent.
TEST(CgBytes, OfTheBenchmarkAreWhatItSays) {
  for (const Division division : {Division::row, Division::column, Division::grid}) {
    TestContext context({.transport = TransportPolicy::mpi});
    Benchmark benchmark(context, class_of("S"), {division, strategies_of(division).back(), 3});
    sent().bytes = 0;
    const BenchmarkResult result = benchmark.run();
    constexpr double products = 15 * 26;                 // the paper's (25 + 1) x 15
    EXPECT_EQ(counted(context), result.sent * 16 / 15);  // including the untimed iteration
    const double formula = products * benchmark.product().partition().bytes_of_product();
    EXPECT_LE(result.sent, formula);
    EXPECT_GE(result.sent, 0.9 * formula) << division_name(division);
  }
}

TEST(CgBytes, LeaveChunkByChunk) {
  TestContext context({.transport = TransportPolicy::mpi});
  if (context.size() == 1) return;
  Benchmark benchmark(context, class_of("S"), {Division::column, Strategy::pipelined, 4});
  Product& product = benchmark.product();
  product.x().fill([](int i, int, int) { return i; });
  product.run();
  Timeline& timeline = context.timeline();
  timeline.clear();
  product.run();
  double first_send = -1, last_chunk = -1;
  int chunks = 0;
  for (const Span& span : timeline.spans()) {
    if (timeline.names()[span.name] != "y = A x") continue;
    if (span.phase == Phase::start && first_send < 0) first_send = span.begin;
    if (span.phase == Phase::shell) {
      ++chunks;
      last_chunk = span.begin;
    }
  }
  EXPECT_GE(chunks, 3 * (context.size() - 1));
  EXPECT_GT(first_send, 0);
  EXPECT_LT(first_send, last_chunk);
}

}  // namespace
}  // namespace sc::cg
