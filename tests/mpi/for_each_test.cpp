// SPDX-License-Identifier: Apache-2.0
// ranks: 1
// label: sanitize checked
// Dividing a box must not change the bits: the same compiled loop is used for every box, with divisions and
// with differences of products.
#include "engine/exec/for_each.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "engine/grid/cells.hpp"
#include "engine/stage/refresh.hpp"
#include "tests/mpi/flux_kernel.hpp"
#include "tests/mpi/kernels.hpp"
#include "tests/mpi/test_context.hpp"

namespace {

using namespace sc;

// 19 points with divisions and mixed products: all operations that a compiler might treat differently at the
// beginning, in the body and at the end of a loop.
template <class T>
struct Heavy {
  T a;
  SC_FN void operator()(At c, Out<T> out, In<T> u, In<T> v) const {
    const T lap = u[c.x(1)] + u[c.x(-1)] + u[c.y(1)] + u[c.y(-1)] + u[c.z(1)] + u[c.z(-1)] - T(6) * u[c];
    const T cross = u[c.x(1).y(1)] - u[c.x(1).y(-1)] * v[c.x(-1).y(1)] + u[c.x(-1).y(-1)] +
                    u[c.y(1).z(1)] * v[c] - u[c.x(1).z(-1)] / (T(2) + v[c.x(1)] * v[c.x(1)]);
    out[c] = u[c] + a * lap / (T(1) + u[c] * u[c]) + a * cross * v[c.z(1)];
  }
};

// Differences of products at the corners of a cell, as in curl (v x B): a b - c d can be contracted to a
// fused multiply-add in two ways.
template <class T>
struct Curl {
  T a;
  SC_FN static T cross(In<T> u, In<T> v, At c) { return u[c] * v[c.z(-1)] - u[c.z(-1)] * v[c]; }
  SC_FN static T other(In<T> u, In<T> v, At c) { return u[c] * v[c.y(-1)] - u[c.y(-1)] * v[c]; }
  SC_FN void operator()(At c, Out<T> out, In<T> u, In<T> v) const {
    const T ex = (cross(u, v, c.x(1)) + cross(u, v, c.x(1).y(1))) - (cross(u, v, c) + cross(u, v, c.y(1)));
    const T ey = (other(u, v, c.z(1)) + other(u, v, c.x(1).z(1))) - (other(u, v, c) + other(u, v, c.x(1)));
    const T mean = T(0.25) * (u[c] + u[c.x(1)] + v[c] + v[c.x(1)]);
    out[c] = (mean * ex - ey * u[c]) / (T(2) + mean * mean) - (ey * mean - ex * v[c.x(1)]);
  }
};

template <class Kernel>
class SplitRows : public testing::Test {};
using Kernels = testing::Types<Heavy<float>, Heavy<double>, Curl<float>, Curl<double>>;
TYPED_TEST_SUITE(SplitRows, Kernels);

TYPED_TEST(SplitRows, GiveTheSameBits) {
  using T = decltype(TypeParam::a);
  test::TestContext context;
  Grid grid(context, {.cells = {45, 4, 3}, .halo = 1});
  Field<T> u(grid, "u"), v(grid, "v"), whole(grid, "whole"), split(grid, "split");
  std::mt19937 random(5);
  std::uniform_real_distribution<T> value(-1, 1);
  for (Field<T>* f : {&u, &v}) {
    const auto view = f->modify();
    for (std::ptrdiff_t i = 0; i < grid.layout().elements; ++i)
      view.base[i - grid.layout().origin] = value(random);
  }
  const Frame frame{grid.layout(), grid.origin()};
  const TypeParam kernel{T(0.137)};
  const auto run = [&](const Box& box, Field<T>& out, int threads) {
    for_each(box, Lattice{}, frame, threads, {}, kernel, out.modify(), u.read(), v.read());
  };
  run(grid.own(), whole, 1);
  int splits = 0;
  for (int lo = 0; lo < 45; lo += 1)
    for (int hi = lo + 1; hi <= 45; hi += 1 + (hi - lo) / 3) {
      const Box inner{{lo, 1, 1}, {hi, 3, 2}};
      for (const Box& part : subtract(grid.own(), inner)) run(part, split, 1);
      run(inner, split, 1);
      ++splits;
      for (int z = 0; z < 3; ++z)
        for (int y = 0; y < 4; ++y)
          for (int x = 0; x < 45; ++x) {
            const T a = whole.get({x, y, z}), b = split.get({x, y, z});
            ASSERT_EQ(std::memcmp(&a, &b, sizeof a), 0) << "split " << lo << ".." << hi << " at " << x;
          }
    }
  EXPECT_GT(splits, 300);
  run(grid.own(), split, 3);
  for (int x = 0; x < 45; ++x) EXPECT_EQ(whole.get({x, 2, 1}), split.get({x, 2, 1}));
}

struct Mark {
  SC_FN void operator()(At c, Index g, InOut<double> count, Out<double> where) const {
    count[c] += 1;
    where[c] = static_cast<double>(g.x + 100 * g.y + 10000 * g.z);
  }
};

TEST(Lattice, ColoursCoverEveryCellOnceAndKeepNeighboursApart) {
  test::TestContext context;
  Grid grid(context, {.cells = {7, 6, 5}, .halo = 1});
  for (int colours : {1, 2, 4, 8}) {
    Field<double> count(grid, "count"), where(grid, "where");
    for (int colour = 0; colour < colours; ++colour)
      for_each(grid.own(), Lattice{colours, colour}, Frame{grid.layout(), {10, 21, 33}}, 2, {}, Mark{},
               count.modify(), where.modify());
    each_cell(grid.own(), [&](Int3 c) {
      EXPECT_EQ(count.get(c), 1);
      EXPECT_EQ(where.get(c), (c.x + 10) + 100 * (c.y + 21) + 10000 * (c.z + 33));
    });
  }
  const auto coloured = [](int colours, int colour, int x, int y, int z) {
    const auto run = Lattice{colours, colour}.run(x, y, z);
    return run.step != 0 && run.first == 0;
  };
  for (int colours : {2, 4, 8})
    for (int colour = 0; colour < colours; ++colour)
      for (int p = 0; p < 8; ++p) {
        const int x = p & 1, y = (p >> 1) & 1, z = p >> 2;
        if (!coloured(colours, colour, x, y, z)) continue;
        for (int dz = -1; dz <= 1; ++dz)
          for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) {
              const int distance = std::abs(dx) + std::abs(dy) + std::abs(dz);
              const int reached = colours == 2 ? 1 : colours == 4 ? 2 : 3;
              if (distance == 0 || distance > reached) continue;
              EXPECT_FALSE(coloured(colours, colour, x + dx + 2, y + dy + 2, z + dz + 2))
                  << colours << " colours, " << dx << dy << dz;
            }
      }
}

TEST(TileQueue, HandsOutEveryCellOnce) {
  for (const Box& box :
       {Box{{0, 0, 0}, {4, 7, 9}}, Box{{2, 1, 3}, {4, 2, 4}}, Box{{0, 0, 0}, {4, 50, 1}}, Box{}}) {
    TileQueue tiles(box, 12);
    std::int64_t cells = 0;
    while (const auto tile = tiles.next()) {
      EXPECT_EQ(intersect(*tile, box), *tile);
      cells += tile->cells();
    }
    EXPECT_EQ(cells, box.cells());
  }
}

TEST(Reduction, IsTheSameForEveryThreadCountAndSplit) {
  test::TestContext context;
  Grid grid(context, {.cells = {33, 8, 9}, .halo = 1});
  Field<double> u(grid, "u");
  u.fill([](int x, int y, int z) { return std::sin(1.7 * x + 0.3 * y) * std::exp(0.9 * z - 0.7 * y); });
  const Frame frame{grid.layout(), grid.origin()};
  const auto sum = [&](const std::vector<Box>& boxes, int threads) {
    Accumulator total(Reduce::sum);
    for (const Box& b : boxes) for_each(b, Lattice{}, frame, threads, {&total, 1}, test::Value{}, u.read());
    return total.value();
  };
  const double whole = sum({grid.own()}, 1);
  const Box inner{{3, 1, 2}, {29, 7, 8}};
  auto parts = subtract(grid.own(), inner);
  parts.push_back(inner);
  for (int threads : {1, 2, 3}) {
    EXPECT_EQ(whole, sum({grid.own()}, threads));
    EXPECT_EQ(whole, sum(parts, threads));
  }
}

template <class T>
class FluxKernels : public testing::Test {};
using FluxTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(FluxKernels, FluxTypes);

// Marching through bricks with stored fluxes gives the bits of single cells (on devices: device_fluxes_test):
// rows longer than a brick, boxes of one cell, threads that begin inside a brick.
TYPED_TEST(FluxKernels, MarchingLeavesTheBitsOfSingleCells) {
  using T = TypeParam;
  test::TestContext context;
  for (const Int3 cells : {Int3{33, 7, 5}, Int3{2100, 11, 3}, Int3{90, 200, 4}}) {
    const Grid grid(context, {.cells = cells, .halo = 1});
    Field<T> u(grid, "u"), v(grid, "v"), single(grid, "single"), marched(grid, "marched");
    std::mt19937 random(7);
    std::uniform_real_distribution<T> value(-1, 1);
    for (Field<T>* f : {&u, &v}) {
      const auto view = f->modify();
      for (std::ptrdiff_t i = 0; i < grid.layout().elements; ++i)
        view.base[i - grid.layout().origin] = value(random);
    }
    const Frame frame{grid.layout(), {1000, 20, 3}};
    const test::Conserving<T> kernel{T(0.137)};
    const auto expected = single.modify();
    const auto got = marched.modify();
    for (int z = 0; z < cells.z; ++z)
      for (int y = 0; y < cells.y; ++y)
        for (int x = 0; x < cells.x; ++x)
          detail::call(kernel, At{frame.layout.offset({x, y, z}), frame.layout.sy, frame.layout.sz},
                       Index{frame.origin.x + x, frame.origin.y + y, frame.origin.z + z}, expected, u.read(),
                       v.read());
    const Box inner{{1, 1, 1}, {cells.x - 1, cells.y - 2, cells.z - 1}};
    for (const int threads : {1, 2, 3})
      for (const bool cut : {false, true}) {
        marched.fill([](int, int, int) { return T(0); });
        std::vector<Box> boxes{grid.own()};
        if (cut) boxes = subtract(grid.own(), inner), boxes.push_back(inner);
        for (const Box& box : boxes)
          for_each(box, Lattice{}, frame, threads, {}, kernel, got, u.read(), v.read());
        int wrong = 0;
        for (int z = 0; z < cells.z; ++z)
          for (int y = 0; y < cells.y; ++y)
            for (int x = 0; x < cells.x; ++x) {
              const At c{frame.layout.offset({x, y, z}), frame.layout.sy, frame.layout.sz};
              wrong += std::memcmp(&expected[c], &got[c], sizeof(T)) != 0;
            }
        EXPECT_EQ(wrong, 0) << to_string(cells) << threads << cut;
      }
  }
}

}  // namespace
