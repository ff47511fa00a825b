// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2
// device: yes
// label: checked
// Which thread of a launch computes which cells: each cell once, with its own index, in columns along z too.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "engine/exec/cell_body.hpp"
#include "engine/exec/emulated_device.hpp"
#include "engine/exec/launch.hpp"
#include "engine/grid/cells.hpp"
#include "engine/subcurrent.hpp"
#include "tests/mpi/backends.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

class OnDevices : public OnBackend {};
INSTANTIATE_TEST_SUITE_P(On, OnDevices, testing::ValuesIn(backends()), backend_name);

/// Adds a number of the cell, so that a cell computed twice, not at all or with another's index shows.
struct Number {
  SC_FN static int of(Index g) {
    return static_cast<int>(1 + g.x % 101 + 103 * (g.y % 101) + 10007 * (g.z % 101));
  }
  SC_FN void operator()(At c, Index g, InOut<int> q) const { q[c] += of(g); }
};

// So many blocks of threads that a thread computes several cells along z, on one rank.
TEST_P(OnDevices, ComputeColumnsOfCells) {
  TestContext context;
  open(context, GetParam());
  const Grid grid(context, {.cells = {129, 5, 2100}, .halo = 1});  // most blocks are nearly empty
  Runner runner(context, {.strategy = Strategy::boundary_first});
  for (const int colours : {1, 2, 4, 8}) {
    Field<int> q(grid, "q", {.space = space_of(GetParam())});
    Sweep number("number", Number{}, SweepOptions{.colours = colours}, updates(q.now()));
    runner.run(number);
    const In<int> cells = q.read();
    const Int3 o = grid.origin();
    int wrong = 0;
    each_cell(grid.own(), [&](Int3 c) {
      wrong += cells.base[grid.layout().offset(c)] != Number::of({o.x + c.x, o.y + c.y, o.z + c.z});
    });
    EXPECT_EQ(wrong, 0) << colours << " colours";
  }
}

/// The number of a cell, written for one colour.
struct NumberOf {
  int colour;
  SC_FN void operator()(At c, Index g, InOut<int> q) const { q[c] += 10 * Number::of(g) + colour; }
};

// Columns of any length, in boxes that begin at either parity.
TEST(CellBody, ColumnsHaveTheCellsOfTheirColour) {
  constexpr int n = 9;
  const Int3 origin{5, 6, 7};
  for (const Int3 low : {Int3{1, 1, 1}, Int3{2, 1, 3}})
    for (const int colours : {1, 2, 4, 8})
      for (const int planes : {1, 2, 3, 5, 8}) {
        std::vector<int> cells(n * n * n), expected(n * n * n);
        const Box inside{low, {8, 7, 8}};
        for (int colour = 0; colour < colours; ++colour) {
          const Lattice lattice{colours, colour};
          const detail::CellBody<detail::CellOf<NumberOf>, InOut<int>> body{
              inside, lattice, origin, n, n * n, {NumberOf{colour}}, {{cells.data()}}};
          Shape shape = shape_of(body.extent());
          shape.planes = planes;
          detail::blocks_on_host(body.extent(), shape, body);
          each_cell(inside, [&](Int3 c) {
            const Int3 g = origin + c;
            if (const Lattice::Run run = lattice.run(g.x, g.y, g.z); run.step > 0 && run.first == 0)
              expected[std::size_t(c.x + n * (c.y + n * c.z))] = 10 * Number::of({g.x, g.y, g.z}) + colour;
          });
        }
        EXPECT_EQ(cells, expected) << colours << " colours, " << planes << " planes";
      }
}

struct Counting {  // nvcc does not accept a lambda here
  Int3 extent;
  int* base;
  SC_FN void operator()(Int3 p) const { ++base[p.x + extent.x * (p.y + std::ptrdiff_t{extent.y} * p.z)]; }
};

TEST(Launch, ReachesEveryPlaceOnce) {
  for (const Int3 extent : {Int3{1, 1, 1}, Int3{1, 300, 5}, Int3{65, 3, 2}, Int3{2, 1, 70000},
                            Int3{512, 7, 9}, Int3{3, 70000, 1}, Int3{64, 512, 143}}) {
    const Shape shape = shape_of(extent);
    EXPECT_LE(shape.threads.x * shape.threads.y * shape.threads.z, 256);
    EXPECT_LE(shape.threads.z, 64);
    std::vector<int> times(std::size_t(extent.x) * extent.y * extent.z);
    const auto device = std::make_shared<EmulatedDevice>();
    launch(*device, Stream::core, extent, Counting{extent, times.data()}, "counting");
    device->finish();
    EXPECT_EQ(std::count(times.begin(), times.end(), 1), std::ptrdiff_t(times.size()));
  }
}

TEST(Launch, DividesGridsOfTooManyBlocks) {
  for (const Int3 blocks : {Int3{70000, 1, 1}, Int3{2, 65535, 65535}, Int3{1, 131071, 65537}}) {
    std::int64_t all = 0;
    Int3 next{0, 0, 0};
    detail::each_grid(blocks, [&](Int3 part, Int3 first) {
      EXPECT_LE(std::max(part.y, part.z), 65535);
      EXPECT_EQ(first, next);
      all += std::int64_t{part.x} * part.y * part.z;
      next = first.y + part.y < blocks.y ? Int3{0, first.y + part.y, first.z} : Int3{0, 0, first.z + part.z};
    });
    EXPECT_EQ(all, std::int64_t{blocks.x} * blocks.y * blocks.z);
  }
}

}  // namespace
}  // namespace sc::test
