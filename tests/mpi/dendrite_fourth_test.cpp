// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2
// ranks when long: 3
// threads: 2
// device: yes
// optimise: no
// label: checked
// Differences of fourth order, which read two cells away: against the serial reference, and the same bits for
// all strategies, splits, threads, passes and places of the fields.
#include <gtest/gtest.h>

#include "tests/mpi/backends.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/crystal_oracle.hpp"
#include "tests/mpi/crystals.hpp"
#include "tests/mpi/shared_folder.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

using dendrite::DendriteOptions;
using dendrite::FaceKind;

DendriteOptions fourth(DendriteOptions o) {
  o.divergence = dendrite::Divergence::fourth;
  if (o.cells.z == 1)  // a plane, about whose normal crystals are rotated
    for (dendrite::Seed& seed : o.seeds) seed.centre[2] = 0, seed.axis = {0, 0, 1};
  return o;
}
std::vector<DendriteOptions> kinds(Int3 cells) {
  return {fourth(two_crystals(cells, true, true, false)), fourth(two_crystals(cells, false, true, true)),
          fourth(karma_rappel_crystals(cells, true, false)),
          fourth(karma_rappel_crystals(cells, false, true))};
}

TEST(DendriteFourthOrder, AgreesWithTheOracle) {
  TestContext context;
  constexpr int steps = 10;
  for (const Int3 cells : {Int3{17, 11, 13}, Int3{23, 19, 1}})
    for (const DendriteOptions& options : kinds(cells)) {
      if (cells.z == 1 && !options.karma_rappel) continue;
      const Outcome got = run(context, options, steps);
      if (context.rank() != 0) continue;
      oracle::Dendrite expected = oracle_of(options);
      for (int n = 0; n < steps; ++n) expected.step();
      const double Tm = options.melting(), degree = options.karma_rappel ? 1 : 433;
      const std::string how = to_string(cells) + kind_of(options);
      if (options.single) {
        EXPECT_LT(largest_difference<float>(got.phi, expected.phi, 0), 1e-5) << how;
        EXPECT_LT(largest_difference<float>(got.theta, expected.T, Tm), 1e-5 * degree) << how;
      } else {
        EXPECT_LT(largest_difference<double>(got.phi, expected.phi, 0), 1e-12) << how;
        EXPECT_LT(largest_difference<double>(got.theta, expected.T, Tm), 3e-12 * degree) << how;
      }
      oracle::Dendrite other = oracle_of(options);
      other.fourth = false;
      for (int n = 0; n < steps; ++n) other.step();
      double most = 0;
      for (std::size_t n = 0; n < other.phi.size(); ++n)
        most = std::max(most, std::abs(other.phi[n] - expected.phi[n]));
      EXPECT_GT(most, 1e-3) << how;  // the order matters
    }
}

TEST(DendriteFourthOrder, LeavesTheSameBits) {
  for (DendriteOptions options : kinds({19, 16, 18})) {
    options.engine.strategy = Strategy::blocking;
    const Outcome expected = on_one_rank([&](Context& one) { return run(one, options, 5); });
    TestContext context({.threads = options.single ? 2 : 1});
    std::size_t turn = 0;
    constexpr std::array strategies{&Strategy::boundary_first, &Strategy::ordered,  &Strategy::interior_first,
                                    &Strategy::pipelined,      &Strategy::blocking, &Strategy::halo_thread};
    for (const Int3 split : splits(context.size()))
      for (int n = 0; n < 2; ++n) {
        options.split = split;
        options.engine.strategy = *strategies[turn++ % strategies.size()];
        options.engine.poke_seconds = 1e-6;
        const Outcome got = run(context, options, 5);
        expect_same(context, got, expected,
                    std::string(options.engine.strategy.name) + to_string(split) + kind_of(options));
      }
  }
}

/// In space, with an undivided periodic axis; and in a plane, whose axis with one cell has mirrors on both
/// sides.
TEST(DendriteFourthOrder, LeavesTheSameBitsInPassesOfSeveralSteps) {
  for (const Int3 cells : {Int3{19, 18, 18}, Int3{29, 26, 1}})
    for (DendriteOptions options : kinds(cells)) {
      if (cells.z == 1 && !options.karma_rappel) continue;
      if (cells.z > 1) options.faces[4] = options.faces[5] = FaceKind::periodic;
      options.engine.strategy = Strategy::blocking;
      const Outcome expected = on_one_rank([&](Context& one) { return run(one, options, 7); });
      TestContext context({.threads = options.single ? 2 : 1});
      for (const Int3 split : splits(context.size()))
        for (const int length : {2, 3}) {
          if (split.z > cells.z) continue;
          options.split = split;
          options.engine.strategy = length == 2 ? Strategy::boundary_first : Strategy::automatic;
          options.engine.steps_per_pass = length;
          options.engine.pass_tile = {0, 3, 4};
          const Outcome got = run(context, options, 7);
          EXPECT_EQ(got.passes, (7 + length - 1) / length);
          expect_same(context, got, expected, to_string(split) + std::to_string(length) + kind_of(options));
        }
    }
}

TEST(DendriteFourthOrder, LeavesTheSameBitsInFiles) {
  for (const DendriteOptions& options : kinds({19, 16, 36})) {
    const Outcome expected = on_one_rank([&](Context& one) { return run(one, options, 5); });
    TestContext context;
    const SharedFolder folder(context, "scratch-fourth-");
    for (const Int3 split : splits(context.size()))
      for (const int length : {1, 2}) {
        DendriteOptions filed = options;
        filed.split = split;
        filed.engine.steps_per_pass = length;
        const int pieces = std::max(1, 4 / split.z);
        filed.storage = {.where = Where::files, .pieces = pieces, .scratch = folder.path()};
        filed.engine.strategy = length == 1 ? Strategy::interior_first : Strategy::boundary_first;
        const Outcome got = run(context, filed, 5);
        expect_same(context, got, expected, to_string(split) + std::to_string(length) + kind_of(options));
      }
  }
}

TEST(DendriteFourthOrder, MovesTheBytesThatWerePlanned) {
  TestContext context;
  const SharedFolder folder(context, "scratch-fourth-");
  for (const int length : {1, 2}) {
    DendriteOptions options = fourth(two_crystals({30, 9, 16 * context.size()}, true, true, true));
    options.storage = {.where = Where::files, .pieces = 2, .scratch = folder.path()};
    options.split = {1, 1, context.size()};
    options.engine.strategy = Strategy::blocking;
    options.engine.steps_per_pass = length;
    const auto solver = std::make_unique<dendrite::Dendrite>(context, options);
    SlabPlace& place = *far_cells(solver->phase().storage(0)).place();
    solver->steps(2);
    place.finish();
    const std::array before{place.memory().bytes(Way::in), place.memory().bytes(Way::out)};
    solver->steps(2);
    solver->steps(2);
    place.finish();
    EXPECT_EQ(place.memory().bytes(Way::in) - before[0], 4 * solver->budget().read) << length;
    EXPECT_EQ(place.memory().bytes(Way::out) - before[1], 4 * solver->budget().written) << length;
    EXPECT_EQ(place.ring().ahead(), solver->budget().ahead) << length;
  }
}

TEST(DendriteFourthOrder, RefusesWhatIsTooThin) {
  TestContext context;
  const SharedFolder folder(context, "scratch-fourth-");
  DendriteOptions options = fourth(two_crystals({16, 16, 16 * context.size()}, true, true, false));
  options.split = {1, 1, context.size()};
  options.storage = {.where = Where::files, .pieces = 16, .scratch = folder.path()};
  EXPECT_EQ(refused(context, options),
            "storage.pieces = 16 leaves pieces of fewer than 2 planes, which scheme.divergence = \"fourth\" "
            "needs; take fewer pieces");
  options.storage.pieces = 8;
  EXPECT_EQ(refused(context, options), "accepted");
  options.engine.steps_per_pass = 2;
  EXPECT_NE(refused(context, options).find("fewer than 8 planes"), std::string::npos);
}

class FourthOrderOnDevices : public OnBackend {};
INSTANTIATE_TEST_SUITE_P(On, FourthOrderOnDevices, testing::ValuesIn(backends()), backend_name);

TEST_P(FourthOrderOnDevices, LeavesTheBitsOfTheHost) {
  for (DendriteOptions options : kinds({19, 16, 18})) {
    options.engine.strategy = Strategy::blocking;
    const Outcome expected = on_one_rank([&](Context& one) { return run(one, options, 4); });
    TestContext context;
    open(context, GetParam());
    options.engine.strategy = Strategy::boundary_first;
    for (const Int3 split : splits(context.size()))
      for (const bool passing : {false, true}) {
        if (passing && GetParam() == Backend::host) continue;
        options.split = split;
        options.space = space_of(GetParam());
        options.storage = {};
        if (passing) options.storage = {.where = Where::host, .pieces = 2};
        const Outcome got = run(context, options, 4);
        expect_same(context, got, expected,
                    to_string(split) + (passing ? " passing" : "") + kind_of(options));
      }
  }
}

}  // namespace
}  // namespace sc::test
