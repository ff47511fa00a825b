// SPDX-License-Identifier: Apache-2.0
// threads: 2
// Whether reports of the thread sanitizer on OpenMP code are reliable: ordered accesses must pass, and a race
// must be detected.
#include <gtest/gtest.h>

#include <vector>

namespace {

// Both threads access every cell, ordered only by the join and the barrier.
double ordered_accesses() {
  constexpr int cells = 1000;
  std::vector<double> v(cells, 1.0);
  double sum = 0;
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < cells; ++i) v[i] += i;
#pragma omp parallel num_threads(2)
  {
#pragma omp for
    for (int i = 0; i < cells; ++i) v[cells - 1 - i] += 1;
#pragma omp for schedule(dynamic, 8)
    for (int i = 0; i < cells; ++i) v[i] += 1;
#pragma omp critical
    sum += v[0];
  }
#pragma omp parallel for schedule(dynamic, 8) num_threads(2)
  for (int i = 0; i < cells; ++i) v[cells - 1 - i] -= 3;
  return sum + v[10];
}

TEST(ThreadSanitizer, AcceptsWhatJoinsAndBarriersOrder) { EXPECT_EQ(ordered_accesses(), 2 * 3.0 + 10.0); }

#if defined(__SANITIZE_THREAD__)
void race() {
  int counter = 0;
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 100000; ++i) ++counter;
  testing::Message() << counter;
}

TEST(ThreadSanitizer, FindsARaceInAParallelRegion) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(race(), "data race");
}
#endif

}  // namespace
