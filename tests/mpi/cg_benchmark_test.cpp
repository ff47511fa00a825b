// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 5 8
// ranks when long: 3 4 6 7
// timeout: 240
// label: checked
// The benchmark gives the published zeta under every partition and strategy.
#include <gtest/gtest.h>

#include "solvers/cg/benchmark.hpp"
#include "tests/mpi/cg_strategies.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::cg {
namespace {

using test::TestContext;

BenchmarkResult run(const char* name, Division division, const Strategy& strategy, int depth = 5,
                    int threads = 1) {
  TestContext context({.threads = threads});
  Benchmark benchmark(context, class_of(name), {division, strategy, depth});
  EXPECT_LE(benchmark.product().imbalance(), 0.10) << division_name(division);
  BenchmarkResult result = benchmark.run();
  EXPECT_TRUE(result.verified) << name << " " << division_name(division) << " " << strategy.name << ": zeta "
                               << result.zeta << ", off by " << result.error;
  EXPECT_EQ(result.history.size(),
            context.rank() == 0 ? static_cast<std::size_t>(class_of(name).iterations) : 0U);
  if (context.rank() == 0) {
    EXPECT_LT(result.history.back().residual, 1e-12);
    EXPECT_EQ(result.history.back().zeta, result.zeta);
  }
  EXPECT_GT(result.mops, 0);
  return result;
}

constexpr Division divisions[] = {Division::row, Division::column, Division::grid};

// Every partition on every number of ranks, each with one of the strategies; all combinations are in
// cg_classes_test.
TEST(CgBenchmark, VerifiesClassesWAndA) {
  int ranks = 0;
  {
    TestContext context;
    ranks = context.size();
  }
  for (int d = 0; d < 3; ++d) {
    const std::vector<Strategy> strategies = strategies_of(divisions[d]);
    run("W", divisions[d], strategies[static_cast<std::size_t>(d + ranks) % 3], 5, 2);
    run("A", divisions[d], strategies[static_cast<std::size_t>(d + ranks + 1) % 3]);
  }
}

// The sums on a rank depend on the division and on the pieces, not on the overlap.
TEST(CgBenchmark, VerifiesClassSWithTheSameBitsUnderEveryStrategy) {
  for (const Division division : divisions) {
    const double blocking = run("S", division, Strategy::blocking).zeta;
    for (const Strategy& strategy : strategies_of(division))
      for (const int threads : {1, 2}) {
        if (strategy == Strategy::blocking && threads == 1) continue;
        EXPECT_EQ(run("S", division, strategy, 5, threads).zeta, blocking);
      }
    run("S", division, strategies_of(division).back(), 3);
  }
}

TEST(CgBenchmark, RefusesAStrategyThatWouldHideNothing) {
  TestContext context;
  if (context.size() == 1) return;
  for (const auto& [division, strategy] :
       {std::pair{Division::row, Strategy::pipelined}, std::pair{Division::column, Strategy::interior_first}})
    EXPECT_THROW(Benchmark(context, class_of("S"), {division, strategy}).run(), Error) << strategy.name;
}

}  // namespace
}  // namespace sc::cg
