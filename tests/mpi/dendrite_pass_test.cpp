// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4
// timed: yes
// device: yes
// timeout: 300
// optimise: no
// label: checked
// Fields in the host's memory that a device computes in pieces: the bits of fields in device memory under
// every strategy and number of steps a pass, and the planned memory and copies.
#include <gtest/gtest.h>

#include <array>

#include "engine/base/error.hpp"
#include "engine/overlap/ledger.hpp"
#include "engine/stage/slabs.hpp"
#include "solvers/dendrite/stages.hpp"
#include "tests/mpi/backends.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/crystals.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

using dendrite::DendriteOptions;

DendriteOptions passing(DendriteOptions options, int pieces) {
  options.storage = {.where = Where::host, .pieces = pieces};
  return options;
}

class OnDevices : public OnDevice {};
INSTANTIATE_TEST_SUITE_P(On, OnDevices, testing::ValuesIn(backends()), backend_name);

TEST_P(OnDevices, PassingFieldsKeepTheirBits) {
  constexpr Int3 cells{19, 16, 17};
  for (const DendriteOptions& options :
       {two_crystals(cells, true, true, false), two_crystals(cells, true, true, true),
        two_crystals(cells, false, true, false), karma_rappel_crystals(cells, false, false)}) {
    const Outcome expected = on_one_rank([&](Context& one) { return run(one, options, 5); });
    TestContext context;
    open(context, GetParam());
    constexpr std::array strategies{&Strategy::boundary_first, &Strategy::interior_first,
                                    &Strategy::pipelined, &Strategy::blocking};
    std::size_t turn = 0;
    for (const Int3 split : splits(context.size()))
      for (const int pieces : {1, 2, 4}) {
        DendriteOptions through = passing(options, pieces);
        through.split = split;
        through.engine.strategy = *strategies[turn++ % strategies.size()];
        const Outcome got = run(context, through, 5);
        expect_same(context, got, expected,
                    to_string(split) + std::to_string(pieces) + kind_of(options) +
                        std::string(through.engine.strategy.name));
      }
  }
}

TEST_P(OnDevices, StepsInPassesKeepTheBits) {
  DendriteOptions options = two_crystals({19, 16, 34}, false, true, true);
  const Outcome expected = on_one_rank([&](Context& one) { return run(one, options, 5); });
  TestContext context;
  open(context, GetParam());
  std::size_t turn = 0;
  for (const Int3 split : splits(context.size())) {
    ++turn;
    for (const int pieces : {0, 1, 2}) {
      if (pieces == 2 && split.z > 1) continue;  // too thin
      DendriteOptions passes = pieces > 0 ? passing(options, pieces) : options;
      if (pieces == 0) passes.space = Space::device;
      passes.split = split;
      passes.engine.strategy = pieces == 1 ? Strategy::blocking : Strategy::boundary_first;
      const int thinnest = std::min({19 / split.x, 16 / split.y, 34 / split.z});
      passes.engine.steps_per_pass = std::min(std::array{5, 2, 3}[turn++ % 3], thinnest);
      expect_same(context, run(context, passes, 5), expected,
                  to_string(split) + " in " + std::to_string(pieces) + " pieces");
    }
  }
}

void compare_with_plan(Context& context, int pieces, Strategy strategy, bool rotated) {
  const DendriteOptions options = passing(two_crystals({30, 9, 17}, true, false, rotated), pieces);
  const Grid grid(context, {.cells = options.cells, .periodic = options.periodic(), .halo = 1});
  const auto place = in_host_memory_of(context.device(), pieces);
  const dendrite::Stages stages = make_stages(grid, options, {.place = place}, 1e-12);
  const dendrite::Budget plan = make_budget(grid, options);
  EXPECT_EQ(std::int64_t(Slabs(*stages.advance, true).ring().near_bytes()), plan.near);
  Runner runner(context, {.strategy = strategy});
  for (int step = 1; step <= 3; ++step) {
    stages.advance.set(step);
    runner.run(*stages.advance);
    stages.phi->advance();
    stages.theta->advance();
    place->finish();
    EXPECT_EQ(place->memory().bytes(Way::in), step * plan.read);
    EXPECT_EQ(place->memory().bytes(Way::out), step * plan.written);
  }
}

/// In passes of `length` steps; the planned bytes of a step are rounded down.
void compare_passes_with_plan(Context& context, int pieces, int length, bool rotated) {
  DendriteOptions options = passing(two_crystals({30, 9, 20}, true, false, rotated), pieces);
  options.engine.steps_per_pass = length;
  options.split = {context.size(), 1, 1};
  const Grid grid(context, {.cells = options.cells,
                            .periodic = options.periodic(),
                            .halo = length,
                            .wall_halo = 1,
                            .split = options.split});
  const auto place = in_host_memory_of(context.device(), pieces);
  const dendrite::Stages stages = make_stages(grid, options, {.place = place}, 1e-12);
  const dendrite::Budget plan = make_budget(grid, options);
  Runner runner(context, {.strategy = Strategy::boundary_first, .steps_per_pass = length});
  const int steps = 3 * length;
  runner.steps(steps, [&](int step) {
    stages.advance.set(step);
    runner.run(*stages.advance);
    stages.phi->advance();
    stages.theta->advance();
    for (const AnyField* field : {stages.phi.get(), stages.theta.get()}) runner.discard(*field, 1);
  });
  place->finish();
  EXPECT_EQ(runner.passes().passes, 3) << runner.passes().describe();
  EXPECT_EQ(std::int64_t(place->ring().near_bytes()), plan.near);
  EXPECT_NEAR(double(place->memory().bytes(Way::in)), double(steps * plan.read), steps);
  EXPECT_NEAR(double(place->memory().bytes(Way::out)), double(steps * plan.written), steps);

  // What single steps would copy is said without the strips between blocks.
  options.engine.steps_per_pass = 1;
  const Grid narrow(
      context, {.cells = options.cells, .periodic = options.periodic(), .halo = 1, .split = options.split});
  const dendrite::Budget singles = make_budget(narrow, options);
  EXPECT_LE(plan.singles.read, singles.read);
  EXPECT_LE(plan.singles.written, singles.written);
  if (context.size() == 1) {
    EXPECT_EQ(plan.singles.read, singles.read);
    EXPECT_EQ(plan.singles.written, singles.written);
  }
  EXPECT_NE(plan.describe().find("; single steps would copy about "), std::string::npos) << plan.describe();
}

TEST_P(OnDevices, TakeAndCopyInPassesWhatIsPlanned) {
  TestContext context;
  open(context, GetParam());
  for (const bool rotated : {false, true}) {
    compare_passes_with_plan(context, 1, 4, rotated);
    compare_passes_with_plan(context, 2, 3, rotated);
  }
}

TEST_P(OnDevices, TakeAndCopyWhatIsPlanned) {
  TestContext context;
  open(context, GetParam());
  for (const Strategy strategy : {Strategy::boundary_first, Strategy::blocking})
    for (const int pieces : {1, 3, 4})
      for (const bool rotated : {false, true}) compare_with_plan(context, pieces, strategy, rotated);
}

/// Both messages and copies over the link overlap with the computation of slabs, under boundary_first; in
/// passes only copies that are not at the ends of a pass.
void expect_hidden(int planes, int pieces, int length) {
  TestContext context({.transport = TransportPolicy::delayed, .delay = 20e-3});
  context.set_device(std::make_shared<EmulatedDevice>(EmulatedOptions{.link_bytes_per_second = 5e6}));
  DendriteOptions options = passing(two_crystals({32, 32, planes}, true, true, false), pieces);
  options.faces[2] = options.faces[3] = dendrite::FaceKind::insulated;
  options.split = {1, 1, context.size()};
  options.engine.strategy = Strategy::boundary_first;
  options.engine.steps_per_pass = length;
  const auto solver = std::make_unique<dendrite::Dendrite>(context, options);
  Ledger ledger(solver->runner());
  ledger.open();
  solver->steps(8 * length);
  ledger.close();
  const Terms terms = ledger.terms();
  EXPECT_GT(terms.of(Resource::link).hidden(), 0);
  // In a pass the first slab of a rank above others is too thin to begin without its halo.
  if (context.size() == 1 || (length > 1 && context.rank() > 0)) return;
  EXPECT_GT(terms.of(Resource::messages).hidden(), 0);
}

TEST(PassingDendrite, HidesTheLinkAndMessages) { expect_hidden(64, 8, 1); }
TEST(PassingDendrite, HidesTheLinkAndMessagesInPasses) { expect_hidden(48 * test::world_size(), 6, 2); }

TEST_P(OnDevices, RefuseWhatDoesNotFitAndNameWhatDoes) {
  TestContext context;
  open(context, GetParam());
  DendriteOptions options = passing(two_crystals({40, 30, 18}, true, true, false), 100);
  EXPECT_NE(refused(context, options).find("storage.pieces is 100"), std::string::npos);
  options.storage.memory = 10'000;
  const std::string said = refused(context, options);
  const std::size_t figure = said.find("at least ");
  ASSERT_NE(figure, std::string::npos) << said;
  options.storage.memory = std::int64_t(std::stod(said.substr(figure + 9)) * (1 << 20)) + 1;
  EXPECT_EQ(refused(context, options), "accepted");
  options.engine.strategy = Strategy::halo_thread;
  EXPECT_NE(refused(context, options).find("divides the threads of a rank"), std::string::npos);
}

TEST_P(OnDevices, TakeAsFewPiecesAsFit) {
  TestContext context;
  open(context, GetParam());
  DendriteOptions options = passing(two_crystals({40, 30, 18}, true, true, false), 1);
  const Grid grid(context, {.cells = options.cells, .periodic = options.periodic(), .halo = 1});
  const dendrite::Budget whole = make_budget(grid, options);
  options.storage.memory = whole.near;
  EXPECT_EQ(make_budget(grid, options).pieces, 1);
  options.storage.memory = whole.near * 2 / 3;
  const dendrite::Budget fitting = make_budget(grid, options);
  EXPECT_GT(fitting.pieces, 1);
  EXPECT_LE(fitting.near, options.storage.memory);
}

}  // namespace
}  // namespace sc::test
