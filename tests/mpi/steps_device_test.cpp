// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3
// ranks when long: 4
// device: yes
// timeout: 300
// optimise: no
// label: checked
// Passes of several steps on a device give the bits of single steps in the host's memory on one rank: for
// fields on the device, and for fields in host memory that pass through it, with every order in which a
// device may execute its work. In a pass every plane is copied to the device and back once.
#include "engine/base/error.hpp"
#include "engine/move/stream/host_memory.hpp"
#include "tests/mpi/backends.hpp"
#include "tests/mpi/kernels.hpp"
#include "tests/mpi/poisoned_memory.hpp"
#include "tests/mpi/step_programs.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/refusal.hpp"

namespace sc::test {
namespace {

class OnDevices : public OnDevice {};
INSTANTIATE_TEST_SUITE_P(On, OnDevices, testing::ValuesIn(backends()), backend_name);

struct How {
  Strategy strategy;
  std::vector<int> lengths;
  int pieces = 0;  ///< of fields in host memory; 0: on the device
};

/// All settings with every kind of box, each with one of its lengths and one of the splits in turn.
void compare(Backend backend, Program program, Int3 cells, int reach, const std::vector<How>& ways) {
  constexpr int steps = 9;
  TestContext context({.transport = TransportPolicy::mpi});
  open(context, backend);
  std::size_t turn = 0, box = 0;
  for (const Bool3 periodic : {Bool3{}, Bool3{true, true, true}, Bool3{true, false, true}}) {
    const auto expected = one_by_one(program, cells, periodic, 2, steps);
    for (const How& way : ways) {
      const std::vector<Int3> all = splits(context.size());
      const Int3 split = all[turn++ % all.size()];
      const int pieces = way.pieces > 0 ? std::max(1, way.pieces / split.z) : 0;
      const int length = fitting(way.lengths[box % way.lengths.size()], cells, split, reach);
      const Setting setting{cells,
                            periodic,
                            split,
                            {.strategy = way.strategy, .poke_seconds = 1e-6, .steps_per_pass = length},
                            pieces > 0 ? in_poisoned_host_memory_of(context.device(), pieces) : nullptr,
                            pieces > 0 ? Space::host : Space::device};
      SCOPED_TRACE(std::to_string(pieces) + " pieces");
      expect_single_steps(context, program, setting, reach, steps, expected);
    }
    ++turn, ++box;
  }
}

TEST_P(OnDevices, StepsLeaveTheBitsOfSingleOnes) {
  compare(GetParam(), spread, {28, 29, 30}, 1,
          {{Strategy::blocking, {2, 8, 3}},
           {Strategy::boundary_first, {5, 3, 8}},
           {Strategy::pipelined, {3, 5}}});
}

TEST_P(OnDevices, StepsOfSeveralStagesLeaveTheBitsOfSingleOnes) {
  compare(GetParam(), predict_and_correct, {28, 29, 30}, reach_of_a_step,
          {{Strategy::ordered, {2, 5, 8}}, {Strategy::interior_first, {3, 8, 5}}});
}

TEST_P(OnDevices, StepsInColoursLeaveTheBitsOfSingleOnes) {
  compare(GetParam(), relax_in_colours, {28, 30, 28}, reach_of_colours,
          {{Strategy::boundary_first, {2, 8, 5}}, {Strategy::blocking, {3, 5, 2}}});
}

TEST_P(OnDevices, StepsOverTheHostsMemoryLeaveItsBits) {
  compare(GetParam(), spread, {26, 25, 49}, 1,
          {{Strategy::boundary_first, {5, 3, 8}, 4},
           {Strategy::blocking, {2, 8, 5}, 4},
           {Strategy::pipelined, {6, 2, 3}, 1}});
  compare(GetParam(), predict_and_correct, {28, 29, 48}, reach_of_a_step,
          {{Strategy::boundary_first, {2, 3, 5}, 2}, {Strategy::interior_first, {8, 2, 5}, 1}});
}

// In 12 steps of a loop each pass of 3 reads one level of q, and k, and writes one level, whose other one the
// next step overwrites. The strips of cells that neighbours read are copied besides.
TEST_P(OnDevices, CopyEveryPlaneOnceAPass) {
  TestContext context;
  open(context, GetParam());
  const auto place = in_host_memory_of(context.device(), 2);
  Spreading spreading(context, {40, 36, 24}, {}, 3, place);
  place->finish();
  const std::int64_t in = place->memory().bytes(Way::in), out = place->memory().bytes(Way::out);
  spreading.runner.steps(12, [&](int) { spreading.step(true); });
  place->finish();
  EXPECT_EQ(spreading.runner.passes().passes, 4) << spreading.runner.passes().describe();
  const std::int64_t level = far_cells(spreading.q.storage(0)).arrays()[0].cut().moved();
  const std::int64_t strips = context.size() == 1 ? 0 : place->memory().bytes(Way::in) - in - 4 * 2 * level;
  const std::int64_t surface = std::int64_t{46} * 42 * 3 * 2 * std::int64_t{sizeof(double)};  // of an array
  EXPECT_EQ(place->memory().bytes(Way::in) - in, 4 * 2 * level + strips);
  EXPECT_GE(strips, 0);
  EXPECT_LE(strips, 4 * 2 * surface);
  EXPECT_GE(place->memory().bytes(Way::out) - out, 4 * level);
  EXPECT_LE(place->memory().bytes(Way::out) - out, 4 * (level + surface));
}

TEST_P(OnDevices, SayWhatEndsAPass) {
  TestContext context;
  open(context, GetParam());
  const Grid grid(context, {.cells = {16, 16, 16}, .periodic = {true, true, true}, .halo = 2});
  Field<double> q(grid, "q", {.levels = 2, .space = Space::device}), k(grid, "k", {.space = Space::device}),
      on_host(grid, "on host", {.levels = 2});
  for (Field<double>* field : {&q, &k, &on_host}) field->fill([](int x, int, int) { return x; });
  Runner runner(context, {.strategy = Strategy::boundary_first, .steps_per_pass = 2});
  Sweep sweep("spread", Spread{0.05}, writes(q.next()), reads(q.now(), sc::box(1)), reads(k.now(), star(1)));
  Sweep total("total", Value{}, SweepOptions{.reduce = Reduce::sum}, reads(q.now()));
  Sweep copy("copy", Copy{}, writes(on_host.next()), reads(on_host.now()));
  double sum = 0;
  runner.steps(2, [&](int step) {
    runner.run(sweep);
    q.advance();
    if (step == 0) runner.run(total, [&](std::span<const Accumulator> values) { sum = values[0].value(); });
    if (step == 1) runner.run(copy);
  });
  EXPECT_NE(sum, 0);
  const std::string said = runner.passes().describe();
  EXPECT_NE(said.find("stage \"total\" reduces to a value on a device"), std::string::npos) << said;
  EXPECT_NE(said.find("stages on the host and on a device follow each other"), std::string::npos) << said;

  const auto refused = [&](const RunnerOptions& options) {
    Runner other(context, options);
    return refusal([&] { other.steps(2, [&](int) { other.run(sweep); }); });
  };
  std::string why = refused({.strategy = Strategy::halo_thread, .steps_per_pass = 2});
  EXPECT_NE(why.find("divides the threads"), std::string::npos) << why;
  why = refused({.strategy = Strategy::boundary_first, .steps_per_pass = 2, .pass_tile = {0, 8, 4}});
  EXPECT_EQ(why.find("pass_tile is [0, 8, 4], but stage \"spread\" runs on "), 0U) << why;
}

// A stage in colours would be copied once for every colour.
TEST_P(OnDevices, RefuseStagesInColoursOverTheHostsMemory) {
  TestContext context;
  open(context, GetParam());
  const Setting setting{{12, 12, 24},
                        {true, true, true},
                        {1, 1, context.size()},
                        {.strategy = Strategy::boundary_first, .steps_per_pass = 2},
                        in_host_memory_of(context.device(), 1)};
  const std::string said = refusal([&] { relax_in_colours(context, setting, 6, 2); });
  EXPECT_NE(said.find("\"settle\" cannot be computed slab by slab: it runs in 2 colours"), std::string::npos)
      << said;
}

}  // namespace
}  // namespace sc::test
