// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 4
// threads: 2
// timeout: 300
// Forcing of the compressible solver: what a box gains of it, and its two parts.
#include <gtest/gtest.h>

#include "tests/mpi/gas.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

/// A steady power: what the box gains in all, or nothing where it is cooled; no momentum comes in.
TEST(CompressibleForcing, IsFedWithTheAskedPower) {
  TestContext context({.threads = 2});
  for (const bool cooling : {false, true}) {
    CompressibleOptions o = box({16, 24, 33}, Initial::random, 0.4);
    o.flow.peak = 3;
    o.gas.viscosity = 0.02;
    o.forcing = {.power = 0.5, .dilatational = 0.25, .cooling = cooling};
    Compressible flow(context, o);
    const Measures before = flow.measure();
    for (int n = 0; n < 10; ++n) flow.step();
    const Measures after = flow.measure();
    // At the start nothing is dilatational, and that share is fed as if it had a hundredth of the energy.
    const double gain = (after.energy - before.energy) / flow.clock().time;
    if (cooling)
      EXPECT_NEAR(gain, 0, 1e-13 * before.energy);
    else
      EXPECT_TRUE(gain > 0.37 && gain < 0.5) << gain;
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(after.momentum[i], 0, 1e-15);
    EXPECT_NEAR(after.mass, before.mass, 1e-14);
  }
}

/// The uniform acceleration that keeps the momentum acts on the mean density, whatever it is.
TEST(CompressibleForcing, BringsNoMomentumIntoADenserGas) {
  TestContext context({.threads = 2});
  CompressibleOptions o = box({16, 24, 32}, Initial::random, 0.4);
  o.flow.peak = 3;
  o.forcing = {.power = 0.5, .dilatational = 0.5};
  Compressible flow(context, o);
  for (int n = 0; n < 5; ++n) flow.step();  // so that the density varies
  auto& q = dynamic_cast<Field<double, 5>&>(flow.conserved());
  const Int3 origin = q.grid().origin();
  q.fill([&](int k, int x, int y, int z) { return 3 * q.get(Int3{x, y, z} - origin, k); });
  flow.restored();
  const Measures before = flow.measure();
  EXPECT_NEAR(before.mass, 3, 1e-13);
  for (int n = 0; n < 5; ++n) flow.step();
  const Measures after = flow.measure();
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(after.momentum[i], before.momentum[i], 1e-14);
}

/// Of a start with both parts: each of the forced modes' two energies gains its share, beside a run without.
TEST(CompressibleForcing, FeedsBothPartsOfTheVelocity) {
  TestContext context({.threads = 2});
  const auto energies = [&](double power, double share) {
    CompressibleOptions o = box({16, 24, 32}, Initial::random, 0.3);
    o.flow.peak = 2;
    o.flow.dilatational = 0.3;
    o.dt = 1e-4;
    o.forcing = {.power = power, .dilatational = share};
    Compressible flow(context, o);
    flow.step();
    const compressible::Spectrum s = flow.spectrum();
    std::array<double, 2> all{};
    for (std::size_t k = 0; k < s.solenoidal.size(); ++k) {
      all[0] += s.solenoidal[k];
      all[1] += s.dilatational[k];
    }
    return all;
  };
  const auto free = energies(0, 0);
  EXPECT_NEAR(free[1], 0.15, 1e-3);
  for (const double share : {0.0, 0.4, 1.0}) {
    const auto fed = energies(2, share);
    EXPECT_NEAR((fed[0] - free[0]) / 1e-4, 2 * (1 - share), 5e-3) << share;
    EXPECT_NEAR((fed[1] - free[1]) / 1e-4, 2 * share, 5e-3) << share;
  }
}

}  // namespace
}  // namespace sc::test
