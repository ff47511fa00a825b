// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3
// threads: 2
// optimise: no
// A flow at other points: the same modes, as far as both grids have them.
#include <gtest/gtest.h>

#include <cmath>

#include "solvers/turbulence/resample.hpp"
#include "tests/mpi/flow_modes.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

using turbulence::Turbulence;
using turbulence::TurbulenceOptions;

constexpr Int3 few{12, 14, 10}, many{20, 16, 30};

TurbulenceOptions of(Int3 points, bool single = false) { return {.points = points, .single = single}; }

/// A flow on these points that has all of its modes.
void start(Turbulence& flow) { flow.start_random({.spectrum = {0, 3, 2, 1, 1, 1}, .seed = 5}); }

void copy(Turbulence& from, Turbulence& to) {
  AnyField& there = from.velocity();
  turbulence::resample(there, to.velocity_points());
  to.start_from_points();
}

/// Largest difference of `got` from `wanted`, of which a mode that is not there is zero, over the largest
/// wanted; on rank 0.
double difference(const Modes& got, const Modes& wanted) {
  double worst = 0, largest = 0;
  for (const auto& [k, u] : got)
    for (std::size_t d = 0; d < 3; ++d) {
      const auto other = wanted.find(k);
      const std::complex<double> w = other == wanted.end() ? 0 : other->second[d];
      worst = std::max(worst, std::abs(u[d] - w));
      largest = std::max(largest, std::abs(w));
    }
  return worst / largest;
}

template <class Real>
struct Resample : testing::Test {};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(Resample, Precisions);

// More points along every axis add no modes; fewer leave those that they resolve.
TYPED_TEST(Resample, KeepsTheModesOfBothGrids) {
  const bool single = std::is_same_v<TypeParam, float>;
  TestContext context({.threads = 2});
  for (const auto& [a, b] : {std::pair(few, many), std::pair(many, few)}) {
    Turbulence from(context, of(a, single)), to(context, of(b, single));
    start(from);
    const Modes wanted = modes_of(from, from.modes());
    copy(from, to);
    const Modes got = modes_of(to, to.modes());
    if (context.rank() != 0) continue;
    EXPECT_LT(difference(got, wanted), single ? 1e-6 : 1e-14);
    EXPECT_NE(got.size(), wanted.size());
  }
}

TYPED_TEST(Resample, HasTheBitsOfOneRank) {
  const bool single = std::is_same_v<TypeParam, float>;
  const auto run = [&](Context& context, std::array<int, 2> split) {
    TurbulenceOptions more = of(many, single);
    more.process_grid = split;
    Turbulence to(context, more);
    Field<TypeParam, 3> there(Grid(context, {.cells = few, .halo = 0, .split = to.grid().split()}),
                              "velocity");
    there.fill(
        [](int d, int x, int y, int z) { return TypeParam(std::sin(x + 2 * y * d) + std::cos(3 * z)); });
    turbulence::resample(there, to.velocity_points());
    return gather(to.velocity_points().storage(0));
  };
  const auto one = on_one_rank([&](Context& alone) { return run(alone, {1, 1}); });
  TestContext context({.threads = 2});
  for (const std::array<int, 2> split : {std::array{1, context.size()}, std::array{context.size(), 1}}) {
    const auto all = run(context, split);
    if (context.rank() == 0) {
      EXPECT_TRUE(all == one);
    }
  }
}

}  // namespace
}  // namespace sc::test
