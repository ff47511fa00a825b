// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3
// device: yes
// timeout: 300
// label: checked
// Fields on the host that pass through a device in pieces: the bits of fields that lie where they are
// computed, and the memory and the copies that were planned.
#include <gtest/gtest.h>

#include "engine/base/error.hpp"
#include "engine/stage/through_device.hpp"
#include "solvers/dendrite/model.hpp"
#include "solvers/dendrite/stages.hpp"
#include "tests/mpi/backends.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/crystals.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

using dendrite::DendriteOptions;

DendriteOptions passing(DendriteOptions options, int pieces) {
  options.pass = {.on = true, .pieces = pieces};
  options.engine.strategy = Strategy::blocking;
  return options;
}

class OnDevices : public OnBackend {
 protected:
  void SetUp() override {
    OnBackend::SetUp();
    if (GetParam() == Backend::host) GTEST_SKIP() << "nothing passes through the host";
  }
};
INSTANTIATE_TEST_SUITE_P(On, OnDevices, testing::ValuesIn(backends()), backend_name);

TEST_P(OnDevices, PassingFieldsKeepTheirBits) {
  for (const auto& [single, turned] : {std::pair(true, false), {true, true}, {false, false}}) {
    const DendriteOptions options = two_crystals({19, 16, 17}, single, true, turned);
    Context alone(MPI_COMM_SELF);
    const Outcome expected = run(alone, options, 5);
    alone.close();
    TestContext context;
    open(context, GetParam());
    for (const Int3 split : splits(context.size()))
      for (const int pieces : {1, 2, 5}) {
        DendriteOptions through = passing(options, pieces);
        through.split = split;
        const Outcome got = run(context, through, 5);
        EXPECT_EQ(got.measures.total, expected.measures.total);
        EXPECT_EQ(got.measures.phi_high, expected.measures.phi_high);
        EXPECT_EQ(got.measures.tip, expected.measures.tip);
        if (context.rank() == 0) {
          EXPECT_TRUE(same(got, expected)) << to_string(split) << pieces << single << turned;
        }
      }
  }
}

template <bool turned>
void compare_with_plan(Context& context, int pieces) {
  DendriteOptions options = passing(two_crystals({30, 9, 17}, true, false, turned), pieces);
  const Grid grid(context, {.cells = options.cells, .periodic = options.periodic(), .halo = 1});
  dendrite::Fields<float, turned> fields(grid, Space::pinned);
  fields.phi.boundaries().leave_others(Beyond::given);
  fields.theta.boundaries().leave_others(Beyond::given);
  if constexpr (turned) fields.turn.boundaries().leave_others(Beyond::given);
  auto advance = dendrite::advance_stage<float, false, turned>(fields);
  ThroughDevice through(advance, context.device(), pieces);
  const dendrite::Pass plan = plan_pass(grid, options);
  EXPECT_EQ(std::int64_t(through.device_bytes()), plan.device);
  Runner runner(context, options.engine);
  for (int step = 1; step <= 3; ++step) {
    advance.set({dendrite::coefficients_of<float>(options, 1e-12, step)});
    runner.run(through);
    fields.advance();
    EXPECT_EQ(through.bytes(Way::in), step * plan.there);
    EXPECT_EQ(through.bytes(Way::out), step * plan.back);
  }
}

TEST_P(OnDevices, TakeAndCopyWhatIsPlanned) {
  TestContext context;
  open(context, GetParam());
  for (const int pieces : {1, 3, 5}) {
    compare_with_plan<false>(context, pieces);
    compare_with_plan<true>(context, pieces);
  }
}

std::string refused(Context& context, const DendriteOptions& options) {
  try {
    dendrite::make_dendrite(context, options)->step();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Exit::bad_input);
    return e.what();
  }
  return "";
}

TEST_P(OnDevices, RefuseWhatDoesNotFitAndNameWhatDoes) {
  TestContext context;
  open(context, GetParam());
  DendriteOptions options = passing(two_crystals({40, 30, 18}, true, true, false), 100);
  EXPECT_NE(refused(context, options).find("storage.pieces is 100"), std::string::npos);
  options.pass.memory = 10'000;
  const std::string said = refused(context, options);
  const std::size_t figure = said.find("at least ");
  ASSERT_NE(figure, std::string::npos) << said;
  options.pass.memory = std::int64_t(std::stod(said.substr(figure + 9)) * (1 << 20)) + 1;
  EXPECT_EQ(refused(context, options), "");
  options.engine.strategy = Strategy::boundary_first;
  EXPECT_NE(refused(context, options).find("allowed there is blocking"), std::string::npos);
}

TEST_P(OnDevices, TakeAsFewPiecesAsFit) {
  TestContext context;
  open(context, GetParam());
  DendriteOptions options = passing(two_crystals({40, 30, 18}, true, true, false), 1);
  const Grid grid(context, {.cells = options.cells, .periodic = options.periodic(), .halo = 1});
  const dendrite::Pass whole = plan_pass(grid, options);
  options.pass.memory = whole.device;
  EXPECT_EQ(plan_pass(grid, options).pieces, 1);
  options.pass.memory = whole.device * 2 / 3;
  const dendrite::Pass fitting = plan_pass(grid, options);
  EXPECT_GT(fitting.pieces, 1);
  EXPECT_LE(fitting.device, options.pass.memory);
}

}  // namespace
}  // namespace sc::test
