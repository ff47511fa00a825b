// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2
// halo_describe_passes: how long the passes of halo_steps are, what was chosen with per_pass 0, and why steps
// are single where they are.
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "tests/mpi/halo_calls.hpp"

namespace {

using namespace sc::test;

constexpr std::int64_t own_cells = 64;

/// A row of cells on each rank, with `halo` layers.
struct Row {
  Row(int halo, bool periodic) : halo_(halo), now_(std::size_t(own_cells + 2 * halo)), next_(now_) {
    std::iota(now_.begin(), now_.end(), 1.0);
    halo_array array = halo_array_of(now_.data(), HALO_REAL64, 1, &own_cells, halo);
    array.next = next_.data();
    halo_options options = halo_options_of(1);
    options.periodic[0] = periodic;
    options.timeout = 60;
    EXPECT_TRUE(ok(halo_init(&handle, MPI_COMM_WORLD, &array, 1, &options)));
  }
  ~Row() { EXPECT_TRUE(ok(halo_finalize(&handle))); }
  static void average(const halo_box* box, int, void* const* now, void* const* next, void* user) {
    const auto halo = static_cast<const Row*>(user)->halo_;
    const auto* u = static_cast<const double*>(now[0]);
    const std::int64_t last = own_cells + 2 * halo - 1;
    for (std::int64_t x = box->lo[0] + halo; x < box->hi[0] + halo; ++x)
      static_cast<double*>(next[0])[x] = (u[x > 0 ? x - 1 : x] + u[x] + u[x < last ? x + 1 : x]) / 3;
  }
  void steps(int count, int per_pass) {
    ASSERT_TRUE(ok(halo_steps(handle, HALO_BOUNDARY_FIRST, average, count, 1, per_pass, this)));
  }
  std::string text() const {
    char said[400] = "";
    EXPECT_TRUE(ok(halo_describe_passes(handle, said, sizeof said)));
    return said;
  }
  halo_handle handle = HALO_NULL;

 private:
  int halo_;
  std::vector<double> now_, next_;
};

TEST(Passes, AreCounted) {
  Row row(4, true);
  EXPECT_EQ(row.text(), "halo_steps has made no step");
  row.steps(8, 4);
  const auto begins = [&](const std::string& words) {
    return row.text().starts_with(words + "; passes of ");
  };
  EXPECT_TRUE(begins("8 steps in 2 passes, 4 a pass")) << row.text();
  row.steps(6, 4);
  EXPECT_TRUE(begins("14 steps in 4 passes, 3.5 a pass; ended early: the loop has no more steps (1)"))
      << row.text();
  row.steps(2, 2);
  EXPECT_TRUE(begins("2 steps in 1 passes, 2 a pass")) << row.text();
}

/// 64 cells of 8 bytes: read and written once in two steps.
TEST(Passes, TellWhatAStepMovesWithThemAndWithout) {
  Row row(2, true);
  row.steps(2, 2);
  const std::string sends = ranks() == 1 ? "" : ", sends 1.6e-05 MB in 1 messages instead of 1.6e-05 MB in 2";
  EXPECT_NE(
      row.text().find("; passes of 2 steps: in a step this rank reads 0.000256 MB and writes 0.000512 MB "
                      "of its fields instead of 0.000512 MB and 0.000512 MB" +
                      sends + ", and computes "),
      std::string::npos)
      << row.text();
}

TEST(Passes, TellTheLengthThatWasChosen) {
  Row row(8, true);
  row.steps(10, 0);
  EXPECT_EQ(row.text().find("the fastest number of steps a pass is not found yet; "), 0U) << row.text();
  row.steps(300, 0);
  EXPECT_NE(row.text().find(" were chosen: passes of 2 took "), std::string::npos) << row.text();
}

TEST(Passes, TellWhyStepsAreSingle) {
  Row thin(1, true), none(0, false);
  thin.steps(2, 0);
  EXPECT_EQ(thin.text(), "single steps: the halos do not have 1 layer for each of two steps");
  thin.steps(2, 1);
  EXPECT_EQ(thin.text(), "single steps: per_pass is 1");
  if (ranks() > 1) return;
  for (const int per_pass : {0, 4}) {
    none.steps(2, per_pass);
    EXPECT_EQ(none.text(), "single steps: no array with next has a halo of 1 layer, the reach of a step");
  }
}

TEST(Passes, AreCutToTheRoomAndRefusedWithout) {
  Row row(2, true);
  row.steps(2, 2);
  char four[5] = "";
  EXPECT_TRUE(ok(halo_describe_passes(row.handle, four, sizeof four)));
  EXPECT_EQ(std::string(four), "2 st");
  EXPECT_TRUE(fails(halo_describe_passes(row.handle, four, 0), HALO_ERR_ARGUMENT, "size is 0"));
  EXPECT_TRUE(fails(halo_describe_passes(row.handle, nullptr, 4), HALO_ERR_ARGUMENT, "text is null"));
  EXPECT_TRUE(fails(halo_describe_passes(HALO_NULL, four, 4), HALO_ERR_HANDLE, "null"));
}

}  // namespace
