// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 5 8
// ranks when long: 3 4 6 7
// timeout: 240
// label: checked
// The benchmark gives the published zeta under every partition and strategy.
#include <gtest/gtest.h>

#include "solvers/cg/benchmark.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::cg {
namespace {

using test::TestContext;

BenchmarkResult run(const char* name, Division division, Hiding hiding, int depth = 5, int threads = 1) {
  TestContext context({.threads = threads});
  Benchmark benchmark(context, class_of(name), {division, hiding, depth});
  EXPECT_LE(benchmark.product().imbalance(), 0.10) << division_name(division);
  BenchmarkResult result = benchmark.run();
  EXPECT_TRUE(result.verified) << name << " " << division_name(division) << " " << hiding_name(hiding)
                               << ": zeta " << result.zeta << ", off by " << result.error;
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
constexpr Hiding hidings[] = {Hiding::blocking, Hiding::direct, Hiding::pipelined};

TEST(CgBenchmark, VerifiesClassS) {
  for (const Division division : divisions)
    for (const Hiding hiding : hidings) run("S", division, hiding, 3);
}

// Every partition on every number of ranks, each with one of the strategies; all combinations are in
// cg_classes_test.
TEST(CgBenchmark, VerifiesClassesWAndA) {
  int ranks = 0;
  {
    TestContext context;
    ranks = context.size();
  }
  for (int d = 0; d < 3; ++d) {
    run("W", divisions[d], hidings[(d + ranks) % 3], 5, 2);
    run("A", divisions[d], hidings[(d + ranks + 1) % 3]);
  }
}

// The sums on a rank depend on the division, not on the overlap.
TEST(CgBenchmark, HasTheSameBitsUnderEveryStrategyButForPieces) {
  for (const Division division : {Division::column, Division::grid}) {
    const double blocking = run("S", division, Hiding::blocking).zeta;
    EXPECT_EQ(run("S", division, Hiding::direct).zeta, blocking);
    EXPECT_EQ(run("S", division, Hiding::direct, 5, 2).zeta, blocking);
  }
}

}  // namespace
}  // namespace sc::cg
