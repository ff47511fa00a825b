// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3
// ranks when long: 4
// threads: 2
// timeout: 300
// label: sanitize checked
// Passes of several steps with fields in files give the bits of single steps in memory on one rank: for every
// length of a pass, number of pieces, strategy and split, with slots and halos NaN before. Every plane is
// read and written once in a pass, and values that the next step overwrites are not written.
#include <gtest/gtest.h>

#include "engine/move/stream/file_memory.hpp"
#include "engine/move/stream/slab_place.hpp"
#include "tests/mpi/poisoned_memory.hpp"
#include "tests/mpi/shared_folder.hpp"
#include "tests/mpi/step_programs.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/refusal.hpp"
#include "tests/unit/stream_files.hpp"

namespace {

using namespace sc;
using namespace sc::test;

struct How {
  Strategy strategy;
  IoMode io;
  struct Cut {
    int pieces, length;
  };
  std::vector<Cut> cuts;
};

/// All settings with every kind of box, each with one of its cuts and one of the splits in turn.
void compare(Program program, Int3 cells, int reach, const std::vector<How>& ways) {
  constexpr int steps = 11;
  TestContext context({.threads = world_size() > 2 ? 1 : 2});
  const SharedFolder folder(context, "scratch-steps-");
  std::size_t turn = 0, box = 0;
  for (const Bool3 periodic :
       {Bool3{}, Bool3{true, true, true}, Bool3{false, true, false}, Bool3{true, false, true}}) {
    const auto expected = one_by_one(program, cells, periodic, 2, steps);
    for (const How& way : ways) {
      const std::vector<Int3> all = splits(context.size());
      const Int3 split = all[turn++ % all.size()];
      const auto [pieces, longest] = way.cuts[box % way.cuts.size()];
      const int length = fitting(longest, cells, split, reach);
      Poisoned<FileMemory> files(folder.options(way.io));
      const Setting setting{
          cells,
          periodic,
          split,
          {.strategy = way.strategy, .steps_per_pass = length, .pass_tile = tile_for(length)},
          in_files(files, std::max(1, pieces / split.z))};
      SCOPED_TRACE(std::to_string(pieces) + " pieces");
      expect_single_steps(context, program, setting, reach, steps, expected);
    }
    ++turn, ++box;
  }
}

TEST(StepsInFiles, LeaveTheBitsOfSingleOnesInMemory) {
  compare(spread, {35, 33, 49}, 1,
          {{Strategy::boundary_first, IoMode::automatic, {{4, 5}, {4, 8}, {4, 3}}},
           {Strategy::blocking, IoMode::blocking, {{4, 2}, {4, 3}, {4, 5}}},
           {Strategy::interior_first, IoMode::threads, {{3, 3}, {3, 5}, {3, 2}, {3, 8}}},
           {Strategy::pipelined, IoMode::automatic, {{1, 8}, {2, 2}}},
           {Strategy::ordered, IoMode::automatic, {{2, 8}, {2, 3}, {2, 1}}},
           {Strategy::automatic, IoMode::automatic, {{3, 4}, {3, 8}}}});
}

TEST(StepsInFiles, OfSeveralStagesLeaveTheBitsOfSingleOnesInMemory) {
  compare(predict_and_correct, {36, 37, 48}, reach_of_a_step,
          {{Strategy::boundary_first, IoMode::automatic, {{3, 2}, {2, 5}, {1, 8}, {2, 3}}},
           {Strategy::blocking, IoMode::automatic, {{2, 3}, {1, 8}, {2, 5}}}});
}

/// A stage in colours would read and write its field once for every colour.
TEST(StepsInFiles, RefuseStagesInColours) {
  TestContext context;
  const SharedFolder folder(context, "scratch-steps-colours-");
  FileMemory files(folder.options());
  const Setting setting{{12, 12, 24},
                        {true, true, true},
                        {1, 1, context.size()},
                        {.strategy = Strategy::boundary_first, .steps_per_pass = 2},
                        in_files(files, 1)};
  const std::string said = refusal([&] { relax_in_colours(context, setting, 6, 2); });
  EXPECT_NE(said.find("\"settle\" cannot be computed slab by slab: it runs in 2 colours"), std::string::npos)
      << said;
}

/// In 4 * 3 steps of a loop, each pass of 3 reads one level and writes one. The last pass writes both,
/// because what follows is unknown.
TEST(StepsInFiles, ReadAndWriteEveryPlaneOnceAPass) {
  TestContext context;
  const SharedFolder folder(context, "scratch-steps-bytes-");
  FileMemory files(folder.options());
  const auto place = in_files(files, 2);
  Spreading spreading(context, {40, 36, 24}, {true, false, false}, 3, place);
  const std::int64_t level = far_cells(spreading.q.storage(0)).arrays()[0].cut().moved();
  const std::int64_t in = files.bytes(Way::in), out = files.bytes(Way::out);
  spreading.runner.steps(12, [&](int) { spreading.step(); });
  place->finish();
  EXPECT_EQ(spreading.runner.passes().passes, 4) << spreading.runner.passes().describe();
  EXPECT_EQ(files.bytes(Way::in) - in, 4 * 2 * level);
  EXPECT_EQ(files.bytes(Way::out) - out, 3 * level + 2 * level);
  const std::int64_t before = files.bytes(Way::out);
  spreading.runner.steps(3, [&](int) { spreading.step(true); });
  place->finish();
  EXPECT_EQ(files.bytes(Way::out) - before, level);
}

/// The kernel counts the planned bytes too: q and k are read once in each of two passes, q is written once.
void expect_planned_bytes(Context& context, Bool3 periodic, int length) {
  const SharedFolder folder(context, "scratch-steps-disk-");
  FileMemory files(folder.options());
  const auto place = in_files(files, 2);
  Spreading spreading(context, {40, 36, 24}, periodic, length, place);
  const auto run = [&] {
    spreading.runner.steps(2 * length, [&](int) { spreading.step(true); });
    place->finish();
  };
  run();
  EXPECT_EQ(spreading.runner.passes().passes, 2) << spreading.runner.passes().describe();
  const std::int64_t level = far_cells(spreading.q.storage(0)).arrays()[0].cut().moved();
  const DiskBytes moved = least_disk_bytes(run);
  if (!files.direct() || moved.read < 0) GTEST_SKIP() << "no O_DIRECT here, or a kernel that does not count";
  EXPECT_EQ(moved.read, 2 * 2 * level);
  constexpr std::int64_t bookkeeping = 1 << 16;  // blocks with the metadata of the files
  EXPECT_GE(moved.written, 2 * level);
  EXPECT_LE(moved.written, 2 * level + bookkeeping);
}

TEST(StepsInFiles, MoveThePlannedBytesOnTheDisk) {
  TestContext context;
  expect_planned_bytes(context, {true, true, true}, 3);
  expect_planned_bytes(context, {}, 5);
  expect_planned_bytes(context, {true, true, false}, 2);
}

/// Cells of the first slab that need no other rank's are computed before the halos have arrived, the others
/// in shells; not so without overlap, and where the piece is too thin. With blocks along z the first slab of
/// the lowest rank needs no halo.
TEST(StepsInFiles, BeginBeforeTheHalosAreThere) {
  TestContext context({.transport = TransportPolicy::delayed, .delay = 2e-3});
  const SharedFolder folder(context, "scratch-steps-apart-");
  const auto in_shells = [&](const Strategy& strategy, int length, Int3 split) {
    FileMemory files(folder.options());
    const Grid grid(context, {.cells = {24, 48, 40 * context.size()}, .halo = length, .split = split});
    Field<double> q(grid, "q", {.levels = 2, .place = in_files(files, 2)}), k(grid, "k");
    q.fill([](int x, int, int) { return x; });
    k.fill([](int, int, int) { return 1.0; });
    set_conditions(q);
    for (const Face face : all_faces) boundary(k, face, Mirrored<double>{});
    Sweep sweep("spread", Spread{0.05}, writes(q.next()), reads(q.now(), sc::box(1)),
                reads(k.now(), star(1)));
    Runner runner(context, {.strategy = strategy, .steps_per_pass = length});
    const double before = context.timeline().total(Phase::shell).seconds;
    runner.steps(2 * length, [&](int) {
      runner.run(sweep);
      q.advance();
    });
    EXPECT_EQ(runner.passes().passes, 2) << runner.passes().describe();
    return context.timeline().total(Phase::shell).seconds - before;
  };
  const int n = context.size();
  for (const Int3 split : {Int3{1, 1, n}, Int3{1, n, 1}}) {
    const bool waits = split.z > 1 && context.rank() > 0, thick = split.y > 1 && n == 2;
    const double shells = in_shells(Strategy::boundary_first, 3, split);
    if (waits || thick) {
      EXPECT_GT(shells, 0) << to_string(split);
    } else if (split.y == 1) {
      EXPECT_EQ(shells, 0) << to_string(split);
    }
    EXPECT_EQ(in_shells(Strategy::blocking, 3, split), 0);
  }
  EXPECT_EQ(in_shells(Strategy::boundary_first, 12, {1, 1, n}), 0);
}

/// The other level is kept if the step after a pass reads it; and both levels are kept after a loop.
struct Difference {
  SC_FN void operator()(At c, InOut<double> d, In<double> now, In<double> before) const {
    d[c] += now[c] - before[c];
  }
};
TEST(StepsInFiles, KeepWhatIsReadAfterAPass) {
  TestContext context;
  const SharedFolder folder(context, "scratch-steps-kept-");
  const auto run = [&](const std::shared_ptr<FarPlace>& place, int length) {
    Spreading spreading(context, {20, 18, 24}, {true, true, true}, length, place);
    Field<double> d(spreading.grid, "d", {.place = place}), &q = spreading.q;
    d.fill([](int, int, int) { return 0.0; });
    Sweep difference("difference", Difference{}, updates(d.now()), reads(q.now()), reads(q.next()));
    spreading.runner.steps(7, [&](int step) {
      if (step == 3) spreading.runner.run(difference);
      spreading.step();
    });
    spreading.runner.run(difference);
    std::vector<double> values = on_root_from(d);
    const std::vector<double> last = on_root_from(q);
    values.insert(values.end(), last.begin(), last.end());
    context.barrier();
    return values;
  };
  FileMemory files(folder.options());
  const std::vector<double> expected = run(nullptr, 1);
  EXPECT_TRUE(same_bits(run(in_files(files, 2), 3), expected));
}

/// A pass that waits for the next step keeps its reported reason for ending, whatever the next step is: here
/// a stage whose reach is too large for the pieces.
struct Far {
  SC_FN void operator()(At c, Out<double> next, In<double> q) const {
    next[c] = 0.5 * (q[c.z(3)] + q[c.z(-3)]);
  }
};
TEST(StepsInFiles, KeepTheReasonOfAPassThatWaits) {
  TestContext context;
  const SharedFolder folder(context, "scratch-steps-reason-");
  FileMemory files(folder.options());
  Spreading spreading(context, {12, 12, 10}, {true, true, true}, 2, in_files(files, 2));
  Field<double>& q = spreading.q;
  Runner& runner = spreading.runner;
  Sweep far("far", Far{}, writes(q.next()), reads(q.now(), star(3)));
  runner.steps(4, [&](int step) {
    step < 2 ? runner.run(spreading.sweep) : runner.run(far);
    q.advance();
  });
  EXPECT_EQ(runner.passes().passes, 1) << runner.passes().describe();
  EXPECT_TRUE(runner.passes().ended.empty()) << runner.passes().describe();
}

}  // namespace
