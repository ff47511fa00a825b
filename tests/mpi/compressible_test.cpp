// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 4
// threads: 2
// timeout: 600
// The compressible solver against a vortex, its conservation, the incompressible solver at a
// low Mach number; the bits of one rank for every split and strategy.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "engine/move/gather.hpp"
#include "solvers/compressible/solver.hpp"
#include "solvers/turbulence/solver.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

using compressible::CompressibleOptions;
using compressible::Initial;
using compressible::make_compressible;
using compressible::Measures;
using compressible::PointState;
using compressible::Start;

std::vector<double> conserved(compressible::Compressible& flow) {
  Storage& storage = flow.conserved().storage(0);
  storage.settle();
  const std::vector<std::byte> bytes = gather(storage);
  std::vector<double> values(bytes.size() / sizeof(double));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// Component k of a field of doubles.
template <int N>
double at(AnyField& field, Int3 cell, int k) {
  return dynamic_cast<Field<double, N>&>(field).get(cell, k);
}
double state_at(compressible::Compressible& flow, Int3 cell, int k) {
  return at<compressible::state_size>(flow.state(), cell, k);
}

/// Of the cells of this rank, against the exact state: the solver's own error() is all ranks' mean of it.
double error_of(compressible::Compressible& flow) {
  const Start start(flow.options());
  const Grid& grid = flow.grid();
  double error = 0;
  for_cells(grid.own(), [&](Int3 c) {
    std::array<double, 3> x{};
    for (int a = 0; a < 3; ++a) x[std::size_t(a)] = 2 * M_PI / grid.cells()[a] * (grid.origin() + c)[a];
    const PointState exact = start.at(x[0], x[1], x[2], flow.clock().time);
    error += std::abs(state_at(flow, c, compressible::rho_) - exact.rho);
    for (int i = 0; i < 3; ++i)
      error += std::abs(state_at(flow, c, compressible::u_ + i) - exact.u[std::size_t(i)]);
  });
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  error /= double(Box{{0, 0, 0}, grid.cells()}.cells());
  EXPECT_NEAR(flow.error() * flow.options().flow.amplitude, error, 1e-12 * error);
  return error;
}

CompressibleOptions box(Int3 cells, Initial initial, double mach) {
  CompressibleOptions o;
  o.cells = cells;
  o.flow.initial = initial;
  o.flow.mach = mach;
  return o;
}

TEST(Compressible, LeavesAUniformFlowAsItIs) {
  TestContext context({.threads = 2});
  for (const double viscosity : {0.0, 0.01}) {
    CompressibleOptions o = box({16, 16, 32}, Initial::uniform, 0.7);
    o.gas.viscosity = viscosity;
    o.filter = 0.45;
    const auto flow = make_compressible(context, o);
    const std::vector<double> before = conserved(*flow);
    for (int n = 0; n < 3; ++n) flow->step();
    EXPECT_EQ(conserved(*flow), before);
  }
}

TEST(Compressible, CarriesAVortex) {
  TestContext context({.threads = 2});
  const auto error = [&](int n) {
    CompressibleOptions o = box({n, n, 8 * context.size()}, Initial::vortex, 0.5);
    o.flow.amplitude = 0.5;
    o.dt = 0.01;
    const auto flow = make_compressible(context, o);
    for (int step = 0; step < 20; ++step) flow->step();
    return error_of(*flow);
  };
  const double coarse = error(32), fine = error(48);
  EXPECT_LT(fine, 1e-5);
  EXPECT_GT(std::log(coarse / fine) / std::log(1.5), 5) << coarse << " " << fine;
}

TEST(Compressible, KeepsMassMomentumAndEnergy) {
  TestContext context({.threads = 2});
  for (const double viscosity : {0.0, 0.02}) {
    CompressibleOptions o = box({16, 24, 32}, Initial::random, 0.4);
    o.flow.peak = 3;
    o.gas.viscosity = viscosity;
    const auto flow = make_compressible(context, o);
    const Measures before = flow->measure();
    for (int n = 0; n < 5; ++n) flow->step();
    const Measures after = flow->measure();
    EXPECT_NEAR(after.mass, before.mass, 1e-14);
    EXPECT_NEAR(after.energy, before.energy, 1e-14 * before.energy);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(after.momentum[i], before.momentum[i], 1e-15);
    EXPECT_GT(std::abs(after.kinetic - before.kinetic), 1e-8);  // something has happened
  }
}

/// dK/dt is the work of the pressure and nothing else, however badly the flow is resolved: convection neither
/// makes nor takes kinetic energy.
TEST(Compressible, ConvectionKeepsKineticEnergy) {
  TestContext context;
  CompressibleOptions o = box({16, 16, 32}, Initial::random, 0.1);
  o.flow.peak = 4;  // modes up to the shortest wave
  o.dt = 1e-5;
  const auto flow = make_compressible(context, o);
  for (int n = 0; n < 20; ++n) flow->step();  // so that density and temperature vary
  const double before = flow->measure().kinetic;
  flow->step();
  const double work = flow->measure().pressure_work;
  flow->step();
  const double after = flow->measure().kinetic;
  EXPECT_GT(std::abs(work), 1e-5);
  EXPECT_NEAR((after - before) / (2 * o.dt), work, 1e-7);
}

TEST(Compressible, HasTwoLawsOfViscosity) {
  compressible::Gas gas{.viscosity = 0.3, .per_T0 = 1 / 5.0, .exponent = 0.7, .sutherland = 0.4};
  EXPECT_DOUBLE_EQ(gas.mu(5), 0.3);
  // t^n as vectors (power.hpp) beside the library's
  for (double T = 1e-3; T < 1e4; T *= 1.37) {
    const double exact = 0.3 * std::pow(T / 5, 0.7);
    ASSERT_NEAR(gas.mu(T), exact, 1e-14 * exact) << T;
  }
  EXPECT_TRUE(std::isnan(gas.mu(0)) && std::isnan(gas.mu(-1)) && std::isnan(gas.mu(std::nan(""))));
  gas.law = compressible::ViscosityLaw::sutherland;
  EXPECT_DOUBLE_EQ(gas.mu(5), 0.3);
  EXPECT_DOUBLE_EQ(gas.mu(10), 0.3 * std::pow(2, 1.5) * 1.4 / 2.4);
}

/// Taylor and Green's vortex at its start.
TEST(Compressible, ShowsVorticityAndDilatation) {
  TestContext context;
  const auto flow = make_compressible(context, box({32, 32, 32}, Initial::taylor_green, 0.1));
  const compressible::ShownFields shown = flow->show();
  for_cells(flow->grid().own(), [&](Int3 c) {
    const auto place = [&](int a) { return 2 * M_PI / 32 * (flow->grid().origin() + c)[a]; };
    const double x = place(0), y = place(1), z = place(2);
    ASSERT_NEAR(at<3>(shown.velocity, c, 1), -std::cos(x) * std::sin(y) * std::cos(z), 1e-14);
    ASSERT_NEAR(at<3>(shown.vorticity, c, 0), -std::cos(x) * std::sin(y) * std::sin(z), 1e-9);
    ASSERT_NEAR(at<3>(shown.vorticity, c, 1), -std::sin(x) * std::cos(y) * std::sin(z), 1e-9);
    ASSERT_NEAR(at<3>(shown.vorticity, c, 2), 2 * std::sin(x) * std::sin(y) * std::cos(z), 1e-9);
    ASSERT_NEAR(at<1>(shown.dilatation, c, 0), 0, 1e-9);
    ASSERT_NEAR(at<1>(shown.pressure, c, 0), at<1>(shown.density, c, 0) / (1.4 * 0.01), 1e-10);
  });
}

/// The root of the mean u_i^2, and of the mean p'^2 over (rho c)^2, over all cells.
std::array<double, 2> amplitudes(compressible::Compressible& flow, int velocity) {
  const double p0 = Start(flow.options()).pressure(), c = 1 / flow.options().flow.mach;
  std::array<double, 2> mine{}, sums{};
  for_cells(flow.grid().own(), [&](Int3 cell) {
    const auto s = [&](int k) { return state_at(flow, cell, k); };
    mine[0] += std::pow(s(velocity), 2);
    mine[1] += std::pow((s(compressible::rho_) * s(compressible::T_) - p0) / c, 2);
  });
  MPI_Allreduce(mine.data(), sums.data(), 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const Int3 n = flow.grid().cells();
  for (double& sum : sums) sum = std::sqrt(sum / (double(n.x) * n.y * n.z));
  return sums;
}

/// A wave of shear decays as exp(-nu t), sound as exp(-nu/2 (4/3 + (gamma - 1)/Pr) t): friction, its cross
/// terms and the flow of heat.
TEST(Compressible, DampsWavesAsTheyShouldBe) {
  TestContext context;
  const double nu = 0.02, t = 0.5, size = 1e-5;
  const auto after = [&](Initial initial, int velocity) {
    CompressibleOptions o = box({16, 8, 8 * context.size()}, initial, 0.5);
    o.flow.amplitude = size;
    o.gas.viscosity = nu;
    o.dt = 5e-3;
    const auto flow = make_compressible(context, o);
    for (int step = 0; step < 100; ++step) flow->step();
    return amplitudes(*flow, velocity);
  };
  const auto shear = after(Initial::vorticity, compressible::v_);
  EXPECT_NEAR(std::sqrt(2) * shear[0] / size, std::exp(-nu * t), 1e-6);
  // Of u and p together: what the start lacks of a damped wave runs the other way, and beats with it in each.
  const auto sound = after(Initial::acoustic, compressible::u_);
  const double rate = nu / 2 * (4.0 / 3 + 0.4 / 0.7);
  EXPECT_NEAR(std::hypot(sound[0], sound[1]) / (2 * size), std::exp(-rate * t), 2e-4);
}

TEST(Compressible, IsIncompressibleAtALowMachNumber) {
  TestContext context({.threads = 2});
  CompressibleOptions o = box({32, 32, 32}, Initial::taylor_green, 0.05);
  o.gas.viscosity = 0.02;
  o.end = 0.5;
  const auto flow = make_compressible(context, o);
  while (flow->clock().time < 0.5 - 1e-9) flow->step();
  const auto other =
      turbulence::make_turbulence(context, {.points = {32, 32, 32}, .viscosity = 0.02, .dt = 0.01});
  other->start_taylor_green();
  while (other->time() < 0.5 - 1e-9) other->step();
  const Measures mine = flow->measure();
  const turbulence::Measures theirs = other->measure();
  EXPECT_NEAR(mine.kinetic, theirs.energy, 2e-3 * theirs.energy);
  EXPECT_NEAR(mine.enstrophy, theirs.enstrophy, 5e-3 * theirs.enstrophy);
}

/// Spectra hold what the cells hold, the part along k by its own transform, and both the same for any split.
TEST(Compressible, HasSpectraOfItsTwoParts) {
  TestContext context({.threads = 2});
  CompressibleOptions o = box({16, 24, 32}, Initial::random, 0.3);
  o.flow.peak = 3;
  const auto flow = make_compressible(context, o);
  compressible::Spectrum start = flow->spectrum();
  double across = 0, along = 0;
  for (const double e : start.solenoidal) across += e;
  for (const double e : start.dilatational) along += e;
  EXPECT_NEAR(across, 0.5, 1e-12);  // E(k) ~ k^4 exp(-2 (k / peak)^2) of a flow without divergence
  EXPECT_LT(along, 1e-28);
  EXPECT_GT(start.solenoidal[3], start.solenoidal[1]);
  for (int n = 0; n < 10; ++n) flow->step();
  const compressible::Spectrum later = flow->spectrum();
  across = along = 0;
  for (const double e : later.solenoidal) across += e;
  for (const double e : later.dilatational) along += e;
  double square = 0;
  for_cells(flow->grid().own(), [&](Int3 c) {
    for (int i = 0; i < 3; ++i) square += 0.5 * std::pow(state_at(*flow, c, compressible::u_ + i), 2);
  });
  MPI_Allreduce(MPI_IN_PLACE, &square, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_NEAR(across + along, square / double(16 * 24 * 32), 1e-13);
  EXPECT_GT(along, 1e-6);
  Context one(MPI_COMM_SELF);
  CompressibleOptions whole = o;
  whole.split = {1, 1, 1};
  const auto other = make_compressible(one, whole);
  for (int n = 0; n < 10; ++n) other->step();
  const compressible::Spectrum same = other->spectrum();
  EXPECT_EQ(same.solenoidal, later.solenoidal);
  EXPECT_EQ(same.dilatational, later.dilatational);
  one.close();
}

/// A sound wave along x is dilatational, a wave of vorticity solenoidal.
TEST(Compressible, TellsTheTwoPartsApart) {
  TestContext context;
  for (const Initial initial : {Initial::acoustic, Initial::vorticity}) {
    CompressibleOptions o = box({16, 8, 8 * context.size()}, initial, 0.5);
    o.flow.amplitude = 0.01;
    const compressible::Spectrum spectrum = make_compressible(context, o)->spectrum();
    const bool sound = initial == Initial::acoustic;
    const double size = sound ? 0.02 : 0.01;  // of the velocity: amplitude c, or amplitude
    EXPECT_NEAR((sound ? spectrum.dilatational : spectrum.solenoidal)[1], size * size / 4, 1e-15);
    EXPECT_LT((sound ? spectrum.solenoidal : spectrum.dilatational)[1], 1e-30);
  }
}

/// A steady power: what the box gains in all, or nothing where it is cooled; no momentum comes in.
TEST(Compressible, IsFedWithTheAskedPower) {
  TestContext context({.threads = 2});
  for (const bool cooling : {false, true}) {
    CompressibleOptions o = box({16, 24, 33}, Initial::random, 0.4);
    o.flow.peak = 3;
    o.gas.viscosity = 0.02;
    o.forcing = {.power = 0.5, .dilatational = 0.25, .cooling = cooling};
    const auto flow = make_compressible(context, o);
    const Measures before = flow->measure();
    for (int n = 0; n < 10; ++n) flow->step();
    const Measures after = flow->measure();
    // At the start nothing is dilatational, and that share is fed as if it had a hundredth of the energy.
    const double gain = (after.energy - before.energy) / flow->clock().time;
    if (cooling)
      EXPECT_NEAR(gain, 0, 1e-13 * before.energy);
    else
      EXPECT_TRUE(gain > 0.37 && gain < 0.5) << gain;
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(after.momentum[i], 0, 1e-15);
    EXPECT_NEAR(after.mass, before.mass, 1e-14);
  }
}

/// Of a start with both parts: each of the forced modes' two energies gains its share, beside a run without.
TEST(Compressible, FeedsBothPartsOfTheVelocity) {
  TestContext context({.threads = 2});
  const auto energies = [&](double power, double share) {
    CompressibleOptions o = box({16, 24, 32}, Initial::random, 0.3);
    o.flow.peak = 2;
    o.flow.dilatational = 0.3;
    o.dt = 1e-4;
    o.forcing = {.power = power, .dilatational = share};
    const auto flow = make_compressible(context, o);
    flow->step();
    const compressible::Spectrum s = flow->spectrum();
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

/// Fields in single precision: the same flow to their rounding, and their own bits for any split.
TEST(Compressible, RunsInSinglePrecision) {
  TestContext context({.threads = 2});
  CompressibleOptions o = box({16, 24, 32}, Initial::random, 0.4);
  o.flow.peak = 2;
  o.gas.viscosity = 0.01;
  o.filter = 0.45;
  o.dt = 0.01;
  const auto two = make_compressible(context, o);
  o.single = true;
  const auto one = make_compressible(context, o);
  for (int n = 0; n < 20; ++n) {
    two->step();
    one->step();
  }
  const Measures mine = one->measure(), theirs = two->measure();
  EXPECT_NEAR(mine.kinetic, theirs.kinetic, 1e-5 * theirs.kinetic);
  EXPECT_NEAR(mine.enstrophy, theirs.enstrophy, 1e-5 * theirs.enstrophy);
  EXPECT_NEAR(mine.dilatation, theirs.dilatation, 1e-3 * theirs.dilatation);
  EXPECT_NE(mine.kinetic, theirs.kinetic);
  Context self(MPI_COMM_SELF);
  CompressibleOptions whole = o;
  whole.split = {1, 1, 1};
  const auto alone = make_compressible(self, whole);
  for (int n = 0; n < 20; ++n) alone->step();
  const Measures same = alone->measure();
  EXPECT_EQ(same.kinetic, mine.kinetic);
  EXPECT_EQ(same.largest_dilatation, mine.largest_dilatation);
  self.close();
}

TEST(Compressible, StopsWhereThePressureIsNotPositive) {
  TestContext context;
  CompressibleOptions o = box({16, 16, 32}, Initial::random, 0.9);
  o.dt = 1;
  const auto flow = make_compressible(context, o);
  try {
    for (int n = 0; n < 50; ++n) flow->step();
    FAIL() << "went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Exit::diverged);
    const std::string text = error.what();
    EXPECT_NE(text.find(" after step "), std::string::npos) << text;
    EXPECT_NE(text.find(" at cell ["), std::string::npos) << text;
  }
}

TEST(Compressible, LeavesTheSameBits) {
  const Int3 cells{16, 40, 33};
  const auto run = [&](Context& context, Int3 split, const Strategy& strategy) {
    CompressibleOptions o = box(cells, Initial::random, 0.5);
    o.flow.peak = 2;
    o.gas.viscosity = 0.01;
    o.filter = 0.49;
    o.forcing = {.power = 0.3, .dilatational = 0.3};
    o.split = split;
    o.engine = {.strategy = strategy, .poke_seconds = 1e-6};
    const auto flow = make_compressible(context, o);
    for (int n = 0; n < 2; ++n) flow->step();
    return conserved(*flow);
  };
  Context one(MPI_COMM_SELF);
  const std::vector<double> expected = run(one, {1, 1, 1}, Strategy::blocking);
  one.close();
  TestContext context({.threads = 2});
  for (const Int3 split : splits(context.size())) {
    if (split.x > 2) continue;
    for (const Strategy* strategy : {&Strategy::boundary_first, &Strategy::interior_first}) {
      const auto got = run(context, split, *strategy);
      if (context.rank() == 0) {
        EXPECT_EQ(got, expected) << to_string(split) << strategy->name;
      }
    }
  }
}

}  // namespace
}  // namespace sc::test
