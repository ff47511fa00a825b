// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4
// threads: 1
// timeout: 300
// The order of the compressible solver in space: exact waves on two grids, lines divided between ranks.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "solvers/compressible/solver.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

using compressible::Compressible;
using compressible::CompressibleOptions;
using compressible::Initial;

/// The mean error at time 0.25, in amplitudes. The step is so small that the error of the Runge-Kutta method,
/// omega^5 dt^4 / 120 a unit of time, is less than a thousandth of that of the finer grid in space.
double wave_error(Context& context, Initial initial, int n, double filter = 0) {
  CompressibleOptions o;
  o.cells = {n, 8, 8};
  o.split = {context.size() < 4 ? context.size() : 2, 1, 1};
  o.cells.z *= context.size() / o.split.x;
  o.split.z = context.size() / o.split.x;
  o.flow.initial = initial;
  o.flow.mach = 0.5;
  // Harmonics of a wave of amplitude a have a^(m - 1), and m^9 times the error of a derivative: at 0.1 the
  // fourth one would be the largest, on a quarter of the points.
  o.flow.amplitude = 1e-3;
  o.filter = filter;
  o.dt = 1e-3;
  Compressible flow(context, o);
  for (int step = 0; step < 250; ++step) flow.step();
  return flow.error();
}

double order(Context& context, Initial initial, double filter = 0) {
  const double coarse = wave_error(context, initial, 24, filter);
  const double fine = wave_error(context, initial, 36, filter);
  EXPECT_GT(fine, 1e-12) << "rounding";
  const double found = std::log(coarse / fine) / std::log(1.5);
  if (context.rank() == 0) {
    testing::Test::RecordProperty("order", std::to_string(found));
    std::printf("order %.3f, errors %.3g and %.3g\n", found, coarse, fine);
  }
  return found;
}

TEST(CompressibleOrder, OfEntropy) {
  TestContext context;
  EXPECT_GE(order(context, Initial::entropy), 7.8);
}
TEST(CompressibleOrder, OfVorticity) {
  TestContext context;
  EXPECT_GE(order(context, Initial::vorticity), 7.8);
}
TEST(CompressibleOrder, OfSound) {
  TestContext context;
  EXPECT_GE(order(context, Initial::acoustic), 7.8);
}
/// The filter is there, and of the same order.
TEST(CompressibleOrder, OfTheFilter) {
  TestContext context;
  EXPECT_GE(order(context, Initial::entropy, 0.3), 7.8);
  EXPECT_GT(wave_error(context, Initial::entropy, 24, 0.3), 3 * wave_error(context, Initial::entropy, 24));
}

}  // namespace
}  // namespace sc::test
