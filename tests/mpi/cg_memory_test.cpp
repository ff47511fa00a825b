// SPDX-License-Identifier: Apache-2.0
// ranks: 1 4
// alone: yes
// No rank has the whole matrix: the increase of peak memory decreases with the number of ranks.
#include <gtest/gtest.h>

#include <cstdio>

#include "solvers/cg/benchmark.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/process_memory.hpp"

namespace sc::cg {
namespace {

/// The peak memory of a process never decreases, so each process measures only one partition.
void falls_with_the_number_of_ranks(Division division) {
  test::TestContext context;
  {  // allocates MPI's own buffers before the measurement
    Benchmark small(context, class_of("S"), {.partition = division, .depth = 5});
    small.product().run();
  }
  constexpr double matrix = 12 * 1853104;  // values and 32-bit columns of class A
  const auto before = static_cast<double>(test::peak_memory());
  if (before == 0) GTEST_SKIP() << "this system has no /proc/self/status";
  const Benchmark benchmark(context, class_of("A"), {.partition = division, .depth = 5});
  const double added = static_cast<double>(test::peak_memory()) - before;
  std::printf("rank %d of %d: VmHWM grows by %.1f MB, the matrix is %.1f MB\n", context.rank(),
              context.size(), added / 1e6, matrix / 1e6);
  if (context.size() == 1) {
    EXPECT_GT(added, matrix);
  }
  if (context.size() == 4) {
    EXPECT_LT(added, 0.9 * matrix) << division_name(division);
  }
}

TEST(CgMemory, OfRows) { falls_with_the_number_of_ranks(Division::row); }
TEST(CgMemory, OfColumns) { falls_with_the_number_of_ranks(Division::column); }
TEST(CgMemory, OfGrids) { falls_with_the_number_of_ranks(Division::grid); }

}  // namespace
}  // namespace sc::cg
