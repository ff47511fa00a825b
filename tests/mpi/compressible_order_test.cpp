// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 4
// ranks when long: 3
// threads: 1
// timeout: 300
// The order of the compressible solver in space: exact waves on two grids, lines divided between ranks.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "tests/mpi/cells.hpp"
#include "tests/mpi/gas.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

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

/// The mean error of v of a wave of vorticity that a viscosity damps as exp(-mu t), in amplitudes. The wave
/// is so small that what its friction heats, of the second order in its amplitude, is below the error.
double damped_error(Context& context, int n) {
  CompressibleOptions o;
  o.cells = {n, 8, 8 * context.size()};
  o.split = {1, 1, context.size()};
  o.flow.initial = Initial::vorticity;
  o.flow.mach = 0.5;
  o.flow.amplitude = 1e-5;
  o.gas.viscosity = 0.3;
  o.gas.exponent = 0;
  o.dt = 1e-3;
  Compressible flow(context, o);
  for (int step = 0; step < 250; ++step) flow.step();
  double sum = 0, time = flow.clock().time;
  const double still = o.flow.amplitude * std::exp(-o.gas.viscosity * time);
  each_cell(flow.grid().own(), [&](Int3 c) {
    const double x = 2 * M_PI / n * (flow.grid().origin().x + c.x);
    sum += std::abs(state_at(flow, c, compressible::u_ + 1) - still * std::sin(x - time));
  });
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum / (double(n) * 64 * context.size()) / o.flow.amplitude;
}

double order_of(Context& context, double coarse, double fine) {
  EXPECT_GT(fine, 1e-12) << "rounding";
  const double found = std::log(coarse / fine) / std::log(1.5);
  if (context.rank() == 0) {
    testing::Test::RecordProperty("order", std::to_string(found));
    std::printf("order %.3f, errors %.3g and %.3g\n", found, coarse, fine);
  }
  return found;
}
double order(Context& context, Initial initial, double filter = 0) {
  return order_of(context, wave_error(context, initial, 24, filter),
                  wave_error(context, initial, 36, filter));
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
TEST(CompressibleOrder, OfFriction) {
  TestContext context;
  EXPECT_GE(order_of(context, damped_error(context, 16), damped_error(context, 24)), 7.8);
}
/// The filter is there, and of the same order.
TEST(CompressibleOrder, OfTheFilter) {
  TestContext context;
  EXPECT_GE(order(context, Initial::entropy, 0.3), 7.8);
  EXPECT_GT(wave_error(context, Initial::entropy, 24, 0.3), 3 * wave_error(context, Initial::entropy, 24));
}

}  // namespace
}  // namespace sc::test
