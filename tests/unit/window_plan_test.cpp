// SPDX-License-Identifier: Apache-2.0
// optimise: no
// Random windows on random blocks, cell by cell: every run reads the values that it would read if each run
// were completed before the next; no cell is computed twice; and parts that need no neighbour access no cells
// that are exchanged.
#include "engine/overlap/window_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "engine/grid/cells.hpp"

namespace sc {
namespace {

constexpr int nothing = -2, before = -1;  // contents of an array that no run has written

class Simulation {
 public:
  Simulation(WindowRuns runs, int arrays, const WindowBlock& block)
      : runs_(std::move(runs)),
        block_(block),
        dependence_(dependence_of(runs_, arrays)),
        plan_(dependence_, block),
        all_(block.own.grown({pad, pad, pad})),
        values_(static_cast<std::size_t>(arrays), std::vector<int>(static_cast<std::size_t>(all_.cells()))),
        computed_(runs_.size(), std::vector<int>(static_cast<std::size_t>(all_.cells()))) {}

  /// `reversed`: parts that several threads may compute are computed in reverse order.
  void play(bool reversed) {
    arrive(!plan_.apart());
    auto parts = plan_.parts();
    if (reversed) std::reverse(parts.begin(), parts.end());
    inner_ = plan_.apart();
    for (const Trapezoid& part : parts) sweep(part);
    for (const Trapezoid& inverted : plan_.inverted()) sweep(inverted);
    inner_ = false;
    arrive(true);
    for (const Trapezoid& shell : plan_.shells()) sweep(shell);
    check_all();
  }
  const WindowPlan& plan() const { return plan_; }

 private:
  static constexpr int pad = 16;

  std::size_t index(Int3 c) const {
    const Int3 n = all_.extent(), from = c - all_.lo;
    return static_cast<std::size_t>(from.x + n.x * (from.y + n.y * from.z));
  }
  /// Layers beyond the nearest side of this kind, counted from 0; negative within the block.
  int beyond(Int3 c, Side kind) const {
    int most = -1000;
    for (int axis = 0; axis < 3; ++axis)
      for (int side = 0; side < 2; ++side)
        if (block_.sides[static_cast<std::size_t>(axis)][static_cast<std::size_t>(side)] == kind)
          most = std::max(most, side == 0 ? -1 - c[axis] : c[axis] - block_.own.hi[axis]);
    return most;
  }
  /// The halo: that from the rank itself at once, that from neighbours after the exchange.
  void arrive(bool neighbours) {
    for (std::size_t a = 0; a < values_.size(); ++a)
      each_cell(all_, [&](Int3 c) {
        if (beyond(c, Side::wall) >= 0) return;
        const bool there = neighbours || beyond(c, Side::neighbour) < 0;
        const int layers = dependence_.halo[a];
        if (!block_.own.contains(c) && !arrived_)
          values_[a][index(c)] =
              there && beyond(c, Side::neighbour) < layers && beyond(c, Side::itself) < layers ? before
                                                                                               : nothing;
        else if (!block_.own.contains(c) && beyond(c, Side::neighbour) >= 0 && !there_)
          values_[a][index(c)] =
              std::max(beyond(c, Side::neighbour), beyond(c, Side::itself)) < layers ? before : nothing;
        else if (!arrived_)
          values_[a][index(c)] = before;
      });
    arrived_ = true;
    there_ = neighbours;
  }
  int expected(int run, int array) const {
    for (int n = run - 1; n >= 0; --n)
      for (const WindowAccess& a : runs_[static_cast<std::size_t>(n)])
        if (a.array == array && a.mode != Mode::read) return n;
    return before;
  }
  /// In an order that threads may bring about: a tile begins when its predecessor in the row before is
  /// complete.
  void sweep(const Trapezoid& trapezoid) {
    const auto rows = plan_.tiles(trapezoid);
    struct Progress {
      std::size_t tile = 0;
      int run = 0;
    };
    std::vector<Progress> progress(rows.size());
    for (;;) {
      std::vector<std::size_t> ready;
      for (std::size_t row = 0; row < rows.size(); ++row) {
        const Progress& at = progress[row];
        const bool follows = row == 0 || at.run > 0 || progress[row - 1].tile > at.tile;
        if (at.tile < rows[row].size() && follows) ready.push_back(row);
      }
      if (ready.empty()) return;
      const std::size_t row = ready[order_() % ready.size()];
      Progress& at = progress[row];
      const Box box = plan_.cells(trapezoid, rows[row][at.tile], at.run);
      each_cell(box, [&](Int3 c) { read(at.run, c); });
      each_cell(box, [&](Int3 c) { write(at.run, c); });
      if (++at.run < plan_.runs()) continue;
      at = {at.tile + 1, 0};
    }
  }
  void read(int run, Int3 c) {
    for (const WindowAccess& a : runs_[static_cast<std::size_t>(run)]) {
      if (a.mode == Mode::write) continue;
      const int value = expected(run, a.array);
      each_cell(Box{c, c + Int3{1, 1, 1}}.grown({a.reach, a.reach, a.reach}), [&](Int3 from) {
        if (beyond(from, Side::wall) >= 0) return;
        wrong_ += values_[static_cast<std::size_t>(a.array)][index(from)] != value;
        travels_ += inner_ && beyond(from, Side::neighbour) >= 0;
      });
    }
  }
  void write(int run, Int3 c) {
    ++computed_[static_cast<std::size_t>(run)][index(c)];
    for (const WindowAccess& a : runs_[static_cast<std::size_t>(run)]) {
      if (a.mode == Mode::read) continue;
      values_[static_cast<std::size_t>(a.array)][index(c)] = run;
      travels_ +=
          inner_ && beyond(c, Side::neighbour) >= -dependence_.halo[static_cast<std::size_t>(a.array)];
    }
  }
  void check_all() {
    EXPECT_EQ(wrong_, 0) << "values read before they were there, or after";
    EXPECT_EQ(travels_, 0) << "cells touched that may be under way";
    for (int run = 0; run < plan_.runs(); ++run) {
      const Box whole = plan_.cells(run);
      int missed = 0, twice = 0;
      each_cell(all_, [&](Int3 c) {
        const int times = computed_[static_cast<std::size_t>(run)][index(c)];
        missed += times == 0 && whole.contains(c);
        twice += times > (whole.contains(c) ? 1 : 0);
      });
      EXPECT_EQ(missed, 0);
      EXPECT_EQ(twice, 0);
    }
  }

  WindowRuns runs_;
  WindowBlock block_;
  Dependence dependence_;
  WindowPlan plan_;
  Box all_;
  std::vector<std::vector<int>> values_;    // of each array: the run that wrote a cell
  std::vector<std::vector<int>> computed_;  // of each run: how often
  std::minstd_rand order_;
  bool arrived_ = false, there_ = false, inner_ = false;
  std::int64_t wrong_ = 0, travels_ = 0;
};

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  int operator()(int least, int most) { return std::uniform_int_distribution<int>(least, most)(engine_); }

 private:
  std::mt19937 engine_;
};

WindowRuns some_runs(Dice& dice, int arrays) {
  WindowRuns runs(static_cast<std::size_t>(dice(1, 6)));
  for (auto& run : runs) {
    const int written = dice(0, arrays - 1);
    run.push_back({written, dice(0, 3) == 0 ? Mode::update : Mode::write, 0});
    for (int a = 0; a < arrays; ++a)
      if (a != written && dice(0, 1) == 0) run.push_back({a, Mode::read, dice(0, 2)});
  }
  return runs;
}

WindowBlock some_block(Dice& dice) {
  WindowBlock block;
  block.own.hi = {dice(4, 18), dice(4, 20), dice(6, 34)};
  block.threads = dice(1, 2);
  for (auto& axis : block.sides) {
    const int kind = dice(0, 3);
    axis = kind == 0   ? std::array{Side::wall, Side::wall}
           : kind == 1 ? std::array{Side::neighbour, Side::wall}
           : kind == 2 ? std::array{Side::neighbour, Side::neighbour}
                       : std::array{Side::itself, Side::itself};
  }
  block.apart = dice(0, 3) > 0;
  block.tile = {0, dice(2, 9), dice(1, 9)};
  return block;
}

TEST(WindowPlan, FindsWhatWholeRunsWouldFind) {
  int apart = 0, joined = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    const int arrays = dice(2, 4);
    const WindowRuns runs = some_runs(dice, arrays);
    const WindowBlock block = some_block(dice);
    for (const bool reversed : {false, true}) {
      Simulation simulation(runs, arrays, block);
      simulation.play(reversed);
      apart += simulation.plan().apart();
      joined += !simulation.plan().inverted().empty();
    }
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(apart, 8);
  EXPECT_GT(joined, 8);
}

// The planes that two tiles share are then still in the cache.
TEST(WindowPlan, TilesFollowEachOtherAlongZ) {
  const WindowRuns once{{{0, Mode::write, 0}, {1, Mode::read, 1}}};
  const WindowPlan plan(dependence_of(once, 2), {.own = {{0, 0, 0}, {8, 9, 48}}, .tile = {0, 3, 12}});
  ASSERT_EQ(plan.parts().size(), 1U);
  const auto rows = plan.tiles(plan.parts().front());
  ASSERT_EQ(rows.size(), 3U);
  for (std::size_t y = 0; y < rows.size(); ++y) {
    ASSERT_EQ(rows[y].size(), 4U);
    for (std::size_t z = 0; z < rows[y].size(); ++z) {
      const Box box = plan.cells(plan.parts().front(), rows[y][z], 0);
      EXPECT_EQ(box.lo.z, 12 * static_cast<int>(z));
      EXPECT_EQ(box.lo.y, 3 * static_cast<int>(y));
    }
  }
}

TEST(WindowPlan, OneTileHasAMarginAtEveryWall) {
  WindowRuns turning;
  for (int n = 0; n < 5; ++n) turning.push_back({{n % 2, Mode::write, 0}, {1 - n % 2, Mode::read, 1}});
  for (int planes = 1; planes < 12; ++planes)
    for (const int threads : {1, 2}) {
      const WindowBlock block{
          .own = {{0, 0, 0}, {8, 9, 48}}, .margin = 4, .threads = threads, .tile = {0, 2, planes}};
      const WindowPlan plan(dependence_of(turning, 2), block);
      int low = 0, high = 0;
      for (const Trapezoid& part : plan.parts())
        for (const auto& row : plan.tiles(part))
          for (const Trapezoid& tile : row)
            for (int run = 0; run < plan.runs(); ++run) {
              const Box box = plan.cells(part, tile, run);
              if (box.empty()) continue;
              if (box.lo.z < 4) low += box.lo.z == 0 && box.hi.z >= 4 ? 1 : 100;
              if (box.hi.z > 44) high += box.hi.z == 48 && tile.lo[2].at <= 44 ? 1 : 100;
            }
      EXPECT_LT(low, 100) << planes;
      EXPECT_LT(high, 100) << planes;
      EXPECT_GT(low, 0);
      EXPECT_GT(high, 0);
    }
}

TEST(WindowPlan, HalosOfAStepAddUp) {
  // u of the previous step, then v from the new u two cells away
  const WindowRuns runs{{{1, Mode::write, 0}, {0, Mode::read, 1}, {2, Mode::read, 1}},
                        {{3, Mode::write, 0}, {2, Mode::read, 0}, {1, Mode::read, 2}},
                        {{0, Mode::write, 0}, {1, Mode::read, 1}, {3, Mode::read, 1}},
                        {{2, Mode::write, 0}, {3, Mode::read, 0}, {0, Mode::read, 2}}};
  const Dependence d = dependence_of(runs, 4);
  EXPECT_EQ(d.beyond, (std::vector<int>{5, 3, 2, 0}));
  EXPECT_EQ(d.behind, (std::vector<int>{0, 2, 3, 5}));
  EXPECT_EQ(d.halo, (std::vector<int>{6, 0, 6, 0}));
}

}  // namespace
}  // namespace sc
