// SPDX-License-Identifier: Apache-2.0
// Placed fields: two components with diffusion, walls, updates and sums, in memory and in a place of far
// memory, which must give the same bits.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "engine/grid/cells.hpp"
#include "engine/move/stream/slab_place.hpp"
#include "engine/overlap/ledger.hpp"
#include "engine/subcurrent.hpp"

namespace sc::test {

/// next_k = T_k + a (sum over the neighbours up to `width` away - 6 width T_k), of two components; with
/// `corners`, corner cells are read too.
template <int width, bool corners>
struct Diffuse {
  double a;
  SC_FN void operator()(At c, Out<double, 2> next, In<double, 2> T) const {
    for (int k = 0; k < 2; ++k) {
      double sum = 0;
      for (int n = 1; n <= width; ++n)
        sum += T[k][c.x(n)] + T[k][c.x(-n)] + T[k][c.y(n)] + T[k][c.y(-n)] + T[k][c.z(n)] + T[k][c.z(-n)];
      if (corners)
        for (int x = -width; x <= width; x += 2 * width)
          for (int y = -width; y <= width; y += 2 * width)
            for (int z = -width; z <= width; z += 2 * width)
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

/// A wall whose value depends on tangential neighbours.
struct Bent {
  SC_FN void operator()(Border b, Out<double, 2> q) const {
    for (int k = 0; k < 2; ++k)
      for (int n = 1; n <= b.layers; ++n)
        q[k][b.ghost(n)] =
            0.5 * q[k][b.inside(n)] + 0.25 * (q[k][b.inside(1).y(1)] + q[k][b.inside(1).y(-1)]);
  }
};

// Not inlined: two loops around it could round differently.
[[gnu::noinline]] inline double first(int k, int x, int y, int z) {
  return std::sin(0.3 * x + k) + 0.2 * std::cos(1.1 * y) * std::sin(0.7 * z) + 2;
}

struct Setting {
  const char* what;
  Int3 split;
  Bool3 periodic = {};
};

/// Splits for this number of ranks.
inline std::vector<Setting> settings(int ranks) {
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

template <int width>
void conditions(Field<double, 2>& T) {
  const Bool3 periodic = T.grid().periodic();
  for (const Face face : all_faces)
    if (!periodic[face.axis]) {
      if (face == z_high && width == 1)
        boundary(T, face, Bent{}, 1);
      else
        boundary(T, face, Mirrored<double, 2>{});
    }
}

/// Number of cells of level 0 that differ.
inline int wrong(const Field<double, 2>& far, const Field<double, 2>& near) {
  int count = 0;
  far.each_slab([&](int lo, int hi, In<double, 2> cells) {
    const Grid& grid = far.grid();
    for (int k = 0; k < 2; ++k)
      each_cell({{0, 0, lo}, {grid.own().hi.x, grid.own().hi.y, hi}}, [&](Int3 c) {
        count += cells.base[k * cells.stride + grid.layout().offset(c)] != near.get(c, k);
      });
  });
  return count;
}

/// Both run five steps; the reference alone under `blocking` and in memory.
template <int width, bool corners>
void compare(Context& context, const std::shared_ptr<FarPlace>& place, const Setting& setting,
             const Strategy& strategy, int pieces) {
  SCOPED_TRACE(std::string("split along ") + setting.what + ", " + std::to_string(setting.periodic.x) +
               std::to_string(setting.periodic.y) + std::to_string(setting.periodic.z) + ", " +
               std::string(strategy.name) + ", " + std::to_string(pieces) + " pieces, width " +
               std::to_string(width) + (corners ? " with corners" : ""));
  // A wall with tangential reads, read across corners, needs one more layer.
  const int halo = width + (corners ? 1 : 0);
  if (!setting.periodic.z && 26 / setting.split.z / pieces < halo) return;  // refused
  const Grid grid(
      context, {.cells = {20, 18, 26}, .periodic = setting.periodic, .halo = halo, .split = setting.split});
  Field<double, 2> near(grid, "near", {.levels = 2});
  Field<double, 2> far(grid, "far", {.levels = 2, .place = place});
  Runner near_runner(context, {.strategy = Strategy::blocking}), runner(context, {.strategy = strategy});
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

/// Every kind of stage, each with one of the splits in turn.
inline void compare_all(Context& context, const std::shared_ptr<FarPlace>& place, const Strategy& strategy,
                        int pieces, std::size_t& turn) {
  const std::vector<Setting> splits = settings(context.size());
  const auto next = [&](Bool3 periodic) {
    Setting setting = splits[turn++ % splits.size()];
    setting.periodic = periodic;
    return setting;
  };
  compare<1, false>(context, place, next({true, true, true}), strategy, pieces);
  compare<2, false>(context, place, next({true, true, true}), strategy, pieces);
  compare<1, true>(context, place, next({true, true, true}), strategy, pieces);
  compare<1, true>(context, place, next({false, true, false}), strategy, pieces);
  compare<1, false>(context, place, next({false, true, false}), strategy, pieces);
  compare<2, true>(context, place, next({true, false, false}), strategy, pieces);
  ++turn;  // other combinations the next time
}
/// Slabs at the ends come first, so that messages overlap with the other slabs, which are moved meanwhile
/// through `resource`.
inline void expect_hidden(Context& context, const std::shared_ptr<SlabPlace>& place, Resource resource) {
  // Walls along x and y, because a delay also applies to messages of a rank to itself.
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
  EXPECT_GT(terms.of(resource).hidden(), 0);
  if (context.size() > 1) {
    EXPECT_GT(terms.of(Resource::messages).hidden(), 0);
  }
}

}  // namespace sc::test
