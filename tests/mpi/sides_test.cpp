// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2
// device: yes
// label: checked
// A kernel that has values in common with the cells beside it along x gives the bits of single cells: rows
// shorter and longer than a chunk of sides, reductions, colours, shell and core.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "engine/grid/cells.hpp"
#include "engine/subcurrent.hpp"
#include "tests/mpi/backends.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

class OnDevices : public OnBackend {};
INSTANTIATE_TEST_SUITE_P(On, OnDevices, testing::ValuesIn(backends()), backend_name);

/// Sums over the corners of a side and over their products; value 1 is not used and not kept.
struct Shared {
  double a;
  static constexpr int side_values = 3;
  template <class Keep>
  SC_FN void side_below(At c, const Keep& keep, Out<double>, In<double> u, In<double> v) const {
    const At up = c.y(1);
    keep(0, (u[c] + u[c.z(-1)]) + (u[up] + u[up.z(-1)]));
    keep(2, u[c] * v[up.z(1)] - v[c] / (2 + u[up] * u[up]));
  }
  SC_FN double operator()(At c, Index g, const SideValues& sides, Out<double> out, In<double> u,
                          In<double>) const {
    out[c] = u[c] + a * (sides.high(0) - sides.low(0)) * (sides.low(2) + sides.high(2)) +
             0.001 * double(g.x + 2 * g.y);
    return out[c] * out[c];
  }
};

/// The same without `side_values`, so that the engine computes it cell by cell.
struct SingleCells {
  Shared whole;
  SC_FN double operator()(At c, Index g, Out<double> out, In<double> u, In<double> v) const {
    return with_sides(
        whole, c, [&](const SideValues& sides) { return whole(c, g, sides, out, u, v); }, out, u, v);
  }
};

struct Outcome {
  int different = 0;
  double sum_of_rows = 0, sum_of_cells = 0;
};

Outcome compare(Context& context, Backend backend, Int3 cells, const RunnerOptions& options, int colours) {
  const Grid grid(context, {.cells = cells, .periodic = {true, true, true}, .halo = 1});
  const FieldOptions there{.levels = 1, .space = space_of(backend)};
  Field<double> u(grid, "u", there), v(grid, "v", there), rows(grid, "rows", there),
      single(grid, "single", there);
  u.fill([](int x, int y, int z) { return std::sin(0.3 * x) + 0.2 * std::cos(1.1 * y + 0.7 * z); });
  v.fill([](int x, int y, int z) { return std::cos(0.7 * x + 0.2 * y) * std::sin(0.9 * z); });
  const SweepOptions sum{.reduce = Reduce::sum, .colours = colours};
  Sweep in_rows("rows", Shared{0.137}, sum, writes(rows.now()), reads(u.now(), box(1)),
                reads(v.now(), box(1)));
  Sweep by_cells("single", SingleCells{{0.137}}, sum, writes(single.now()), reads(u.now(), box(1)),
                 reads(v.now(), box(1)));
  Runner runner(context, options);
  runner.run(in_rows);
  runner.run(by_cells);
  Outcome outcome;
  GlobalValue global(context);
  outcome.sum_of_rows = global.reduce(in_rows.accumulators());
  outcome.sum_of_cells = global.reduce(by_cells.accumulators());
  each_cell(grid.own(), [&](Int3 c) {
    const double one = rows.get(c), other = single.get(c);
    outcome.different += std::memcmp(&one, &other, sizeof one) != 0;
  });
  return outcome;
}

TEST_P(OnDevices, ComputeSidesOfSingleCells) {
  TestContext context;
  open(context, GetParam());
  for (const Strategy strategy : {Strategy::blocking, Strategy::boundary_first})
    for (const Int3 cells :
         {Int3{4, 6, 4}, Int3{31, 7, 4}, Int3{33, 4, 5}, Int3{64, 4, 6}, Int3{100, 4, 3}}) {
      const bool even = cells.x % 2 == 0 && cells.y % 2 == 0 && cells.z % 2 == 0;  // two colours need that
      for (int colours = 1; colours <= (even ? 2 : 1); ++colours) {
        const Outcome outcome = compare(context, GetParam(), cells, {.strategy = strategy}, colours);
        EXPECT_EQ(outcome.different, 0) << to_string(cells);
        EXPECT_EQ(outcome.sum_of_rows, outcome.sum_of_cells) << to_string(cells);
        EXPECT_GT(outcome.sum_of_rows, 1) << to_string(cells);
      }
    }
}

}  // namespace
}  // namespace sc::test
