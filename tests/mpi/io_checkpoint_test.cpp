// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 5
// optimise: no
// Checkpoints are read back with the same bits on any number of ranks and with any decomposition.
#include "engine/grid/cells.hpp"
#include "io/checkpoint.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmath>

#include <bit>
#include <chrono>
#include <thread>
#include "io/checksum.hpp"

#include "tests/mpi/io_state.hpp"
#include "tests/refusal.hpp"

namespace sc::test {
namespace {

constexpr Int3 cells{11, 7, 9};

/// A state with every element type, several components, two levels, and walls in one field.
struct State {
  explicit State(Context& context, Int3 split = {0, 0, 0}, int on = 0)
      : grid(on > 0 ? Grid(context, options(split)).on(on) : Grid(context, options(split))),
        velocity(grid, "velocity", {.levels = 2}),
        pressure(grid, "pressure"),
        single(grid, "single"),
        small(grid, "small"),
        large(grid, "large"),
        wave(grid, "wave"),
        half_wave(grid, "half_wave") {}

  static GridOptions options(Int3 split) {
    return {.cells = cells, .periodic = {false, true, false}, .halo = 1, .split = split};
  }

  io::CheckpointContents contents() {
    return {.solver = "test",
            .grid = grid,
            .fields = {{"velocity", &velocity.storage(0), 1},
                       {"velocity_before", &velocity.storage(1), 0},
                       {"pressure", &pressure.storage(0), 0},
                       {"single", &single.storage(0), 0},
                       {"small", &small.storage(0), 0},
                       {"large", &large.storage(0), 1},
                       {"wave", &wave.storage(0), 0},
                       {"half_wave", &half_wave.storage(0), 0}},
            .scalars = {{"time", &time}, {"step", &step}, {"mood", &mood}, {"undefined", &undefined}}};
  }

  void fill() {
    set<double>(velocity.storage(0), 1, 1);
    set<double>(velocity.storage(1), 0, 2);
    set<double>(pressure.storage(0), 0, 3);
    set<float>(single.storage(0), 0, 4);
    set<std::int32_t>(small.storage(0), 0, 5);
    set<std::int64_t>(large.storage(0), 1, 6);
    set<std::complex<double>>(wave.storage(0), 0, 7);
    set<std::complex<float>>(half_wave.storage(0), 0, 8);
    time = 0.1 + 0.2;
    step = -(std::int64_t{1} << 53) - 1;
    mood = "läuft";
    undefined = std::numeric_limits<double>::quiet_NaN();
  }

  std::int64_t wrong_values() const {
    return wrong<double>(velocity.storage(0), 1, 1) + wrong<double>(velocity.storage(1), 0, 2) +
           wrong<double>(pressure.storage(0), 0, 3) + wrong<float>(single.storage(0), 0, 4) +
           wrong<std::int32_t>(small.storage(0), 0, 5) + wrong<std::int64_t>(large.storage(0), 1, 6) +
           wrong<std::complex<double>>(wave.storage(0), 0, 7) +
           wrong<std::complex<float>>(half_wave.storage(0), 0, 8);
  }

  Grid grid;
  Field<double, 3> velocity;
  Field<double> pressure;
  Field<float> single;
  Field<std::int32_t> small;
  Field<std::int64_t> large;
  Field<std::complex<double>, 2> wave;
  Field<std::complex<float>> half_wave;
  double time = 0;
  std::int64_t step = 0;
  std::string mood;
  double undefined = 0;
};

void write_state(Context& context, const std::string& path, Int3 split = {0, 0, 0}, int on = 0) {
  State state(context, split, on);
  state.fill();
  io::write_checkpoint(path, state.contents());
}

void expect_state(Context& context, const std::string& path, Int3 split = {0, 0, 0}, int on = 0) {
  State state(context, split, on);
  state.velocity.storage(0).set_fresh(box(1));
  io::read_checkpoint(path, state.contents());
  EXPECT_EQ(state.wrong_values(), 0);
  EXPECT_EQ(state.time, 0.1 + 0.2);
  EXPECT_EQ(state.step, -(std::int64_t{1} << 53) - 1);
  EXPECT_EQ(state.mood, "läuft");
  EXPECT_TRUE(std::isnan(state.undefined));
  EXPECT_EQ(state.velocity.storage(0).fresh(), point);
}

TEST(Checkpoint, ComesBackOnAnyNumberOfRanks) {
  TestContext context;
  const Folder folder(context);
  const std::string path = folder / "state.h5";
  for (int writers = 1; writers <= context.size(); ++writers) {
    on_ranks(context, writers, [&](Context& some) { write_state(some, path); });
    for (int readers = 1; readers <= context.size(); ++readers)
      on_ranks(context, readers, [&](Context& some) { expect_state(some, path); });
  }
}

TEST(Checkpoint, ComesBackOnAnySplit) {
  TestContext context;
  const Folder folder(context);
  const std::string path = folder / "state.h5";
  const int n = context.size();
  for (const Int3 writing : {Int3{n, 1, 1}, Int3{1, n, 1}, Int3{1, 1, n}})
    for (const Int3 reading : {Int3{1, n, 1}, Int3{1, 1, n}, Int3{n, 1, 1}}) {
      write_state(context, path, writing);
      expect_state(context, path, reading);
    }
}

TEST(Checkpoint, RanksWithoutCellsTakePart) {
  TestContext context;
  const Folder folder(context);
  const std::string path = folder / "state.h5";
  write_state(context, path, {0, 0, 0}, 1);
  expect_state(context, path);
  write_state(context, path);
  expect_state(context, path, {0, 0, 0}, 1);
}

TEST(Checkpoint, BytesDoNotDependOnTheRanks) {
  TestContext context;
  const Folder folder(context);
  on_ranks(context, 1, [&](Context& one) { write_state(one, folder / "one.h5"); });
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // a time stamp would differ by now
  write_state(context, folder / "all.h5");
  if (context.rank() == 0) {
    const std::string one = bytes_of(folder / "one.h5");
    EXPECT_GT(one.size(), 1000u);
    EXPECT_TRUE(one == bytes_of(folder / "all.h5"));
  }
}

TEST(Checkpoint, LeavesNothingBesideItselfAndReplacesTheOldOne) {
  TestContext context;
  const Folder folder(context);
  const std::string path = folder / "state.h5";
  write_state(context, path);
  write_state(context, path);
  EXPECT_EQ(folder.entries(), 1);
  expect_state(context, path);
}

// A checkpoint replaces only regular files, and only these are opened as checkpoints.
TEST(Checkpoint, LeavesWhatIsNoRegularFileAlone) {
  TestContext context;
  const Folder folder(context);
  const std::string link = folder / "link.h5", pipe = folder / "pipe.h5", inner = folder / "folder.h5",
                    target = folder / "target", parts = folder / "parts.h5", device = folder / "null";
  if (context.rank() == 0) {
    std::ofstream(target) << "mine";
    // A copy of /dev/null, which only root can create; otherwise the name is a pipe too.
    const bool made = ::mknod(device.c_str(), S_IFCHR | 0600, makedev(1, 3)) == 0;
    ASSERT_TRUE(made || ::mkfifo(device.c_str(), 0600) == 0);
    ASSERT_EQ(::symlink(target.c_str(), link.c_str()), 0);
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    std::filesystem::create_directory(inner);
    ASSERT_EQ(::symlink(target.c_str(), (parts + ".subcurrent-part").c_str()), 0);
  }
  context.barrier();
  State state(context);
  state.fill();
  const auto said = [](const auto& action) { return refusal(action, Exit::storage); };
  for (const std::string& path : {link, pipe, inner, device, parts})
    EXPECT_NE(said([&] { io::write_checkpoint(path, state.contents()); }).find("not a regular file"),
              std::string::npos)
        << path;
  EXPECT_NE(said([&] { io::read_checkpoint(pipe, state.contents()); }).find("it is a pipe"),
            std::string::npos);
  EXPECT_NE(said([&] { io::read_checkpoint("/dev/zero", state.contents()); }).find("it is a device"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::is_regular_file(device));
  EXPECT_TRUE(std::filesystem::is_symlink(link) && std::filesystem::is_fifo(pipe));
  std::string held;
  std::ifstream(target) >> held;
  EXPECT_EQ(held, "mine");
  context.barrier();
}

// A folder and a link with the suffix of a temporary belong to a user; only regular files are removed.
TEST(Checkpoint, RemovesOnlyFilesThatWereLeftOver) {
  TestContext context;
  const Folder folder(context);
  const auto name = [&](const char* word) { return folder / word + ".subcurrent-part"; };
  if (context.rank() == 0) {
    std::ofstream(name("file")) << "half";
    std::filesystem::create_directory(name("folder"));
    ASSERT_EQ(::symlink("/nowhere", name("link").c_str()), 0);
  }
  context.barrier();
  io::remove_leftovers(context, folder.path());
  context.barrier();
  EXPECT_FALSE(std::filesystem::exists(name("file")));
  EXPECT_TRUE(std::filesystem::is_directory(name("folder")));
  EXPECT_TRUE(std::filesystem::is_symlink(name("link")));
  context.barrier();
}

TEST(Checkpoint, KeepsNegativeZeroAndPayloadsOfNan) {
  TestContext context;
  const Folder folder(context);
  const Grid grid(context, {.cells = cells, .halo = 1});
  Field<double> field(grid, "field");
  field.fill([](int x, int y, int z) {
    return (x + y + z) % 2 ? -0.0 : std::bit_cast<double>(0x7ff8000000000000u + static_cast<unsigned>(x));
  });
  const io::CheckpointContents contents{"test", grid, {{"field", &field.storage(0)}}, {}};
  io::write_checkpoint(folder / "state.h5", contents);
  std::vector<double> before(static_cast<std::size_t>(grid.layout().elements));
  std::memcpy(before.data(), &field.modify().base[-grid.layout().origin], before.size() * 8);
  wipe<double>(field.storage(0));
  io::read_checkpoint(folder / "state.h5", contents);
  each_cell(grid.own(), [&](Int3 c) {
    const double was = before[static_cast<std::size_t>(grid.layout().origin + grid.layout().offset(c))];
    EXPECT_TRUE(same_bits(was, field.get(c)));
  });
}

// The checksum of an array is independent of its division.
TEST(Checksum, IsTheSumOfItsParts) {
  std::vector<double> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(i));
  const auto* data = reinterpret_cast<const std::byte*>(values.data());
  const std::uint64_t whole = io::checksum(data, 1000, 8, 0);
  for (const std::size_t cut : {1u, 2u, 499u, 999u})
    EXPECT_EQ(whole, io::checksum(data, cut, 8, 0) + io::checksum(data + 8 * cut, 1000 - cut, 8, cut));
  EXPECT_EQ(whole, io::checksum(data, 500, 16, 0));
  std::swap(values[3], values[4]);
  EXPECT_NE(whole, io::checksum(data, 1000, 8, 0));
}

}  // namespace
}  // namespace sc::test
