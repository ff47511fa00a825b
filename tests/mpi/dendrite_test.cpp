// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3
// threads: 2
// timeout: 300
// device: yes
// optimise: no
// label: checked
// The dendrite against its serial reference, and equal bits for all strategies x splits x threads.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/mpi/backends.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/crystal_oracle.hpp"
#include "tests/mpi/crystals.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/refusal.hpp"

namespace {

using namespace sc;
using dendrite::DendriteOptions;
using dendrite::FaceKind;

using test::crystals_of_all_kinds;
using test::expect_same;
using test::h;
using test::karma_rappel_crystals;
using test::kind_of;
using test::largest_difference;
using test::oracle_of;
using test::Outcome;
using test::run;
using test::two_crystals;

TEST(Dendrite, AgreesWithTheOracle) {
  test::TestContext context;
  for (const bool single : {false, true})
    for (const bool noisy : {false, true})
      for (const bool rotated : {false, true}) {
        const DendriteOptions options = two_crystals({17, 11, 13}, single, noisy, rotated);
        const int steps = 12;
        const Outcome got = run(context, options, steps);
        if (context.rank() != 0) continue;
        oracle::Dendrite expected = oracle_of(options);
        for (int n = 0; n < steps; ++n) expected.step();
        const double Tm = options.material.melting;
        if (single) {
          EXPECT_LT(largest_difference<float>(got.phi, expected.phi, 0), 3e-6) << noisy << rotated;
          EXPECT_LT(largest_difference<float>(got.theta, expected.T, Tm), 1e-3) << noisy << rotated;
        } else {
          EXPECT_LT(largest_difference<double>(got.phi, expected.phi, 0), 1e-12) << noisy << rotated;
          EXPECT_LT(largest_difference<double>(got.theta, expected.T, Tm), 1e-9) << noisy << rotated;
        }
        // The state must have changed.
        double sum = 0;
        for (double p : expected.phi) sum += p;
        EXPECT_NEAR(got.measures.solid, sum / double(expected.phi.size()), 1e-6);
        EXPECT_GT(got.measures.T_high, 1600);
      }
}

TEST(Dendrite, AgreesWithTheOracleOfKarmaAndRappel) {
  test::TestContext context;
  for (const Int3 cells : {Int3{17, 11, 13}, Int3{23, 19, 1}})
    for (const bool single : {false, true})
      for (const bool rotated : {false, true}) {
        DendriteOptions options = karma_rappel_crystals(cells, single, rotated);
        if (cells.z == 1)
          for (dendrite::Seed& seed : options.seeds) seed.centre[2] = 0, seed.axis = {0, 0, 1};
        const Outcome got = run(context, options, 12);
        EXPECT_GT(got.measures.T_high, options.temperature + 0.2);  // the state has changed
        if (context.rank() != 0) continue;
        oracle::Dendrite expected = oracle_of(options);
        for (int n = 0; n < 12; ++n) expected.step();
        if (single) {
          EXPECT_LT(largest_difference<float>(got.phi, expected.phi, 0), 1e-5) << to_string(cells) << rotated;
          EXPECT_LT(largest_difference<float>(got.theta, expected.T, 0), 1e-5) << to_string(cells) << rotated;
          continue;
        }
        EXPECT_LT(largest_difference<double>(got.phi, expected.phi, 0), 1e-12) << to_string(cells) << rotated;
        EXPECT_LT(largest_difference<double>(got.theta, expected.T, 0), 1e-12) << to_string(cells) << rotated;
        const double energy = expected.free_energy() * (cells.z == 1 ? 1 / options.spacing : 1);
        EXPECT_NEAR(*got.measures.free_energy / energy, 1, 1e-12) << to_string(cells) << rotated;
      }
}

/// 7 steps in passes of several: between walls, and with an undivided periodic axis.
TEST(Dendrite, LeavesTheSameBitsInPassesOfSeveralSteps) {
  constexpr Int3 cells{19, 16, 17};
  constexpr int steps = 9;
  int turn = 0;
  for (DendriteOptions options : crystals_of_all_kinds(cells)) {
    options.faces[4] = options.faces[5] = FaceKind::periodic;
    options.engine.strategy = Strategy::blocking;
    const Outcome expected = test::on_one_rank([&](Context& one) { return run(one, options, steps); });
    test::TestContext context({.threads = 2});
    for (const Int3 split : test::splits(context.size())) {
      const int thinnest = std::min({cells.x / split.x, cells.y / split.y, cells.z / split.z});
      for (const int longest : {2, 3, 5, 8})
        for (Strategy strategy :
             {Strategy::blocking, Strategy::boundary_first, Strategy::halo_thread, Strategy::automatic}) {
          if (options.karma_rappel && (longest != 3 || options.single)) continue;
          if (!options.karma_rappel && ++turn % 2 == 0) continue;  // other combinations the next time
          const int length = std::min(longest, thinnest);
          options.split = split;
          options.engine.strategy = strategy;
          options.engine.steps_per_pass = length;
          options.engine.pass_tile = {0, 3, 4};
          const Outcome got = run(context, options, steps);
          EXPECT_EQ(got.passes, (steps + length - 1) / length);
          expect_same(
              context, got, expected,
              std::string(strategy.name) + to_string(split) + std::to_string(length) + kind_of(options));
        }
      ++turn;
    }
  }
}

TEST(Dendrite, LeavesTheSameBits) {
  for (DendriteOptions options : crystals_of_all_kinds({19, 16, 17})) {
    options.engine.strategy = Strategy::blocking;
    const Outcome expected = test::on_one_rank([&](Context& one) { return run(one, options, 6); });
    for (int threads : {1, 2}) {
      test::TestContext context({.threads = threads});
      for (const Int3 split : test::splits(context.size()))
        for (const Strategy& strategy : test::all_strategies(context)) {
          options.split = split;
          options.engine.strategy = strategy;
          options.engine.poke_seconds = 1e-6;
          const Outcome got = run(context, options, 6);
          expect_same(context, got, expected,
                      std::string(strategy.name) + to_string(split) + kind_of(options));
        }
    }
  }
}

// An axis with one cell has mirrors on both sides of it, in passes too.
TEST(Dendrite, LeavesTheSameBitsInAPlane) {
  DendriteOptions options = karma_rappel_crystals({29, 26, 1}, false, false);
  for (dendrite::Seed& seed : options.seeds) seed.centre[2] = 0;
  options.engine.strategy = Strategy::blocking;
  const Outcome expected = test::on_one_rank([&](Context& one) { return run(one, options, 7); });
  test::TestContext context({.threads = 2});
  for (const Int3 split : test::splits(context.size()))
    for (const int length : {1, 2, 3}) {
      if (split.z > 1) continue;
      options.split = split;
      options.engine.steps_per_pass = length;
      options.engine.strategy = Strategy::boundary_first;
      const Outcome got = run(context, options, 7);
      expect_same(context, got, expected, to_string(split) + std::to_string(length));
    }
}

class OnDevices : public test::OnBackend {};
INSTANTIATE_TEST_SUITE_P(On, OnDevices, testing::ValuesIn(test::backends()), test::backend_name);

// On a device, strategies and splits give the same bits. Sums, products, divisions and fused() are the same
// on CUDA and on a host with fused multiply-adds, so these are also compared with the host.
TEST_P(OnDevices, LeaveTheBitsOfTheHost) {
  for (DendriteOptions options : crystals_of_all_kinds({19, 16, 17})) {
    options.engine.strategy = Strategy::blocking;
    const Outcome expected = test::on_one_rank([&](Context& one) { return run(one, options, 6); });
    test::TestContext context;
    open(context, GetParam());
    options.space = test::space_of(GetParam());
    for (const Int3 split : test::splits(context.size()))
      for (const Strategy& strategy : test::undivided_strategies()) {
        options.split = split;
        options.engine.strategy = strategy;
        const Outcome got = run(context, options, 6);
        expect_same(context, got, expected, std::string(strategy.name) + to_string(split) + kind_of(options));
      }
  }
}

TEST_P(OnDevices, AgreeWithTheOracle) {
  test::TestContext context;
  open(context, GetParam());
  for (const bool single : {false, true}) {
    DendriteOptions options = two_crystals({17, 11, 13}, single, true, true);
    options.space = test::space_of(GetParam());
    const Outcome got = run(context, options, 12);
    if (context.rank() != 0) continue;
    oracle::Dendrite expected = oracle_of(options);
    for (int n = 0; n < 12; ++n) expected.step();
    if (single) {
      EXPECT_LT(largest_difference<float>(got.phi, expected.phi, 0), 3e-6);
    } else {
      EXPECT_LT(largest_difference<double>(got.phi, expected.phi, 0), 1e-12);
    }
  }
}

TEST(Dendrite, RefusesWhatCannotBeRun) {
  test::TestContext context;
  const auto refused = [&](auto&& change) {
    DendriteOptions o = two_crystals({17, 11, 13}, true, true, false);
    change(o);
    return test::refusal([&] { std::make_unique<dendrite::Dendrite>(context, o); }) != "accepted";
  };
  EXPECT_TRUE(refused([](auto& o) { o.seeds.clear(); }));
  EXPECT_TRUE(refused([](auto& o) { o.material.anisotropy = 0.07; }));
  EXPECT_TRUE(refused([](auto& o) { o.seeds[0].angle = 0.1; }));  // with a symmetry face
  EXPECT_TRUE(refused([](auto& o) { o.faces[2] = FaceKind::insulated; }));
  EXPECT_TRUE(refused([](auto& o) { o.dt = 1e-11; }));
  EXPECT_TRUE(refused([](auto& o) { o.seeds[0].centre[0] = -h; }));
  EXPECT_TRUE(refused([](auto& o) { o.seeds[0].centre[0] = 17.001 * h; }));
  const auto thin = [](auto&& change) {
    return [change](auto& o) {
      o = karma_rappel_crystals({17, 11, 13}, true, false);
      change(o);
    };
  };
  EXPECT_FALSE(refused(thin([](auto&) {})));
  EXPECT_TRUE(refused(thin([](auto& o) { o.temperature = 0.1; })));
  EXPECT_TRUE(refused(thin([](auto& o) { o.karma_rappel->anisotropy = 0.07; })));
  EXPECT_TRUE(refused(thin([](auto& o) { o.karma_rappel->coupling = 0; })));
  EXPECT_TRUE(refused(thin([](auto& o) { o.dt = 0.02; })));
}

// A position on a high face may be cells * spacing, or an ulp beyond.
TEST(Dendrite, HasArmsWhereACrystalIsOnAHighFace) {
  test::TestContext context;
  for (const auto& [cells, spacing] : std::initializer_list<std::pair<int, double>>{
           {9, .03}, {12, .03}, {14, .007}, {10, .007}, {18, .03}}) {
    DendriteOptions o = two_crystals({cells, cells, cells}, false, false, false);
    o.spacing = 1e-6 * spacing;
    const double side = cells * spacing;  // as the interface in Python has it, in um
    o.seeds = {{.centre = {1e-6 * side, 1e-6 * 0.5 * side, 1e-6 * 0.5 * side}, .radius = 3e-6 * spacing}};
    o.faces.fill(FaceKind::insulated);
    dendrite::Dendrite solver(context, o);
    const std::array<double, 6> arms = solver.arms();
    EXPECT_GT(arms[1], 2 * o.spacing) << cells << " cells of " << spacing;
    EXPECT_GT(arms[2], 2 * o.spacing) << cells << " cells of " << spacing;
  }
}

TEST(Dendrite, NamesTheCellWhereTheStateIsLost) {
  test::TestContext context;
  auto solver =
      std::make_unique<dendrite::Dendrite>(context, two_crystals({17, 11, 13}, false, false, false));
  auto& theta = dynamic_cast<Field<double>&>(solver->heat());
  theta.fill([](int x, int y, int z) { return x == 5 && y == 6 && z == 3 ? NAN : -200.0; });
  const std::string said = test::refusal([&] { solver->measure(); }, Exit::diverged);
  EXPECT_NE(said.find("temperature"), std::string::npos) << said;
  EXPECT_NE(said.find("[5, 6, 3]"), std::string::npos) << said;
}

}  // namespace
