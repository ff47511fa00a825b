// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4
// threads: 2
// label: checked
// Fields in files: the same runner, sweeps, conditions and reductions leave the bits of fields in memory,
// with any split, reach and strategy.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>

#include "engine/base/error.hpp"
#include "engine/move/stream/file_memory.hpp"
#include "engine/move/stream/in_files.hpp"
#include "engine/overlap/ledger.hpp"
#include "engine/subcurrent.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/unit/stream_files.hpp"

namespace sc::test {
namespace {

/// A scratch folder for a test, gone at its end.
class Folder {
 public:
  Folder(Context& context, const std::string& name)
      : context_(context),
        path_((std::filesystem::current_path() / (name + std::to_string(context.size()))).string()) {}
  ~Folder() {
    context_.barrier();
    if (context_.rank() == 0) std::filesystem::remove_all(path_);
  }
  FileMemoryOptions options(IoMode mode = IoMode::automatic) const {
    return {.folder = path_, .name = "rank " + std::to_string(context_.rank()), .mode = mode};
  }

 private:
  Context& context_;
  std::string path_;
};

/// next_k = T_k + a (sum over the neighbours up to `width` away - 6 width T_k), of two components, and
/// corners where `corners`
template <int width, bool corners>
struct Diffuse {
  double a;
  SC_FN void operator()(At c, Out<double, 2> next, In<double, 2> T) const {
    for (int k = 0; k < 2; ++k) {
      double sum = 0;
      for (int n = 1; n <= width; ++n)
        sum += T[k][c.x(n)] + T[k][c.x(-n)] + T[k][c.y(n)] + T[k][c.y(-n)] + T[k][c.z(n)] + T[k][c.z(-n)];
      if (corners)
        for (const int x : {-width, width})
          for (const int y : {-width, width})
            for (const int z : {-width, width})
              sum += 0.25 * T[k][c.x(x).y(y).z(z)] + 0.125 * T[k][c.x(x).y(y)] - 0.125 * T[k][c.y(y).z(z)];
      next[k][c] = T[k][c] + a * (sum - 6 * width * T[k][c]);
    }
  }
};

struct Damp {
  double by;
  SC_FN void operator()(At c, InOut<double, 2> T) const {
    for (int k = 0; k < 2; ++k) T[k][c] = T[k][c] - by * T[k][c];
  }
};

struct Both {
  SC_FN double operator()(At c, In<double, 2> T) const { return T[0][c] + 2 * T[1][c]; }
};

/// A wall whose value bends with what lies beside it.
struct Bent {
  SC_FN void operator()(Border b, Out<double, 2> q) const {
    for (int k = 0; k < 2; ++k)
      for (int n = 1; n <= b.layers; ++n)
        q[k][b.ghost(n)] =
            0.5 * q[k][b.inside(n)] + 0.25 * (q[k][b.inside(1).y(1)] + q[k][b.inside(1).y(-1)]);
  }
};

// Out of line: two loops around it would round its products and sums in two ways.
[[gnu::noinline]] double first(int k, int x, int y, int z) {
  return std::sin(0.3 * x + k) + 0.2 * std::cos(1.1 * y) * std::sin(0.7 * z) + 2;
}

struct Setting {
  const char* what;
  Int3 split;
  Bool3 periodic = {};
};

/// All splits of so many ranks.
std::vector<Setting> settings(int ranks) {
  switch (ranks) {
    case 1:
      return {{"alone", {1, 1, 1}}};
    case 2:
      return {{"x", {2, 1, 1}}, {"y", {1, 2, 1}}, {"z", {1, 1, 2}}};
    case 3:
      return {{"x", {3, 1, 1}}, {"z", {1, 1, 3}}};
    default:
      return {{"x and z", {2, 1, 2}}, {"y and z", {1, 2, 2}}, {"x and y", {2, 2, 1}}};
  }
}

struct How {
  IoMode io;
  Strategy strategy;
  int pieces;
};

template <int width>
void conditions(Field<double, 2>& T) {
  const Bool3 periodic = T.grid().periodic();
  for (int axis = 0; axis < 3; ++axis)
    for (int side = 0; !periodic[axis] && side < 2; ++side) {
      if (axis == 2 && side == 1 && width == 1)
        boundary(T, {axis, side}, Bent{}, 1);
      else
        boundary(T, {axis, side}, Mirrored<double, 2>{});
    }
}

/// Cells of level 0 that differ.
int wrong(const Field<double, 2>& far, const Field<double, 2>& near) {
  int count = 0;
  far.each_slab([&](int lo, int hi, In<double, 2> cells) {
    const Grid& grid = far.grid();
    for (int k = 0; k < 2; ++k)
      for (int z = lo; z < hi; ++z)
        for (int y = 0; y < grid.own().hi.y; ++y)
          for (int x = 0; x < grid.own().hi.x; ++x)
            count += cells.base[k * cells.stride + grid.layout().offset({x, y, z})] != near.get({x, y, z}, k);
  });
  return count;
}

template <int width, bool corners>
void compare(Context& context, FileMemory& files, const Setting& setting, const How& way) {
  SCOPED_TRACE(std::string("split along ") + setting.what + ", " + std::to_string(setting.periodic.x) +
               std::to_string(setting.periodic.y) + std::to_string(setting.periodic.z) + ", " +
               std::string(way.strategy.name) + ", " + std::to_string(way.pieces) + " pieces, width " +
               std::to_string(width) + (corners ? " with corners" : ""));
  // A bent wall read across corners needs a layer more.
  const int halo = width + (corners ? 1 : 0);
  if (!setting.periodic.z && 26 / setting.split.z / way.pieces < halo) return;  // refused
  const Grid grid(
      context, {.cells = {20, 18, 26}, .periodic = setting.periodic, .halo = halo, .split = setting.split});
  Field<double, 2> near(grid, "near", {.levels = 2});
  Field<double, 2> far(grid, "far", {.levels = 2, .place = in_files(files, way.pieces)});
  Runner near_runner(context, {.strategy = Strategy::blocking}), runner(context, {.strategy = way.strategy});
  double sums[2];
  int which = 0;
  for (auto [T, r] : {std::pair(&near, &near_runner), std::pair(&far, &runner)}) {
    conditions<width>(*T);
    T->fill(first);
    Sweep diffuse("diffuse", Diffuse<width, corners>{0.05}, writes(T->next()),
                  reads(T->now(), corners ? box(width) : star(width)));
    Sweep damp("damp", Damp{0.01}, updates(T->now()));
    Sweep sum("sum", Both{}, SweepOptions{.reduce = Reduce::sum}, reads(T->now()));
    for (int step = 0; step < 5; ++step) {
      r->run(diffuse);
      T->advance();
      if (step == 2) r->run(damp);
    }
    r->run(sum);
    sums[which++] = sum.accumulators()[0].value();
  }
  EXPECT_EQ(wrong(far, near), 0);
  EXPECT_EQ(sums[0], sums[1]);
}

// Every way with every kind of stage, each under one of the splits.
TEST(Placement, StagesOverFilesLeaveTheBitsOfMemory) {
  TestContext context({.threads = 2});
  const Folder folder(context, "scratch-placement-");
  const std::vector<Setting> splits = settings(context.size());
  std::size_t turn = 0;
  for (const How& way :
       {How{IoMode::automatic, Strategy::boundary_first, 4}, How{IoMode::automatic, Strategy::pipelined, 1},
        How{IoMode::threads, Strategy::interior_first, 8}, How{IoMode::blocking, Strategy::blocking, 3},
        How{IoMode::automatic, Strategy::halo_thread, 4}, How{IoMode::automatic, Strategy::ordered, 5}}) {
    FileMemory files(folder.options(way.io));
    const auto next = [&](Bool3 periodic) {
      Setting setting = splits[turn++ % splits.size()];
      setting.periodic = periodic;
      return setting;
    };
    compare<1, false>(context, files, next({true, true, true}), way);
    compare<2, false>(context, files, next({true, true, true}), way);
    compare<1, true>(context, files, next({true, true, true}), way);
    compare<1, true>(context, files, next({false, true, false}), way);
    compare<1, false>(context, files, next({false, true, false}), way);
    compare<2, true>(context, files, next({true, false, false}), way);
    ++turn;  // other pairs the next time
  }
}

TEST(Placement, MovesThePlannedBytesAndNoOthers) {
  TestContext context;
  const Folder folder(context, "scratch-placement-bytes-");
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
  run(1);  // pages of the program itself would be booked as well
  const std::array before{files.bytes(Way::in), files.bytes(Way::out),
                          std::int64_t{counted("/proc/self/io", "read_bytes")},
                          std::int64_t{counted("/proc/self/io", "write_bytes")}};
  constexpr int steps = 3;
  run(steps);
  EXPECT_EQ(files.bytes(Way::in) - before[0], steps * in);
  EXPECT_EQ(files.bytes(Way::out) - before[1], steps * out);
  if (!files.direct() || before[2] < 0) GTEST_SKIP() << "no O_DIRECT here, or a kernel that does not count";
  EXPECT_EQ(counted("/proc/self/io", "read_bytes") - before[2], steps * in);
  constexpr std::int64_t bookkeeping = 1 << 16;  // blocks that keep track of the files
  const std::int64_t written = counted("/proc/self/io", "write_bytes") - before[3];
  EXPECT_GE(written, steps * out);
  EXPECT_LE(written, steps * out + bookkeeping);
}

// Slabs at the ends come first, so that messages travel under the others, which come and go meanwhile.
TEST(Placement, HidesMessagesAndFiles) {
  TestContext context({.transport = TransportPolicy::delayed, .delay = 2e-3});
  const Folder folder(context, "scratch-placement-hidden-");
  FileMemoryOptions disk = folder.options(IoMode::threads);
  disk.most_bytes_per_second = 40e6;
  FileMemory files(disk);
  const auto place = in_files(files, 8);
  // Walls along x and y: the delay holds back what a rank sends itself, too.
  const Grid grid(context,
                  {.cells = {32, 32, 64}, .periodic = {false, false, true}, .split = {1, 1, context.size()}});
  Field<double, 2> T(grid, "T", {.levels = 2, .place = place});
  conditions<1>(T);
  T.fill(first);
  Runner runner(context, {.strategy = Strategy::boundary_first});
  Sweep diffuse("diffuse", Diffuse<1, false>{0.05}, writes(T.next()), reads(T.now(), star(1)));
  Ledger ledger(runner);
  ledger.open();
  for (int n = 0; n < 12; ++n) {
    runner.run(diffuse);
    T.advance();
  }
  place->finish();
  ledger.close();
  const Terms terms = ledger.terms();
  EXPECT_GT(terms.of(Resource::files).hidden(), 0);
  if (context.size() == 1) return;
  EXPECT_GT(terms.of(Resource::messages).hidden(), 0);
}

template <class Action>
std::string refused(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Placement, RefusesWhatCannotPassSlabBySlab) {
  TestContext context;
  const Folder folder(context, "scratch-placement-no-");
  FileMemory files(folder.options());
  const Grid grid(context, {.cells = {8, 8, 32}, .halo = 1, .split = {1, 1, context.size()}});
  Field<double, 2> T(grid, "T", {.levels = 2, .place = in_files(files, 2)});
  Runner runner(context, {.strategy = Strategy::boundary_first});
  Sweep diffuse("diffuse", Diffuse<1, false>{0.05}, writes(T.next()), reads(T.now(), star(1)));
  EXPECT_NE(refused([&] { runner.run(diffuse); }).find("nothing is set"), std::string::npos);
  T.boundaries().leave_others(Beyond::given);
  EXPECT_NE(refused([&] { runner.run(diffuse); }).find("given by the program"), std::string::npos);
  for (int axis = 0; axis < 3; ++axis)
    for (int side = 0; side < 2; ++side) boundary(T, {axis, side}, Mirrored<double, 2>{});
  runner.run(diffuse);
  Sweep colours("colours", Damp{0.1}, SweepOptions{.colours = 2}, updates(T.now(), star(1)));
  EXPECT_NE(refused([&] { runner.run(colours); }).find("in 2 colours"), std::string::npos);
  Field<double, 2> other(grid, "other", {.place = in_files(files, 2)});
  Sweep damp("both", Diffuse<1, false>{0.1}, writes(other.now()), reads(T.now(), star(1)));
  EXPECT_NE(refused([&] { runner.run(damp); }).find("two places"), std::string::npos);
  EXPECT_NE(refused([&] { T.get({0, 0, 0}); }).find("lies in files"), std::string::npos);
  EXPECT_NE(refused([&] { runner.move(T.now(), other.now()); }).find("lies in files"), std::string::npos);
  EXPECT_THROW((Field<double>(grid, "thin", {.place = in_files(files, 33)})), Error);
}

}  // namespace
}  // namespace sc::test
