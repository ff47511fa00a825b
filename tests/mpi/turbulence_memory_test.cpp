// SPDX-License-Identifier: Apache-2.0
// ranks: 1 4
// optimise: no
// No rank has a whole random initial condition: its increase of peak memory stays a small fraction of all
// modes, and the memory of the fields decreases with the number of ranks.
#include <gtest/gtest.h>

#include <cstdio>

#include "solvers/turbulence/solver.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/process_memory.hpp"

namespace sc::test {
namespace {

using turbulence::Turbulence;

TEST(RandomFirstField, IsMadeByEveryRankForItself) {
  TestContext context;
  turbulence::RandomField field{.spectrum = std::vector<double>(40, 1.0)};
  {  // allocates MPI's own buffers before the measurement
    Turbulence small(context, {.points = {16, 16, 16}});
    small.start_random(field);
    small.step();
  }
  if (peak_memory() == 0) GTEST_SKIP() << "this system has no /proc/self/status";
  const auto before = static_cast<double>(peak_memory());
  Turbulence flow(context, {.points = {96, 96, 96}, .dt = 1e-3});
  flow.start_random(field);
  const Int3 m = flow.modes().grid().cells();
  const double all_modes = 3.0 * 16 * m.x * m.y * m.z;
  const double added = static_cast<double>(peak_memory()) - before;
  std::printf("rank %d of %d: VmHWM grows by %.1f MB, all modes are %.1f MB\n", context.rank(),
              context.size(), added / 1e6, all_modes / 1e6);
  // Three fields of modes, the arrays at the points, and on several ranks the lines of a Pipeline, half as
  // large again as the modes of nine arrays of 9; nothing of the size of all points, or of all modes.
  if (context.size() == 1) {
    EXPECT_GT(added, 4 * all_modes);
  }
  if (context.size() == 4) {
    EXPECT_LT(added, 0.25 * 12 * all_modes);
  }
}

}  // namespace
}  // namespace sc::test
