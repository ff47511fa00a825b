// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4 5 6 7 8
// timeout: 1500
// label: long
// Zeta of the classes S, W and A on 1 to 8 ranks, under every partition and strategy.
#include <gtest/gtest.h>

#include "solvers/cg/benchmark.hpp"
#include "tests/mpi/cg_strategies.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::cg {
namespace {

void verify(const char* name) {
  for (const Division division : {Division::row, Division::column, Division::grid})
    for (const Strategy& strategy : strategies_of(division)) {
      test::TestContext context;
      Benchmark benchmark(context, class_of(name), {division, strategy, 5});
      EXPECT_LE(benchmark.product().imbalance(), 0.10);
      const BenchmarkResult result = benchmark.run();
      EXPECT_TRUE(result.verified) << division_name(division) << " " << strategy.name << ": off by "
                                   << result.error;
    }
}

TEST(CgClasses, S) { verify("S"); }
TEST(CgClasses, W) { verify("W"); }
TEST(CgClasses, A) { verify("A"); }

}  // namespace
}  // namespace sc::cg
