// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4
// threads: 2
// optimise: no
// label: checked
// Fields in files: the same runner, sweeps, conditions and reductions give the bits of fields in memory, for
// every split, reach and strategy.
#include <gtest/gtest.h>

#include <array>

#include "engine/base/error.hpp"
#include "engine/move/stream/file_memory.hpp"
#include "engine/move/stream/slab_place.hpp"
#include "tests/mpi/placed_fields.hpp"
#include "tests/mpi/shared_folder.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/refusal.hpp"
#include "tests/unit/stream_files.hpp"

namespace sc::test {
namespace {

struct How {
  IoMode io;
  Strategy strategy;
  int pieces;
};

// All I/O modes with every kind of stage, each with one of the splits.
TEST(Placement, StagesOverFilesLeaveTheBitsOfMemory) {
  TestContext context({.threads = 2});
  const SharedFolder folder(context, "scratch-placement-");
  std::size_t turn = 0;
  for (const How& way :
       {How{IoMode::automatic, Strategy::boundary_first, 4}, How{IoMode::automatic, Strategy::pipelined, 1},
        How{IoMode::threads, Strategy::interior_first, 8}, How{IoMode::blocking, Strategy::blocking, 3},
        How{IoMode::automatic, Strategy::halo_thread, 4}, How{IoMode::automatic, Strategy::ordered, 5}}) {
    FileMemory files(folder.options(way.io));
    compare_all(context, in_files(files, way.pieces), way.strategy, way.pieces, turn);
  }
}

TEST(Placement, MovesThePlannedBytesAndNoOthers) {
  TestContext context;
  const SharedFolder folder(context, "scratch-placement-bytes-");
  FileMemory files(folder.options());
  const auto place = in_files(files, 4);
  const Grid grid(context,
                  {.cells = {40, 36, 32}, .periodic = {true, true, true}, .split = {1, 1, context.size()}});
  Field<double, 2> T(grid, "T", {.levels = 2, .place = place});
  T.fill(first);
  Runner runner(context, {.strategy = Strategy::boundary_first});
  Sweep diffuse("diffuse", Diffuse<1, true>{0.05}, writes(T.next()), reads(T.now(), box(1)));
  const StreamPhase phase = Slabs(diffuse, true).pass().phase;
  const std::int64_t in = SlabStream::bytes(phase, Way::in), out = SlabStream::bytes(phase, Way::out);
  const auto run = [&](int steps) {
    for (int n = 0; n < steps; ++n) {
      runner.run(diffuse);
      T.advance();
    }
    place->finish();
  };
  constexpr int steps = 3;
  const std::array before{files.bytes(Way::in), files.bytes(Way::out)};
  run(steps);
  EXPECT_EQ(files.bytes(Way::in) - before[0], steps * in);
  EXPECT_EQ(files.bytes(Way::out) - before[1], steps * out);
  const DiskBytes moved = least_disk_bytes([&] { run(steps); });
  if (!files.direct() || moved.read < 0) GTEST_SKIP() << "no O_DIRECT here, or a kernel that does not count";
  EXPECT_EQ(moved.read, steps * in);
  constexpr std::int64_t bookkeeping = 1 << 16;  // blocks with the metadata of the files
  EXPECT_GE(moved.written, steps * out);
  EXPECT_LE(moved.written, steps * out + bookkeeping);
}

TEST(Placement, HidesMessagesAndFiles) {
  // So slow that the time slices of a busy machine hardly count beside it.
  TestContext context({.transport = TransportPolicy::delayed, .delay = 40e-3});
  const SharedFolder folder(context, "scratch-placement-hidden-");
  FileMemoryOptions disk = folder.options(IoMode::threads);
  disk.most_bytes_per_second = 10e6;
  FileMemory files(disk);
  expect_hidden(context, in_files(files, 8), Resource::files);
}

TEST(Placement, RefusesWhatCannotPassSlabBySlab) {
  TestContext context;
  const SharedFolder folder(context, "scratch-placement-no-");
  FileMemory files(folder.options());
  const Grid grid(context, {.cells = {8, 8, 32}, .halo = 1, .split = {1, 1, context.size()}});
  Field<double, 2> T(grid, "T", {.levels = 2, .place = in_files(files, 2)});
  Runner runner(context, {.strategy = Strategy::boundary_first});
  Sweep diffuse("diffuse", Diffuse<1, false>{0.05}, writes(T.next()), reads(T.now(), star(1)));
  EXPECT_NE(refusal([&] { runner.run(diffuse); }).find("nothing is set"), std::string::npos);
  T.boundaries().leave_others(Beyond::given);
  EXPECT_NE(refusal([&] { runner.run(diffuse); }).find("given by the program"), std::string::npos);
  for (const Face face : all_faces) boundary(T, face, Mirrored<double, 2>{});
  runner.run(diffuse);
  Sweep colours("colours", Damp{0.1}, SweepOptions{.colours = 2}, updates(T.now(), star(1)));
  EXPECT_NE(refusal([&] { runner.run(colours); }).find("in 2 colours"), std::string::npos);
  Field<double, 2> other(grid, "other", {.place = in_files(files, 2)});
  Sweep damp("both", Diffuse<1, false>{0.1}, writes(other.now()), reads(T.now(), star(1)));
  EXPECT_NE(refusal([&] { runner.run(damp); }).find("two places"), std::string::npos);
  const auto failure = [](const auto& action) { return refusal(action, Exit::failure); };
  EXPECT_NE(failure([&] { T.get({0, 0, 0}); }).find("lies in files"), std::string::npos);
  EXPECT_NE(failure([&] { runner.move(T.now(), other.now()); }).find("lies in files"), std::string::npos);
  EXPECT_THROW((Field<double>(grid, "thin", {.place = in_files(files, 33)})), Error);
}

}  // namespace
}  // namespace sc::test
