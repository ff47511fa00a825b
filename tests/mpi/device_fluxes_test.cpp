// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2
// device: yes
// label: checked
// A flux kernel gives the bits of single cells everywhere. On a device columns of threads pass fluxes on:
// boxes smaller than a column, incomplete columns, and more planes than in one block.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "engine/grid/cells.hpp"
#include "engine/subcurrent.hpp"
#include "tests/mpi/backends.hpp"
#include "tests/mpi/flux_kernel.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

class OnDevices : public OnBackend {};
INSTANTIATE_TEST_SUITE_P(On, OnDevices, testing::ValuesIn(backends()), backend_name);

/// The same without a FluxType, so that the engine computes it cell by cell.
template <class T>
struct SingleCells {
  Conserving<T> whole;
  SC_FN void operator()(At c, Index g, Out<T> out, In<T> u, In<T> v) const {
    whole(c, g, fluxes_below(whole, c, out, u, v), fluxes_above(whole, c, out, u, v), out, u, v);
  }
};

template <class T>
int differing(Context& context, Backend backend, Int3 cells, Strategy strategy) {
  const Grid grid(context, {.cells = cells, .periodic = {true, true, true}, .halo = 1});
  const FieldOptions there{.levels = 1, .space = space_of(backend)};
  Field<T> u(grid, "u", there), v(grid, "v", there), columns(grid, "columns", there);
  Field<T> single(grid, "single", there);
  u.fill([](int x, int y, int z) { return T(std::sin(0.3 * x) + 0.2 * std::cos(1.1 * y + 0.7 * z)); });
  v.fill([](int x, int y, int z) { return T(std::cos(0.7 * x + 0.2 * y) * std::sin(0.9 * z)); });
  const Conserving<T> kernel{T(0.137)};
  Sweep in_columns("columns", kernel, writes(columns.now()), reads(u.now(), box(1)), reads(v.now(), box(1)));
  Sweep by_cells("single", SingleCells<T>{kernel}, writes(single.now()), reads(u.now(), box(1)),
                 reads(v.now(), box(1)));
  Runner runner(context, {.strategy = strategy});
  runner.run(in_columns);
  runner.run(by_cells);
  int wrong = 0;
  each_cell(grid.own(), [&](Int3 c) {
    const T one = columns.get(c), other = single.get(c);
    wrong += std::memcmp(&one, &other, sizeof(T)) != 0;
  });
  return wrong;
}

TEST_P(OnDevices, ComputeFluxesOfSingleCells) {
  TestContext context;
  open(context, GetParam());
  for (const Strategy strategy : {Strategy::blocking, Strategy::boundary_first})
    for (const Int3 cells :
         {Int3{31, 7, 4}, Int3{33, 10, 5}, Int3{70, 30, 11}, Int3{17, 5, 140}, Int3{9, 4, 3}}) {
      EXPECT_EQ(differing<float>(context, GetParam(), cells, strategy), 0) << to_string(cells);
      EXPECT_EQ(differing<double>(context, GetParam(), cells, strategy), 0) << to_string(cells);
    }
}

}  // namespace
}  // namespace sc::test
