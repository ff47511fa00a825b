// SPDX-License-Identifier: Apache-2.0
// ranks: 2 3
// The wait curve: the wait for a delayed message is long without computation, and short with it. The rate of
// memory in place.
#include "model/probe/wait_curve.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "engine/base/error.hpp"
#include "model/probe/copy_rate.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc {
namespace {

TEST(WaitCurve, WorkHidesADelay) {
  constexpr double delay = 30e-3;
  Context context(MPI_COMM_WORLD, {.transport = TransportPolicy::delayed, .delay = delay});
  const auto points = model::wait_curve(context, {.bytes = {64, 65536}, .cover = 2, .repeats = 3});
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].bytes, 64);
  EXPECT_EQ(points[1].bytes, 65536);
  for (const model::WaitPoint& point : points) {
    EXPECT_GE(point.alone, delay);
    EXPECT_LT(point.poked, delay / 2);
    EXPECT_GT(point.progress, 0);
  }
  context.close();
}

TEST(InPlaceRate, LeavesTheValues) {
  std::vector<std::byte> array(100'003);  // no multiple of a thread's buffer
  for (std::size_t n = 0; n < array.size(); ++n) array[n] = static_cast<std::byte>(n * n % 251);
  const std::vector<std::byte> before = array;
  for (const int threads : {1, 2, 3})
    EXPECT_GT(model::in_place_rate(threads, array.data(), array.size() - 1), 1e6);
  EXPECT_EQ(array, before);
}

TEST(WaitCurve, RefusesWhatItCannotMeasure) {
  Context context(MPI_COMM_WORLD);
  EXPECT_THROW(model::wait_curve(context, {.bytes = {12}}), Error);
  EXPECT_THROW(model::wait_curve(context, {.bytes = {0}}), Error);
  EXPECT_THROW(model::wait_curve(context, {.bytes = {64}, .cover = 0.5}), Error);
  EXPECT_THROW(model::wait_curve(context, {.bytes = {64}, .repeats = 0}), Error);
  context.close();
}

}  // namespace
}  // namespace sc
