// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4
// threads: 2
// label: checked
// Fields in files: the same runner, sweeps, conditions and reductions leave the bits of fields in memory, with any
// split, reach and strategy.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "engine/base/error.hpp"
#include "engine/move/stream/file_memory.hpp"
#include "engine/move/stream/in_files.hpp"
#include "engine/subcurrent.hpp"
#include "tests/mpi/test_context.hpp"

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

/// next_k = T_k + a (sum over the neighbours up to `width` away - 6 width T_k), of two components, and corners
/// where `corners`
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
        q[k][b.ghost(n)] = 0.5 * q[k][b.inside(n)] + 0.25 * (q[k][b.inside(1).y(1)] + q[k][b.inside(1).y(-1)]);
  }
};

// Out of line: two loops around it would round its products and sums in two ways.
[[gnu::noinline]] double first(int k, int x, int y, int z) {
  return std::sin(0.3 * x + k) + 0.2 * std::cos(1.1 * y) * std::sin(0.7 * z) + 2;
}

struct Setting {
  const char* what;
  Int3 split;
  Bool3 periodic = {true, true, true};
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

struct Way {
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
void compare(Context& context, FileMemory& files, const Setting& setting, const Way& way) {
  SCOPED_TRACE(std::string("split along ") + setting.what + ", " + std::to_string(setting.periodic.x) +
               std::to_string(setting.periodic.y) + std::to_string(setting.periodic.z) + ", " +
               std::string(way.strategy.name) + ", " + std::to_string(way.pieces) + " pieces, width " +
               std::to_string(width) + (corners ? " with corners" : ""));
  const Grid grid(
      context,
      {.cells = {20, 18, 26}, .periodic = setting.periodic, .halo = width, .split = setting.split});
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

TEST(Placement, StagesOverFilesLeaveTheBitsOfMemory) {
  TestContext context({.threads = 2});
  const Folder folder(context, "scratch-placement-");
  for (const Way& way :
       {Way{IoMode::automatic, Strategy::boundary_first, 4}, Way{IoMode::automatic, Strategy::pipelined, 1},
        Way{IoMode::threads, Strategy::interior_first, 8}, Way{IoMode::blocking, Strategy::blocking, 3},
        Way{IoMode::automatic, Strategy::halo_thread, 4}, Way{IoMode::automatic, Strategy::ordered, 5}}) {
    FileMemory files(folder.options(way.io));
    for (Setting setting : settings(context.size())) {
      compare<1, false>(context, files, setting, way);
      compare<2, false>(context, files, setting, way);
      compare<1, true>(context, files, setting, way);
      setting.periodic = {false, true, false};
      compare<1, true>(context, files, setting, way);
      compare<1, false>(context, files, setting, way);
      setting.periodic = {true, false, false};
      if (way.pieces <= 4) compare<2, true>(context, files, setting, way);
    }
  }
}

}  // namespace
}  // namespace sc::test
