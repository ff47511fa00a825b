// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4 8
// label: sanitize
// Non-blocking reductions of order-independent accumulators.
#include "engine/move/reduction.hpp"
#include "engine/exec/ordered_key.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

namespace sc {
namespace {

TEST(Reduction, LargestKeysAndSums) {
  Context context;
  {
    Reduction reduction(context);
    EXPECT_TRUE(reduction.test());
    const std::int64_t n = context.size();
    const std::int64_t r = context.rank();
    for (int round = 0; round < 20; ++round) {
      std::array<std::int64_t, 3> keys{max_key(double(r) - round), min_key(double(r) + round), max_key(-0.5)};
      std::array<std::int64_t, 2> sums{r + 1, (std::int64_t{1} << 60) / n * (r % 2 ? -1 : 1)};
      const std::int64_t second = sums[1];
      reduction.start(keys, sums);
      keys.fill(7);  // the caller's memory may be reused immediately
      sums.fill(7);
      while (!reduction.test()) std::this_thread::yield();
      reduction.wait();
      EXPECT_EQ(max_value(reduction.max_keys()[0]), double(n - 1) - round);
      EXPECT_EQ(min_value(reduction.max_keys()[1]), round);
      EXPECT_EQ(max_value(reduction.max_keys()[2]), -0.5);
      EXPECT_EQ(reduction.sums()[0], n * (n + 1) / 2);
      EXPECT_EQ(reduction.sums()[1], n % 2 ? std::abs(second) : 0);
    }
  }
  context.close();
}

TEST(Reduction, OneKindOnlyAndSizesThatChange) {
  Context context;
  {
    Reduction reduction(context);
    const std::vector<std::int64_t> ones(5000, 1);
    reduction.start({}, ones);
    reduction.wait();
    ASSERT_EQ(reduction.sums().size(), ones.size());
    EXPECT_EQ(reduction.sums().back(), context.size());
    EXPECT_TRUE(reduction.max_keys().empty());
    const std::int64_t key = max_key(context.rank());
    reduction.start({&key, 1}, {});
    reduction.wait();
    EXPECT_EQ(max_value(reduction.max_keys()[0]), context.size() - 1);
    EXPECT_TRUE(reduction.sums().empty());
    reduction.start({}, {});
    EXPECT_TRUE(reduction.test());
  }
  context.close();
}

TEST(Reduction, OneNanIsSeenByAll) {
  Context context;
  {
    Reduction reduction(context);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const bool bad = context.rank() == context.size() - 1;
    const double huge = std::numeric_limits<double>::infinity();
    const std::array<std::int64_t, 2> keys{max_key(bad ? -nan : huge), min_key(bad ? nan : -huge)};
    reduction.start(keys, {});
    reduction.wait();
    EXPECT_TRUE(std::isnan(max_value(reduction.max_keys()[0])));
    EXPECT_TRUE(std::isnan(min_value(reduction.max_keys()[1])));
  }
  context.close();
}

// Started, then left without calls while ranks work for different times.
TEST(Reduction, IsReadLate) {
  Context context;
  {
    Reduction reduction(context);
    const std::int64_t one = 1;
    for (int round = 0; round < 5; ++round) {
      reduction.start({}, {&one, 1});
      std::this_thread::sleep_for(std::chrono::milliseconds(3 * ((context.rank() + round) % 3)));
      reduction.wait();
      EXPECT_EQ(reduction.sums()[0], context.size());
    }
    reduction.start({}, {&one, 1});  // never read: its end is awaited
  }
  context.close();
}

}  // namespace
}  // namespace sc
