// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3
// threads: 2
// optimise: no
// label: checked
// The pseudo-spectral solver: exact flows, the energy balance, the order of the step, the nonlinear term
// against a convolution, and equal bits for any number of ranks.
#include "solvers/turbulence/solver.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/base/error.hpp"
#include "tests/mpi/flow_modes.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

using turbulence::Balance;
using turbulence::Measures;
using Mode = turbulence::Mode<double>;
using turbulence::Turbulence;
using Velocity = std::function<double(int, double, double, double)>;

/// Largest difference between the flow and `exact`, over all ranks.
template <class Real>
double distance(Context& context, Turbulence& flow, const Velocity& exact) {
  const Level<Real, 3> u{&flow.velocity(), 0};
  const Grid& grid = flow.grid();
  const Int3 n = grid.cells(), first = grid.origin();
  double worst = 0;
  for (int d = 0; d < 3; ++d)
    each_cell(grid.own(), [&](Int3 c) {
      const auto at = [&](int axis) { return 2 * M_PI * (first[axis] + c[axis]) / n[axis]; };
      worst = std::max(
          worst, std::abs(u.view()[d][At{grid.layout().offset(c), 0, 0}] - exact(d, at(0), at(1), at(2))));
    });
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, context.comm());
  return worst;
}

template <class Real>
struct TurbulenceIn : testing::Test {
  /// Tolerance for 20 steps, in units of the rounding error.
  static double digits(double count) { return count * std::numeric_limits<Real>::epsilon(); }
  static constexpr bool single = std::is_same_v<Real, float>;
};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(TurbulenceIn, Precisions);

// u = (0, sin 3x, cos 2x): u x curl u is a gradient, so each mode decays independently as exp(-nu k^2 t).
TYPED_TEST(TurbulenceIn, SingleModesDecayExactly) {
  TestContext context({.threads = 2});
  Turbulence flow(context,
                  {.points = {12, 8, 10}, .viscosity = 0.3, .dt = 0.05, .single = TestFixture::single});
  const auto at_time = [](double t) -> Velocity {
    return [t](int d, double x, double, double) {
      return d == 1   ? std::sin(3 * x) * std::exp(-0.3 * 9 * t)
             : d == 2 ? std::cos(2 * x) * std::exp(-0.3 * 4 * t)
                      : 0;
    };
  };
  flow.start(at_time(0));
  for (int n = 0; n < 20; ++n) flow.step();
  EXPECT_LT(distance<TypeParam>(context, flow, at_time(1)), this->digits(8));
}

// The ABC flow is its own curl: its shape is constant, and it decays as exp(-nu t).
TYPED_TEST(TurbulenceIn, BeltramiFlowStaysItself) {
  TestContext context;
  Turbulence flow(context,
                  {.points = {16, 16, 16}, .viscosity = 0.1, .dt = 0.05, .single = TestFixture::single});
  const auto at_time = [](double t) -> Velocity {
    return [t](int d, double x, double y, double z) {
      const double a = 1, b = 0.7, c = 0.4, e = std::exp(-0.1 * t);
      return e * (d == 0   ? a * std::sin(z) + c * std::cos(y)
                  : d == 1 ? b * std::sin(x) + a * std::cos(z)
                           : c * std::sin(y) + b * std::cos(x));
    };
  };
  flow.start(at_time(0));
  for (int n = 0; n < 20; ++n) flow.step();
  EXPECT_LT(distance<TypeParam>(context, flow, at_time(1)), this->digits(40));
}

// E(T) - E(0) = - integral of the dissipation, by Simpson's rule over the steps.
TEST(Turbulence, EnergyGoesWhereTheDissipationSays) {
  TestContext context({.threads = 2});
  Turbulence flow(context, {.points = {24, 24, 24}, .viscosity = 0.02, .dt = 0.02});
  flow.start_taylor_green();
  const Balance first = flow.balance();
  EXPECT_NEAR(first.energy, 0.125, 1e-15);
  EXPECT_NEAR(first.enstrophy, 0.375, 1e-14);
  const int steps = 60;
  double integral = first.dissipation;
  Balance now = first;
  for (int n = 1; n <= steps; ++n) {
    flow.step();
    now = flow.balance();
    integral += (n == steps ? 1 : n % 2 == 1 ? 4 : 2) * now.dissipation;
  }
  integral *= 0.02 / 3;
  EXPECT_GT(integral, 1e-2);
  EXPECT_NEAR(first.energy - now.energy, integral, 1e-6 * integral);
  EXPECT_LT(now.divergence, 1e-13);
}

// Taylor-Green at Re = 1600 against the 512^3 spectral DNS of the high-order CFD workshop (public file
// spectral_Re1600_512), while 64^3 points resolve it.
TEST(Turbulence, TaylorGreenFollowsThePublishedHistory) {
  TestContext context({.threads = 2});
  Turbulence flow(context, {.points = {64, 64, 64}, .viscosity = 1.0 / 1600, .dt = 0.05});
  flow.start_taylor_green();
  struct Published {
    double time, energy, dissipation, energy_within, dissipation_within;  // the last two are relative
  };
  for (const Published& p : {Published{1, 0.12451527, 0.00051882093, 1e-6, 1e-5},
                             {2, 0.12391677, 0.00070756353, 1e-6, 5e-5},
                             {3, 0.12302388, 0.0011265167, 1e-5, 5e-3}}) {
    while (flow.time() < p.time - 1e-9) flow.step();
    const Balance b = flow.balance();
    EXPECT_NEAR(b.energy, p.energy, p.energy_within * p.energy) << p.time;
    EXPECT_NEAR(b.dissipation, p.dissipation, p.dissipation_within * p.dissipation) << p.time;
  }
}

// The errors of single precision are too small to matter in an early flow.
TEST(Turbulence, SinglePrecisionFollowsDouble) {
  TestContext context({.threads = 2});
  const auto measures = [&](auto&& flow) {
    flow.start_taylor_green();
    std::vector<Measures> all;
    for (int n = 0; n < 60; ++n) {
      flow.step();
      if (n % 20 == 19) all.push_back(flow.measure());
    }
    return all;
  };
  const turbulence::TurbulenceOptions options{.points = {32, 32, 32}, .viscosity = 0.005, .dt = 0.05};
  const auto in_double = measures(Turbulence(context, options));
  const auto in_single = measures(Turbulence(context, as_single(options)));
  EXPECT_LT(in_double.back().skewness, -0.1);
  for (std::size_t n = 0; n < in_double.size(); ++n) {
    const Measures &exact = in_double[n], &got = in_single[n];
    EXPECT_NE(got.energy, exact.energy) << "was that really single?";
    EXPECT_NEAR(got.energy, exact.energy, 5e-6 * exact.energy);
    EXPECT_NEAR(got.dissipation, exact.dissipation, 5e-6 * exact.dissipation);
    EXPECT_NEAR(got.skewness, exact.skewness, 5e-6);
    EXPECT_LT(got.divergence, 1e-6);
  }
}

// Without viscosity the truncated equations conserve energy: its change is the error of the time step.
TEST(Turbulence, InviscidEnergyIsKeptToTheOrderOfTheStep) {
  TestContext context;
  const auto lost = [&](double dt) {
    Turbulence flow(context, {.points = {16, 16, 16}, .viscosity = 0, .dt = dt});
    flow.start([](int d, double x, double y, double z) {
      return std::sin(x + 0.3 * d) * std::cos(y - d) * std::cos(2 * z) + 0.5 * std::cos(2 * x + y * (d - 1));
    });
    const double before = flow.balance().energy;
    for (double t = 0; t < 1 - 1e-9; t += dt) flow.step();
    return std::abs(flow.balance().energy / before - 1);
  };
  const double coarse = lost(0.1), fine = lost(0.05);
  EXPECT_GT(coarse, 1e-9);
  EXPECT_GT(std::log2(coarse / fine), 4.0);
}

/// All modes, including the conjugate half.
Modes whole(const Modes& stored) {
  Modes all = stored;
  for (const auto& [k, u] : stored)
    if (k[0] > 0) all[{-k[0], -k[1], -k[2]}] = {std::conj(u[0]), std::conj(u[1]), std::conj(u[2])};
  return all;
}

// P (u x curl u) by the convolution sum over all pairs of modes: without transforms, so without aliasing.
TEST(Turbulence, NonlinearTermIsFreeOfAliasing) {
  TestContext context;
  Turbulence flow(context, {.points = {10, 8, 10}, .viscosity = 0, .dt = 0.1});
  flow.start([](int d, double x, double y, double z) {
    return std::sin(3 * x + 2 * y - 3 * z + d) + std::cos(2 * x - y * (d + 1) + 2 * z) +
           0.3 * std::sin(x * d + z - y);
  });
  const Modes u = whole(modes_of(flow, flow.modes())), got = whole(modes_of(flow, flow.nonlinear_term()));
  if (context.rank() != 0) return;
  Modes sum;
  for (const auto& [p, up] : u)
    for (const auto& [q, uq] : u) {
      const Wave k{p[0] + q[0], p[1] + q[1], p[2] + q[2]};
      if (!got.count(k)) continue;
      const auto i = [](double a, Mode v) { return Mode(0, 1) * a * v; };
      const std::array<Mode, 3> w{i(q[1], uq[2]) - i(q[2], uq[1]), i(q[2], uq[0]) - i(q[0], uq[2]),
                                  i(q[0], uq[1]) - i(q[1], uq[0])};
      auto& s = sum[k];
      s[0] += up[1] * w[2] - up[2] * w[1];
      s[1] += up[2] * w[0] - up[0] * w[2];
      s[2] += up[0] * w[1] - up[1] * w[0];
    }
  double worst = 0, largest = 0;
  for (const auto& [k, n] : got) {
    auto s = sum[k];
    const double square = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
    const Mode along =
        square > 0 ? (double(k[0]) * s[0] + double(k[1]) * s[1] + double(k[2]) * s[2]) / square : Mode();
    for (std::size_t d = 0; d < 3; ++d) {
      s[d] -= double(k[d]) * along;
      worst = std::max(worst, std::abs(s[d] - n[d]));
      largest = std::max(largest, std::abs(s[d]));
    }
  }
  EXPECT_GT(largest, 0.1);
  EXPECT_LT(worst, 1e-12 * largest);
}

TYPED_TEST(TurbulenceIn, LeavesTheBitsOfOneRank) {
  const auto run = [](Context& context, std::array<int, 2> grid, Strategy strategy) {
    Turbulence flow(context, {.points = {20, 18, 16},
                              .viscosity = 0.01,
                              .dt = 0.02,
                              .single = TestFixture::single,
                              .process_grid = grid,
                              .engine = {.strategy = strategy}});
    flow.start_taylor_green();
    for (int n = 0; n < 5; ++n) flow.step();
    const Balance b = flow.balance();
    return std::pair(gather(flow.modes().storage(0)), std::array{b.energy, b.enstrophy});
  };
  const auto one = on_one_rank([&](Context& alone) { return run(alone, {1, 1}, Strategy::blocking); });
  for (TransportPolicy policy : {TransportPolicy::automatic, TransportPolicy::delayed}) {
    TestContext context({.threads = 2, .transport = policy, .delay = 1e-4});
    for (std::array<int, 2> grid : {std::array{1, context.size()}, std::array{context.size(), 1}})
      for (const Strategy& strategy : undivided_strategies()) {
        const auto many = run(context, grid, strategy);
        expect_same(context, many, one, strategy.name);
      }
  }
}

TEST(Turbulence, RefusesWhatCannotBe) {
  TestContext context;
  EXPECT_THROW(Turbulence(context, {.points = {9, 8, 8}}), Error);
  EXPECT_THROW(Turbulence(context, {.viscosity = -1}), Error);
  EXPECT_THROW(Turbulence(context, {.dt = 0}), Error);
}

}  // namespace
}  // namespace sc::test
