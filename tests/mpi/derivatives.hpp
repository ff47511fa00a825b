// SPDX-License-Identifier: Apache-2.0
// Derivatives: what tests of lines that are solved share: compact derivatives there and back, on fields in
// memory or in a place.
#pragma once

#include <cmath>
#include <vector>

#include "engine/subcurrent.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/mpi/whole_field.hpp"

namespace sc::test {

/// 3/8 (f'[n-1] + f'[n+1]) + f'[n] = r: 8th order (Lele 1992), of two components.
struct Derivatives {
  static constexpr int systems = 2;
  double scale;
  SC_FN void right(const Bundle& b, LineIn<double, 2> f, LineOut<double, 2> r) const {
    for (int k = 0; k < 2; ++k)
      for (int n = 0; n < b.count; ++n)
        b.each([&](int l) {
          r[k](n, l) = scale * (25.0 / 32 * (f[k](n + 1, l) - f[k](n - 1, l)) +
                                1.0 / 20 * (f[k](n + 2, l) - f[k](n - 2, l)) -
                                1.0 / 480 * (f[k](n + 3, l) - f[k](n - 3, l)));
        });
  }
  SC_FN void finish(const Bundle& b, LineOut<double, 2> df, LineIn<double, 2> /*f*/,
                    LineIn<double, 2> x) const {
    for (int k = 0; k < 2; ++k)
      for (int n = 0; n < b.count; ++n) b.each([&](int l) { df[k](n, l) = x[k](n, l); });
  }
};
constexpr double beside = 3.0 / 8;

struct Setting {
  Int3 cells;
  int axis;
  Int3 split;
  RunnerOptions runner = {};
  std::shared_ptr<FarPlace> place = nullptr;
};

inline Grid grid_of(Context& context, const Setting& s) {
  GridOptions options{.cells = s.cells, .periodic = {true, true, true}, .halo = 3, .split = s.split};
  for (int a = 0; a < 3; ++a)
    options.cuts[std::size_t(a)] = LineSystem(tridiagonal(s.cells[a], beside, 1, true)).cuts(s.split[a]);
  return {context, options};
}

inline double start_value(int k, int x, int y, int z) {
  return std::sin(0.7 * x + 0.2 * y * z + k) + 0.1 * ((31 * x + 7 * y + 5 * z) % 11);
}

/// Twice in succession, so that rounds follow each other.
inline std::vector<double> derive(Context& context, const Setting& s) {
  const Grid grid = grid_of(context, s);
  const FieldOptions there{.place = s.place};
  Field<double, 2> f(grid, "f", there), df(grid, "df", there);
  if (!s.place) {
    poison(f.storage(0));
    poison(df.storage(0));
  }
  context.barrier();
  f.fill(start_value);
  const auto system = std::make_shared<const LineSystem>(tridiagonal(s.cells[s.axis], beside, 1, true));
  LineSolve once("once", s.axis, system, Derivatives{0.5}, writes(df.now()), reads(f.now(), star(3)));
  LineSolve twice("twice", s.axis, system, Derivatives{0.5}, writes(f.now()), reads(df.now(), star(3)));
  Runner runner(context, s.runner);
  for (int n = 0; n < 2; ++n) {
    runner.run(once);
    runner.run(twice);
  }
  std::vector<double> values = on_root(f);
  context.barrier();
  return values;
}

inline std::vector<double> alone(Int3 cells, int axis) {
  return on_one_rank([&](Context& one) {
    return derive(one, {cells, axis, {1, 1, 1}, {.strategy = Strategy::blocking}});
  });
}

inline bool possible(Int3 cells, Int3 split) {
  for (int a = 0; a < 3; ++a)
    if (cells[a] / LineSystem::usual_block < split[a]) return false;
  return true;
}

}  // namespace sc::test
