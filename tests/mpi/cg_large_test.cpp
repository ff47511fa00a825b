// SPDX-License-Identifier: Apache-2.0
// ranks: 2 4
// timeout: 3600
// label: long
// Zeta of the classes B and C, and the non-zeros of B.
#include <gtest/gtest.h>

#include "solvers/cg/benchmark.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::cg {
namespace {

BenchmarkResult run(Context& context, const char* name, Division division, std::int64_t nonzeros) {
  Benchmark benchmark(context, class_of(name), {.partition = division, .depth = 5});
  if (nonzeros > 0) {
    EXPECT_EQ(benchmark.product().nonzeros(), nonzeros);
  }
  return benchmark.run();
}

TEST(CgLarge, B) {
  for (const Division division : {Division::row, Division::grid}) {
    test::TestContext context;
    const BenchmarkResult result = run(context, "B", division, 13708072);
    EXPECT_TRUE(result.verified) << division_name(division) << ": off by " << result.error;
  }
}
TEST(CgLarge, C) {
  test::TestContext context;
  const BenchmarkResult result = run(context, "C", Division::grid, 0);
  EXPECT_TRUE(result.verified) << "off by " << result.error;
}

}  // namespace
}  // namespace sc::cg
