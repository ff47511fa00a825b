// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 4
// threads: 2
// timeout: 300
// What the compressible solver shows of a flow: vorticity and dilatation, spectra of its two parts.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/mpi/cells.hpp"
#include "tests/mpi/gas.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

/// Taylor and Green's vortex at its start.
TEST(CompressibleSpectra, ShowsVorticityAndDilatation) {
  TestContext context;
  Compressible flow(context, box({32, 32, 32}, Initial::taylor_green, 0.1));
  const compressible::Shown& shown = flow.show();
  each_cell(flow.grid().own(), [&](Int3 c) {
    const auto place = [&](int a) { return 2 * M_PI / 32 * (flow.grid().origin() + c)[a]; };
    const double x = place(0), y = place(1), z = place(2);
    ASSERT_NEAR(at<3>(shown.velocity, c, 1), -std::cos(x) * std::sin(y) * std::cos(z), 1e-14);
    ASSERT_NEAR(at<3>(shown.vorticity, c, 0), -std::cos(x) * std::sin(y) * std::sin(z), 1e-9);
    ASSERT_NEAR(at<3>(shown.vorticity, c, 1), -std::sin(x) * std::cos(y) * std::sin(z), 1e-9);
    ASSERT_NEAR(at<3>(shown.vorticity, c, 2), 2 * std::sin(x) * std::sin(y) * std::cos(z), 1e-9);
    ASSERT_NEAR(at<1>(shown.dilatation, c, 0), 0, 1e-9);
    ASSERT_NEAR(at<1>(shown.pressure, c, 0), at<1>(shown.density, c, 0) / (1.4 * 0.01), 1e-10);
  });
}

/// Spectra hold what the cells hold, the part along k by its own transform, and both the same for any split.
TEST(CompressibleSpectra, HasSpectraOfItsTwoParts) {
  TestContext context({.threads = 2});
  CompressibleOptions o = box({16, 24, 32}, Initial::random, 0.3);
  o.flow.peak = 3;
  Compressible flow(context, o);
  compressible::Spectrum start = flow.spectrum();
  double across = 0, along = 0;
  for (const double e : start.solenoidal) across += e;
  for (const double e : start.dilatational) along += e;
  EXPECT_NEAR(across, 0.5, 1e-12);  // E(k) ~ k^4 exp(-2 (k / peak)^2) of a flow without divergence
  EXPECT_LT(along, 1e-28);
  EXPECT_GT(start.solenoidal[3], start.solenoidal[1]);
  for (int n = 0; n < 10; ++n) flow.step();
  const compressible::Spectrum later = flow.spectrum();
  across = along = 0;
  for (const double e : later.solenoidal) across += e;
  for (const double e : later.dilatational) along += e;
  double square = 0;
  each_cell(flow.grid().own(), [&](Int3 c) {
    for (int i = 0; i < 3; ++i) square += 0.5 * std::pow(state_at(flow, c, compressible::u_ + i), 2);
  });
  MPI_Allreduce(MPI_IN_PLACE, &square, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_NEAR(across + along, square / double(16 * 24 * 32), 1e-13);
  EXPECT_GT(along, 1e-6);
  Context one(MPI_COMM_SELF);
  CompressibleOptions whole = o;
  whole.split = {1, 1, 1};
  Compressible other(one, whole);
  for (int n = 0; n < 10; ++n) other.step();
  const compressible::Spectrum same = other.spectrum();
  EXPECT_EQ(same.solenoidal, later.solenoidal);
  EXPECT_EQ(same.dilatational, later.dilatational);
  one.close();
}

/// A sound wave along x is dilatational, a wave of vorticity solenoidal.
TEST(CompressibleSpectra, TellsTheTwoPartsApart) {
  TestContext context;
  for (const Initial initial : {Initial::acoustic, Initial::vorticity}) {
    CompressibleOptions o = box({16, 8, 8 * context.size()}, initial, 0.5);
    o.flow.amplitude = 0.01;
    const compressible::Spectrum spectrum = Compressible(context, o).spectrum();
    const bool sound = initial == Initial::acoustic;
    const double size = sound ? 0.02 : 0.01;  // of the velocity: amplitude c, or amplitude
    EXPECT_NEAR((sound ? spectrum.dilatational : spectrum.solenoidal)[1], size * size / 4, 1e-15);
    EXPECT_LT((sound ? spectrum.solenoidal : spectrum.dilatational)[1], 1e-30);
  }
}

}  // namespace
}  // namespace sc::test
