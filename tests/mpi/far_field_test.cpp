// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3
// threads: 2
// label: checked
// Stencils on fields in files: the bits of the same stages run in memory, halo planes travelling with the
// pieces and between ranks.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "engine/base/error.hpp"
#include "engine/move/stream/file_memory.hpp"
#include "engine/stage/far_runner.hpp"
#include "engine/subcurrent.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

/// next_k = T_k + a (sum over the neighbours up to `width` away - 6 width T_k), of two components
template <int width>
struct Diffuse {
  double a;
  SC_FN void operator()(At c, Out<double, 2> next, In<double, 2> T) const {
    for (int k = 0; k < 2; ++k) {
      double sum = 0;
      for (int n = 1; n <= width; ++n)
        sum += T[k][c.x(n)] + T[k][c.x(-n)] + T[k][c.y(n)] + T[k][c.y(-n)] + T[k][c.z(n)] + T[k][c.z(-n)];
      next[k][c] = T[k][c] + a * (sum - 6 * width * T[k][c]);
    }
  }
};

struct Both {
  SC_FN double operator()(At c, In<double, 2> T) const { return T[0][c] + 2 * T[1][c]; }
};

// Out of line: two loops around it would round its products and sums in two ways.
[[gnu::noinline]] double first(int k, int x, int y, int z) {
  return std::sin(0.3 * x + k) + 0.2 * std::cos(1.1 * y) * std::sin(0.7 * z) + 2;
}

struct Way {
  IoMode io;
  SlabStream::Mode mode;
  int pieces;
};

template <int width>
void compare(Context& context, const std::string& folder, const Way& way) {
  const Grid grid(context, {.cells = {20, 18, 26},
                            .periodic = {true, true, true},
                            .halo = width,
                            .split = {1, 1, context.size()}});
  Field<double, 2> T(grid, "T", {.levels = 2});
  T.fill(first);
  Runner near_runner(context, {.strategy = Strategy::blocking});
  Sweep diffuse("diffuse", Diffuse<width>{0.05}, writes(T.next()), reads(T.now(), star(width)));

  FileMemory files({.folder = folder, .name = "rank " + std::to_string(context.rank()), .mode = way.io});
  FarField a(grid, "a", ElementType::f64, 2, files, way.pieces),
      b(grid, "b", ElementType::f64, 2, files, way.pieces);
  a.fill<double>(first);
  const auto here = a.now<double, 2>(), there = b.now<double, 2>();
  Sweep forth("forth", Diffuse<width>{0.05}, writes(there), reads(here, star(width)));
  Sweep back("back", Diffuse<width>{0.05}, writes(here), reads(there, star(width)));
  FarRunner runner(context, files, SlabStream::slot_bytes(files, FarRunner::phase_of(forth)), way.mode);
  constexpr int steps = 5;
  for (int step = 0; step < steps; ++step) {
    near_runner.run(diffuse);
    T.advance();
    runner.run(step % 2 == 0 ? forth : back);
  }
  runner.stream().finish();
  int wrong = 0;
  b.look<double>([&](int k, int z, const double* plane) {
    for (int y = 0; y < grid.own().hi.y; ++y)
      for (int x = 0; x < grid.own().hi.x; ++x)
        wrong += plane[grid.layout().offset({x, y, 0})] != T.get({x, y, z}, k);
  });
  EXPECT_EQ(wrong, 0) << width << " wide, " << way.pieces << " pieces";
  // A reduction over what lies in files
  Sweep far_sum("sum", Both{}, SweepOptions{.reduce = Reduce::sum}, reads(there));
  Sweep near_sum("sum", Both{}, SweepOptions{.reduce = Reduce::sum}, reads(T.now()));
  runner.run(far_sum);
  near_runner.run(near_sum);
  EXPECT_EQ(far_sum.accumulators()[0].value(), near_sum.accumulators()[0].value());
}

TEST(FarFields, StencilsLeaveTheBitsOfMemory) {
  TestContext context({.threads = 2});
  const std::string folder =
      (std::filesystem::current_path() / ("scratch-far-" + std::to_string(context.size()))).string();
  for (const Way& way :
       {Way{IoMode::automatic, SlabStream::Mode::ring, 4}, Way{IoMode::automatic, SlabStream::Mode::ring, 1},
        Way{IoMode::threads, SlabStream::Mode::ring, 8},
        Way{IoMode::blocking, SlabStream::Mode::one_by_one, 3}}) {
    compare<1>(context, folder, way);
    compare<2>(context, folder, way);
  }
  context.barrier();
  if (context.rank() == 0) std::filesystem::remove_all(folder);
}

TEST(FarFields, RefuseGridsThatDoNotClose) {
  TestContext context;
  const std::string folder =
      (std::filesystem::current_path() / ("scratch-far-no-" + std::to_string(context.size()))).string();
  {
    FileMemory files({.folder = folder, .name = "rank " + std::to_string(context.rank())});
    const Grid open(context, {.cells = {8, 8, 32}, .halo = 1, .split = {1, 1, context.size()}});
    EXPECT_THROW(FarField(open, "T", ElementType::f64, 1, files, 2), Error);
  }
  context.barrier();
  if (context.rank() == 0) std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace sc::test
