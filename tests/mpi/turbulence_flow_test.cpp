// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3
// threads: 2
// optimise: no
// The turbulence solver apart from its step: forcing and random initial conditions.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "engine/base/error.hpp"
#include "engine/overlap/ledger.hpp"
#include "tests/mpi/flow_modes.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

using turbulence::Balance;
using turbulence::ForcingKind;
using turbulence::Measures;
using Mode = turbulence::Mode<double>;
using turbulence::RandomField;
using turbulence::Turbulence;
using turbulence::TurbulenceOptions;

RandomField peaked(std::uint64_t seed = 1) {
  RandomField field{.spectrum = {0}, .seed = seed};
  for (int k = 1; k <= 7; ++k) field.spectrum.push_back(std::pow(k, 4) * std::exp(-0.5 * k * k));
  return field;
}

template <class Real>
struct ForcingIn : testing::Test {};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(ForcingIn, Precisions);

// E(T) - E(0) is the error of the time step alone.
TEST(Forcing, NegativeViscosityHoldsTheEnergyToTheOrderOfTheStep) {
  TestContext context({.threads = 2});
  const auto drift = [&](double dt) {
    Turbulence flow(context, {.points = {16, 16, 16},
                              .viscosity = 0.05,
                              .dt = dt,
                              .forcing = {.kind = ForcingKind::negative_viscosity}});
    flow.start_random(peaked());
    const Balance first = flow.balance();
    EXPECT_GT(first.dissipation, 0.1 * first.energy);
    while (flow.time() < 0.8 - 1e-9) flow.step();
    return std::abs(flow.balance().energy / first.energy - 1);
  };
  const double coarse = drift(0.02), fine = drift(0.01);
  EXPECT_GT(coarse, 1e-10);
  EXPECT_LT(fine, 1e-6);
  EXPECT_GT(std::log2(coarse / fine), 3.7);
}

// E(T) - E(0) = P T - integral of the dissipation, by Simpson's rule over the steps.
TEST(Forcing, ConstantPowerIsInjected) {
  TestContext context;
  const double power = 0.3, end = 0.8;
  const auto error = [&](int steps) {
    Turbulence flow(context, {.points = {16, 16, 16},
                              .viscosity = 0.05,
                              .dt = end / steps,
                              .forcing = {.kind = ForcingKind::constant_power, .power = power}});
    flow.start_random(peaked());
    const Balance first = flow.balance();
    double lost = first.dissipation;
    Balance now = first;
    for (int n = 1; n <= steps; ++n) {
      flow.step();
      now = flow.balance();
      lost += (n == steps ? 1 : n % 2 == 1 ? 4 : 2) * now.dissipation;
    }
    lost *= end / steps / 3;
    EXPECT_GT(std::abs(now.energy - first.energy), 1e-2);
    return std::abs(now.energy - first.energy + lost - power * end);
  };
  const double coarse = error(40), fine = error(80);
  EXPECT_LT(fine, 1e-6);
  EXPECT_GT(std::log2(coarse / fine), 3.5);
}

// One Beltrami mode with k^2 = 1 gains what it loses, and so remains constant.
TEST(Forcing, HoldsAFlowThatWouldOnlyDecay) {
  TestContext context;
  Turbulence flow(context, {.points = {8, 10, 12},
                            .viscosity = 0.5,
                            .dt = 0.02,
                            .forcing = {.kind = ForcingKind::negative_viscosity, .largest = 1.5}});
  flow.start([](int d, double, double, double z) {
    return d == 0 ? std::sin(z) : d == 1 ? std::cos(z) : 0.0;
  });
  for (int n = 0; n < 50; ++n) flow.step();
  EXPECT_NEAR(flow.balance().energy, 0.5, 1e-9);
}

/// The largest |u(0, -ky, -kz) - u*(0, ky, kz)|, on all ranks.
double asymmetry(Turbulence& flow) {
  const Modes all = modes_of(flow, flow.modes());
  double most = 0;
  for (const auto& [k, u] : all)
    for (std::size_t d = 0; d < 3 && k[0] == 0; ++d)
      most = std::max(most, std::abs(u[d] - std::conj(all.at({0, -k[1], -k[2]})[d])));
  return flow.grid().context().max(most);
}

/// Adds to u_x(0, 0, 1), but not to its conjugate.
template <class Real>
void disturb(Turbulence& flow, double by) {
  const Grid& modes = flow.modes().grid();
  const Int3 n = flow.grid().cells();
  const auto u = turbulence::updates(flow.modes()).in<Real>().view();
  each_cell(modes.own(), [&](Int3 c) {
    const Int3 g = c + modes.origin();
    if (flow.wavenumbers().of<int>({g.x, g.y, g.z}) == std::array{0, 0, 1})
      u[0][At{modes.layout().offset(c), modes.layout().sy, modes.layout().sz}] +=
          Real(by * double(n.x) * n.y * n.z);
  });
}

/// The mean of u^2 / 2 over the points, on all ranks.
template <class Real>
double energy_of_points(Turbulence& flow) {
  const std::vector<std::byte> bytes = gather(flow.velocity().storage(0));
  double sum = 0;
  for (std::size_t n = 0; n < bytes.size(); n += sizeof(Real)) {
    Real value;
    std::memcpy(&value, bytes.data() + n, sizeof value);
    sum += 0.5 * double(value) * double(value);
  }
  const Int3 n = flow.grid().cells();
  return flow.grid().context().max(sum / (double(n.x) * n.y * n.z));
}

// Rounding leaves u(-k) != u*(k) in the plane kx = 0. The points do not have the difference, so the flow
// cannot drain it; c exceeds nu k^2, so a forcing that includes it lets it grow until it has all the energy.
TYPED_TEST(ForcingIn, DoesNotFeedWhatThePointsDoNotHave) {
  TestContext context;
  const bool single = std::is_same_v<TypeParam, float>;
  for (const auto kind : {ForcingKind::negative_viscosity, ForcingKind::constant_power})
    for (const auto scheme : {turbulence::Scheme::rk4, turbulence::Scheme::rk3}) {
      Turbulence flow(context, {.points = {12, 12, 12},
                                .viscosity = 0.08,
                                .dt = 0.05,
                                .scheme = scheme,
                                .single = single,
                                .forcing = {.kind = kind, .power = 0.1}});
      flow.start_random(peaked());
      const double before = 1e-4;
      disturb<TypeParam>(flow, before);
      ASSERT_NEAR(asymmetry(flow), before, 1e-3 * before);
      for (int n = 0; n < 400; ++n) flow.step();
      EXPECT_LT(asymmetry(flow), 0.5 * before);
      const double energy = flow.balance().energy;
      EXPECT_NEAR(energy_of_points<TypeParam>(flow), energy, (single ? 1e-6 : 1e-8) * energy);
    }
}

// The conjugates of the plane kx = 0 are one reduction a stage beside that of the sums.
TEST(Forcing, ItsReductionsAreInTheAccount) {
  TestContext context;
  Turbulence flow(context, {.points = {12, 12, 12},
                            .viscosity = 0.05,
                            .dt = 0.02,
                            .forcing = {.kind = ForcingKind::negative_viscosity}});
  flow.start_random(peaked());
  flow.step();
  const Account before = context.accounts()[Resource::reductions];
  flow.step();
  const Account step = context.accounts()[Resource::reductions] - before;
  EXPECT_EQ(step.pieces, 4 * 2);
  // 25 modes of six numbers; two sums of a key and 100 words
  EXPECT_EQ(step.bytes, 4 * 8 * (25 * 6 + 2 * 101));
}

TEST(Forcing, RefusesWhatCannotBe) {
  TestContext context;
  TurbulenceOptions options{.points = {8, 8, 8}, .forcing = {.kind = ForcingKind::constant_power}};
  EXPECT_THROW(Turbulence(context, options), Error);
  options.forcing = {.kind = ForcingKind::negative_viscosity, .largest = 1};
  EXPECT_THROW(Turbulence(context, options), Error);
  options.forcing.largest = 2.5;
  Turbulence rest(context, options);
  rest.start([](int, double, double, double) { return 0.0; });
  EXPECT_THROW(rest.step(), Error);
}

TEST(RandomFirstField, HasTheSpectrumThatIsAskedFor) {
  TestContext context({.threads = 2});
  Turbulence flow(context, {.points = {24, 20, 18}});
  const RandomField asked = peaked(7);
  flow.start_random(asked);
  const std::vector<double> got = flow.spectrum();
  double sum = 0;
  for (std::size_t k = 0; k < got.size(); ++k) {
    const double wanted = k > 0 && k < asked.spectrum.size() ? asked.spectrum[k] : 0;
    EXPECT_NEAR(got[k], wanted, 1e-13 * wanted) << k;
    sum += got[k];
  }
  const Balance b = flow.balance();
  EXPECT_NEAR(b.energy, sum, 1e-13 * sum);
  EXPECT_LT(b.divergence, 1e-14 * std::sqrt(2 * b.enstrophy));
}

TEST(RandomFirstField, IsRealAndDoesNotDependOnThePoints) {
  TestContext context;
  Turbulence coarse(context, {.points = {24, 24, 24}}), fine(context, {.points = {32, 48, 36}});
  coarse.start_random(peaked());
  fine.start_random(peaked());
  const Modes few = modes_of(coarse, coarse.modes()), many = modes_of(fine, fine.modes());
  double size = 0;
  for (const auto& [k, u] : few)
    for (std::size_t d = 0; d < 3; ++d) size = std::max(size, std::abs(u[d]));
  for (const auto& [k, u] : few)
    for (std::size_t d = 0; d < 3; ++d) {
      if (k[0] == 0) {
        EXPECT_EQ(u[d], std::conj(few.at({0, -k[1], -k[2]})[d]));
      }
      EXPECT_LT(std::abs(u[d] - many.at(k)[d]), 1e-14 * size);
    }
  if (context.rank() == 0) {
    EXPECT_GT(size, 1e-3);
  }
}

template <class Real>
struct RandomFirstFieldIn : testing::Test {};
TYPED_TEST_SUITE(RandomFirstFieldIn, Precisions);

TYPED_TEST(RandomFirstFieldIn, AndForcingLeaveTheBitsOfOneRank) {
  const auto run = [](Context& context, std::array<int, 2> grid, Strategy strategy) {
    Turbulence flow(context, {.points = {20, 18, 16},
                              .viscosity = 0.02,
                              .dt = 0.02,
                              .single = std::is_same_v<TypeParam, float>,
                              .process_grid = grid,
                              .forcing = {.kind = ForcingKind::negative_viscosity},
                              .engine = {.strategy = strategy}});
    flow.start_random(peaked(3));
    for (int n = 0; n < 4; ++n) flow.step();
    const Measures m = flow.measure();
    std::vector<double> numbers = flow.spectrum();
    numbers.insert(numbers.end(), {m.energy, m.enstrophy, m.skewness, m.taylor_reynolds, m.resolution});
    return std::pair(gather(flow.modes().storage(0)), numbers);
  };
  const auto one = on_one_rank([&](Context& alone) { return run(alone, {1, 1}, Strategy::blocking); });
  for (TransportPolicy policy : {TransportPolicy::automatic, TransportPolicy::delayed}) {
    TestContext context({.threads = 2, .transport = policy, .delay = 1e-4});
    for (std::array<int, 2> grid : {std::array{1, context.size()}, std::array{context.size(), 1}})
      for (Strategy strategy : {Strategy::blocking, Strategy::boundary_first}) {
        const auto many = run(context, grid, strategy);
        expect_same(context, many, one, strategy.name);
      }
  }
}

// On one rank nothing moves, so movements cannot make the computation slower: both are the same spans of
// time.
TEST(Account, TheCoreWithoutOverlapIsTheWholeCoreOfARank) {
  Context self(MPI_COMM_SELF);
  Turbulence flow(self, {.points = {24, 24, 24}, .viscosity = 0.05, .dt = 0.02});
  flow.start_random(peaked());
  Ledger ledger(flow.runner());
  for (int n = 0; n < 4; ++n) {
    ledger.open();
    flow.step();
    ledger.close();
  }
  const Terms terms = ledger.terms();
  EXPECT_GT(terms.core, 0);
  EXPECT_NEAR(terms.core_apart, terms.core, 1e-6 * terms.core);
  self.close();
}

}  // namespace
}  // namespace sc::test
