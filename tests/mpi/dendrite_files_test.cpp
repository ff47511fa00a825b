// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3
// ranks when long: 4
// timeout: 300
// optimise: no
// A crystal with fields in files: the bits of fields in memory, the planned bytes, and output and checkpoints
// slab by slab.
#include <gtest/gtest.h>

#include <array>
#include <fstream>

#include "engine/base/error.hpp"
#include "io/checkpoint.hpp"
#include "io/snapshot.hpp"
#include "solvers/dendrite/solver.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/crystals.hpp"
#include "tests/mpi/shared_folder.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/process_memory.hpp"

namespace sc::test {
namespace {

using dendrite::DendriteOptions;

DendriteOptions in_files(DendriteOptions options, const SharedFolder& folder, int pieces) {
  options.storage = {.where = Where::files, .pieces = pieces, .scratch = folder.path()};
  return options;
}

TEST(DendriteInFiles, LeavesTheBitsOfMemory) {
  constexpr std::array strategies{&Strategy::boundary_first, &Strategy::interior_first, &Strategy::pipelined,
                                  &Strategy::blocking, &Strategy::halo_thread};
  std::size_t turn = 0;
  constexpr Int3 cells{19, 16, 17};
  for (const DendriteOptions& options :
       {two_crystals(cells, true, true, false), two_crystals(cells, true, true, true),
        two_crystals(cells, false, true, false), karma_rappel_crystals(cells, false, true)}) {
    const Outcome expected = on_one_rank([&](Context& one) { return run(one, options, 5); });
    TestContext context;
    const SharedFolder folder(context, "scratch-crystal-");
    for (const Int3 split : splits(context.size()))
      for (const int pieces : {1, 4}) {
        DendriteOptions filed = in_files(options, folder, pieces);
        filed.split = split;
        filed.engine.strategy = *strategies[turn++ % strategies.size()];
        const Outcome got = run(context, filed, 5);
        expect_same(context, got, expected,
                    to_string(split) + std::to_string(pieces) + kind_of(options) +
                        std::string(filed.engine.strategy.name));
      }
  }
}

TEST(DendriteInFiles, MovesTheBytesThatWerePlanned) {
  TestContext context;
  const SharedFolder folder(context, "scratch-crystal-");
  for (const Strategy strategy : {Strategy::boundary_first, Strategy::blocking}) {
    DendriteOptions options = in_files(two_crystals({30, 9, 17}, true, true, true), folder, 3);
    options.engine.strategy = strategy;
    const auto solver = std::make_unique<dendrite::Dendrite>(context, options);
    SlabPlace& place = *far_cells(solver->phase().storage(0)).place();
    solver->step();
    place.finish();
    const std::array before{place.memory().bytes(Way::in), place.memory().bytes(Way::out)};
    for (int n = 0; n < 3; ++n) solver->step();
    place.finish();
    EXPECT_EQ(place.memory().bytes(Way::in) - before[0], 3 * solver->budget().read);
    EXPECT_EQ(place.memory().bytes(Way::out) - before[1], 3 * solver->budget().written);
    EXPECT_EQ(place.ring().ahead(), solver->budget().ahead);
  }
}

// A window of several steps over slabs, with noise, walls and rotated crystals.
TEST(DendriteInFiles, LeavesTheBitsOfMemoryInPassesOfSeveralSteps) {
  constexpr std::array strategies{&Strategy::boundary_first, &Strategy::blocking, &Strategy::interior_first};
  struct Cut {
    int pieces, length;
  };
  constexpr std::array cuts{Cut{4, 3}, Cut{3, 5}, Cut{2, 8}, Cut{4, 2}};
  std::size_t turn = 0;
  constexpr Int3 cells{19, 16, 34};
  constexpr int steps = 9;
  for (const DendriteOptions& options :
       {two_crystals(cells, true, true, false), two_crystals(cells, false, true, true),
        karma_rappel_crystals(cells, false, false)}) {
    const Outcome expected = on_one_rank([&](Context& one) { return run(one, options, steps); });
    TestContext context;
    const SharedFolder folder(context, "scratch-crystal-");
    for (const Int3 split : splits(context.size())) {
      const auto [pieces, longest] = cuts[turn % cuts.size()];
      const int length = std::min({longest, cells.x / split.x, cells.y / split.y, cells.z / split.z});
      DendriteOptions filed = in_files(options, folder, std::max(1, pieces / split.z));
      filed.split = split;
      filed.engine.steps_per_pass = length;
      filed.engine.strategy = *strategies[turn++ % strategies.size()];
      const Outcome got = run(context, filed, steps);
      EXPECT_EQ(got.passes, (steps + length - 1) / length);
      expect_same(context, got, expected, to_string(split) + std::to_string(length) + kind_of(options));
    }
  }
}

TEST(DendriteInFiles, MovesTheBytesThatWerePlannedInPasses) {
  TestContext context;
  const SharedFolder folder(context, "scratch-crystal-");
  for (const Strategy strategy : {Strategy::boundary_first, Strategy::blocking}) {
    DendriteOptions options =
        in_files(two_crystals({30, 9, 16 * context.size()}, true, true, true), folder, 2);
    options.split = {1, 1, context.size()};
    options.engine.strategy = strategy;
    options.engine.steps_per_pass = 4;
    const auto solver = std::make_unique<dendrite::Dendrite>(context, options);
    SlabPlace& place = *far_cells(solver->phase().storage(0)).place();
    solver->steps(4);
    place.finish();
    const std::array before{place.memory().bytes(Way::in), place.memory().bytes(Way::out)};
    solver->steps(4);
    solver->steps(4);
    place.finish();
    if (strategy == Strategy::blocking) {  // otherwise pieces of the next pass may have been prefetched
      EXPECT_EQ(place.memory().bytes(Way::in) - before[0], 8 * solver->budget().read);
    }
    EXPECT_EQ(place.memory().bytes(Way::out) - before[1], 8 * solver->budget().written);
    EXPECT_TRUE(place.ring().holds());
  }
}

TEST(DendriteInFiles, FitsItsMemoryOrNamesTheSmallest) {
  TestContext context;
  const SharedFolder folder(context, "scratch-crystal-");
  DendriteOptions options = in_files(two_crystals({96, 96, 64}, true, true, false), folder, 100);
  EXPECT_NE(refused(context, options).find("storage.pieces is 100; it must be from 1 to"), std::string::npos);
  options.storage.pieces = 16;
  options.engine.steps_per_pass = 8;
  EXPECT_NE(refused(context, options).find("leaves pieces of fewer than 12 planes"), std::string::npos);
  options.engine.steps_per_pass = 1;
  options.storage.memory = 1 << 20;
  const std::string said = refused(context, options);
  const std::size_t figure = said.find("at least ");
  ASSERT_NE(figure, std::string::npos) << said;
  // With a margin for changes of the process's memory between two attempts.
  const double mib = std::stod(said.substr(figure + 9)) + 2.0 * context.size();
  options.storage.memory = std::int64_t(mib * (1 << 20));
  EXPECT_EQ(refused(context, options), "accepted");
  options.storage.where = Where::memory;
  options.storage.memory = std::int64_t{64} << 30;
  EXPECT_EQ(std::make_unique<dendrite::Dendrite>(context, options)->budget().where, Where::memory);
}

// A checkpoint and a snapshot of fields in files, with only slabs in memory at any time; read back into
// memory, and the reverse.
TEST(DendriteInFiles, FilesAreWrittenAndReadBySlabs) {
  TestContext context;
  const SharedFolder folder(context, "scratch-crystal-");
  const Grid grid(context, {.cells = {128, 128, 320}, .split = {1, 1, context.size()}});
  FileMemory memory({.folder = folder.path(), .name = "rank " + std::to_string(context.rank())});
  const auto place = sc::in_files(memory, 320 / context.size() / 8);
  Field<double> far(grid, "phi", {.place = place});
  far.fill([](int x, int y, int z) { return x + 1000.0 * y + 1e6 * z; });
  const std::string checkpoint = folder.path() + "/checkpoint.h5", snapshot = folder.path() + "/s.vtkhdf";
  const auto contents = [&](Storage& storage) {
    return io::CheckpointContents{
        .solver = "test", .grid = grid, .fields = {{"phi", &storage}}, .scalars = {}};
  };
  const auto written = [&](Storage& storage) {
    io::write_checkpoint(checkpoint, contents(storage));
    io::write_snapshot(snapshot, {.uniform = io::UniformPoints{}, .fields = {{"phi", &storage}}});
    const auto bytes = [](const std::string& path) {
      std::ifstream in(path, std::ios::binary);
      return std::string(std::istreambuf_iterator<char>(in), {});
    };
    std::array<std::string, 2> all;
    if (context.rank() == 0) all = {bytes(checkpoint), bytes(snapshot)};
    context.barrier();
    return all;
  };
  reset_peak_memory();
  const std::int64_t before = peak_memory();
  io::write_checkpoint(checkpoint, contents(far.storage(0)));
  io::write_snapshot(snapshot, {.uniform = io::UniformPoints{}, .fields = {{"phi", &far.storage(0)}}});
  io::read_checkpoint(checkpoint, contents(far.storage(0)));
  const std::int64_t whole = grid.own().cells() * 8;
  if (context.size() <= 2) {
    EXPECT_LT(peak_memory() - before, whole / 2);
  }
  const auto from_files = written(far.storage(0));
  Field<double> near(grid, "phi");
  io::read_checkpoint(checkpoint, contents(near.storage(0)));
  int wrong = 0;
  const Int3 origin = grid.origin();
  each_cell(grid.own(), [&](Int3 c) {
    wrong += near.get(c) != origin.x + c.x + 1000.0 * (origin.y + c.y) + 1e6 * (origin.z + c.z);
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_TRUE(written(near.storage(0)) == from_files);
  far.fill([](int, int, int) { return 0.0; });
  io::read_checkpoint(checkpoint, contents(far.storage(0)));
  EXPECT_TRUE(gather(far.storage(0)) == gather(near.storage(0)));
}

}  // namespace
}  // namespace sc::test
