// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 4
// threads: 2
// timeout: 600
// optimise: no
// The compressible solver: a uniform flow, a vortex, what is conserved, what is damped, the incompressible
// solver at a low Mach number, a pressure that is not positive, options that are refused.
#include <gtest/gtest.h>

#include <cmath>

#include "solvers/compressible/start.hpp"
#include "solvers/turbulence/solver.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/gas.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/refusal.hpp"

namespace sc::test {
namespace {

/// Of the cells of this rank, against the exact state: the solver's own error() is all ranks' mean of it.
double error_of(compressible::Compressible& flow) {
  const compressible::Start start(flow.options());
  const Grid& grid = flow.grid();
  double error = 0;
  each_cell(grid.own(), [&](Int3 c) {
    std::array<double, 3> x{};
    for (int a = 0; a < 3; ++a) x[std::size_t(a)] = 2 * M_PI / grid.cells()[a] * (grid.origin() + c)[a];
    const compressible::PointState exact = start.at(x[0], x[1], x[2], flow.clock().time);
    error += std::abs(state_at(flow, c, compressible::rho_) - exact.rho);
    for (int i = 0; i < 3; ++i)
      error += std::abs(state_at(flow, c, compressible::u_ + i) - exact.u[std::size_t(i)]);
  });
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  error /= double(Box{{0, 0, 0}, grid.cells()}.cells());
  EXPECT_NEAR(flow.error() * flow.options().flow.amplitude, error, 1e-12 * error);
  return error;
}

TEST(Compressible, LeavesAUniformFlowAsItIs) {
  TestContext context({.threads = 2});
  for (const double viscosity : {0.0, 0.01}) {
    CompressibleOptions o = box({16, 16, 32}, Initial::uniform, 0.7);
    o.gas.viscosity = viscosity;
    o.filter = 0.45;
    Compressible flow(context, o);
    const std::vector<double> before = conserved(flow);
    for (int n = 0; n < 3; ++n) flow.step();
    EXPECT_EQ(conserved(flow), before);
  }
}

TEST(Compressible, CarriesAVortex) {
  TestContext context({.threads = 2});
  const auto error = [&](int n) {
    CompressibleOptions o = box({n, n, 8 * context.size()}, Initial::vortex, 0.5);
    o.flow.amplitude = 0.5;
    o.dt = 0.01;
    Compressible flow(context, o);
    for (int step = 0; step < 20; ++step) flow.step();
    return error_of(flow);
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
    Compressible flow(context, o);
    const Measures before = flow.measure();
    for (int n = 0; n < 5; ++n) flow.step();
    const Measures after = flow.measure();
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
  Compressible flow(context, o);
  for (int n = 0; n < 20; ++n) flow.step();  // so that density and temperature vary
  const double before = flow.measure().kinetic;
  flow.step();
  const double work = flow.measure().pressure_work;
  flow.step();
  const double after = flow.measure().kinetic;
  EXPECT_GT(std::abs(work), 1e-5);
  EXPECT_NEAR((after - before) / (2 * o.dt), work, 1e-7);
}

/// What is measured as friction is what the kinetic energy loses beside the work of the pressure, in a flow
/// that the grid hardly resolves too; the dissipation by slopes misses a part there.
TEST(Compressible, CountsWhatFrictionTakes) {
  TestContext context({.threads = 2});
  CompressibleOptions o = box({16, 24, 33}, Initial::random, 0.4);
  o.flow.peak = 4;
  o.flow.dilatational = 0.2;
  o.gas.viscosity = 0.02;
  o.dt = 1e-4;
  Compressible flow(context, o);
  const auto rate = [](const Measures& m) { return m.pressure_work - m.friction; };
  const Measures before = flow.measure();
  flow.step();
  const Measures after = flow.measure();
  const double gained = (after.kinetic - before.kinetic) / o.dt;
  EXPECT_NEAR(gained, (rate(before) + rate(after)) / 2, 1e-6 * after.friction);
  EXPECT_GT(after.friction, 1.005 * (after.solenoidal + after.dilatational));
}

/// What the filter takes of the kinetic energy: the difference of a step with it and one without.
TEST(Compressible, CountsWhatTheFilterTakes) {
  TestContext context({.threads = 2});
  const auto after_a_step = [&](double filter) {
    CompressibleOptions o = box({16, 24, 33}, Initial::random, 0.4);
    o.flow.peak = 4;
    o.filter = filter;
    o.dt = 1e-3;
    Compressible flow(context, o);
    EXPECT_EQ(flow.measure().filtered, 0);  // before the first step
    flow.step();
    return flow.measure();
  };
  const Measures with = after_a_step(0.4), without = after_a_step(0);
  EXPECT_EQ(without.filtered, 0);
  EXPECT_GT(with.filtered, 1);
  EXPECT_NEAR(with.filtered, (without.kinetic - with.kinetic) / 1e-3, 1e-11);
}

/// Runge and Kutta's method bears less diffusion beside as much convection as it bears alone.
TEST(Compressible, StaysStableWhereConvectionAndDiffusionLimitTheStep) {
  TestContext context;
  CompressibleOptions o = box({16, 16, 32}, Initial::random, 0.5);
  o.flow.peak = 3;
  o.gas.viscosity = 0.1;  // spacing * speed of sound / viscosity is 8
  o.courant = 1.2;
  Compressible flow(context, o);
  const double before = flow.measure().kinetic;
  for (int n = 0; n < 200; ++n) flow.step();
  EXPECT_LT(flow.measure().kinetic, before);
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

/// The root of the mean u_i^2, and of the mean p'^2 over (rho c)^2, over all cells.
std::array<double, 2> amplitudes(compressible::Compressible& flow, int velocity) {
  const double p0 = compressible::Start(flow.options()).pressure(), c = 1 / flow.options().flow.mach;
  std::array<double, 2> mine{}, sums{};
  each_cell(flow.grid().own(), [&](Int3 cell) {
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
    Compressible flow(context, o);
    for (int step = 0; step < 100; ++step) flow.step();
    return amplitudes(flow, velocity);
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
  Compressible flow(context, o);
  while (flow.clock().time < 0.5 - 1e-9) flow.step();
  turbulence::Turbulence other(context, {.points = {32, 32, 32}, .viscosity = 0.02, .dt = 0.01});
  other.start_taylor_green();
  while (other.time() < 0.5 - 1e-9) other.step();
  const Measures mine = flow.measure();
  const turbulence::Measures theirs = other.measure();
  EXPECT_NEAR(mine.kinetic, theirs.energy, 2e-3 * theirs.energy);
  EXPECT_NEAR(mine.enstrophy, theirs.enstrophy, 5e-3 * theirs.enstrophy);
}

TEST(Compressible, StopsWhereThePressureIsNotPositive) {
  TestContext context;
  CompressibleOptions o = box({16, 16, 32}, Initial::random, 0.9);
  o.dt = 1;
  Compressible flow(context, o);
  const auto steps = [&] {
    for (int n = 0; n < 50; ++n) flow.step();
  };
  const std::string text = refusal(steps, Exit::diverged);
  EXPECT_NE(text.find(" after step "), std::string::npos) << text;
  EXPECT_NE(text.find(" at cell ["), std::string::npos) << text;
}

TEST(Compressible, NamesTheOptionThatCannotBe) {
  const auto said = [](auto&& change) {
    CompressibleOptions o = box({16, 24, 32}, Initial::random, 0.1);
    change(o);
    return refusal([&] { compressible::check(o); });
  };
  using Options = CompressibleOptions;
  const double infinite = HUGE_VAL;
  EXPECT_EQ(said([](Options&) {}), "accepted");
  EXPECT_EQ(said([](Options& o) { o.cells[2] = 7; }),
            "grid.points is [16, 24, 7]; every axis needs at least 8");
  EXPECT_EQ(said([](Options& o) { o.gas.gamma = 1; }), "gas.gamma is 1; it must be greater than 1");
  EXPECT_EQ(said([](Options& o) { o.gas.viscosity = -1e-9; }),
            "gas.viscosity is -1e-09; it must be finite and not negative");
  EXPECT_EQ(said([&](Options& o) { o.forcing.power = infinite; }),
            "forcing.power is inf; it must be finite and not negative");
  EXPECT_EQ(said([](Options& o) { o.dt = -0.1; }), "run.dt is -0.1; it must be finite and not negative");
  EXPECT_EQ(said([](Options& o) { o.filter = 0.5; }),
            "scheme.filter is 0.5; it must be at least 0 and below 0.5");
  EXPECT_EQ(said([](Options& o) { o.flow.dilatational = NAN; }),
            "flow.dilatational is nan; it must be from 0 to 1");
  EXPECT_EQ(said([](Options& o) { o.forcing.dilatational = 2; }),
            "forcing.dilatational is 2; it must be from 0 to 1");
  EXPECT_EQ(said([](Options& o) { o.forcing.kmax = 4; }),
            "forcing.kmax is 4; it must be above 1 and at most 3");
  EXPECT_EQ(said([](Options& o) { o.flow.peak = 4.5; }),
            "flow.peak is 4.5; it must be from 0.5 to a quarter of the fewest grid.points, 4");
  EXPECT_EQ(said([](Options& o) { o.flow.peak = 0; }),
            "flow.peak is 0; it must be from 0.5 to a quarter of the fewest grid.points, 4");
  EXPECT_EQ(said([](Options& o) {
              o.flow.initial = Initial::acoustic;
              o.flow.amplitude = 0;
            }),
            "flow.amplitude is 0; it must be positive");
}

}  // namespace
}  // namespace sc::test
