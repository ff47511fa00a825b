// SPDX-License-Identifier: Apache-2.0
// ranks: 1 4
// No rank holds the whole matrix: what each adds to its peak of memory falls with their number.
#include <gtest/gtest.h>

#include <fstream>

#include "solvers/cg/benchmark.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::cg {
namespace {

/// VmHWM of this process, bytes.
double peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return 1024 * std::stod(line.substr(6));
  return 0;
}

TEST(CgMemory, FallsWithTheNumberOfRanks) {
  test::TestContext context;
  {  // MPI's own buffers, before anything is measured
    Benchmark small(context, class_of("S"), {Division::grid, Hiding::pipelined, 5});
    small.product().run();
  }
  constexpr double matrix = 12 * 1853104;  // values and 32-bit columns of class A
  for (const Division division : {Division::row, Division::column, Division::grid}) {
    const double before = peak_memory();
    if (before == 0) GTEST_SKIP() << "this system has no /proc/self/status";
    const Benchmark benchmark(context, class_of("A"), {division, Hiding::pipelined, 5});
    const double added = peak_memory() - before;
    if (context.size() == 1 && division == Division::row) {
      EXPECT_GT(added, matrix);
    }
    if (context.size() == 4) {
      EXPECT_LT(added, 0.9 * matrix) << division_name(division);
    }
  }
}

}  // namespace
}  // namespace sc::cg
