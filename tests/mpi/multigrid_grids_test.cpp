// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4 6
// threads: 2
// timeout: 180
// optimise: no
// label: sanitize checked
// device: yes
// A hierarchy of coarsened grids down to a single cell, with or without a move to fewer ranks, against plain
// serial loops: odd sizes, every split, thin and empty blocks. All values are multiples of small powers of
// two and so exact, on the host and on devices.
#include <gtest/gtest.h>

#include "engine/subcurrent.hpp"
#include "tests/mpi/backends.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

constexpr double outside = 3;  // beyond a physical boundary

struct Star {
  SC_FN void operator()(At c, Out<double> s, In<double> f) const {
    s[c] = f[c] + 0.5 * (f[c.x(1)] + f[c.y(1)] + f[c.z(1)]) - 0.25 * (f[c.x(-1)] + f[c.y(-1)] - f[c.z(-1)]);
  }
};
/// Sums the children, and the fine cell before the first along each axis.
struct Collect {
  Int3 fine_cells;
  SC_FN void operator()(At c, Index g, Out<double> coarse, Across<double> fine) const {
    double sum = 0;
    for (auto k = 2 * g.z; k < 2 * g.z + 2 && k < fine_cells.z; ++k)
      for (auto j = 2 * g.y; j < 2 * g.y + 2 && j < fine_cells.y; ++j)
        for (auto i = 2 * g.x; i < 2 * g.x + 2 && i < fine_cells.x; ++i) sum += fine[fine.at(i, j, k)];
    const At first = fine.at(2 * g.x, 2 * g.y, 2 * g.z);
    coarse[c] = 0.125 * sum - fine[first.x(-1)] + 0.5 * fine[first.y(-1)] + 0.25 * fine[first.z(-1)];
  }
};
/// Uses the parent, and for a second child also the parent's next neighbour.
struct Spread {
  SC_FN void operator()(At c, Index g, InOut<double> fine, Across<double> coarse) const {
    const At parent = coarse.at(g.x / 2, g.y / 2, g.z / 2);
    fine[c] += coarse[parent] + 0.5 * coarse[parent.x(g.x % 2 ? 1 : 0)] -
               0.25 * coarse[parent.y(g.y % 2 ? 1 : 0).z(g.z % 2 ? 1 : 0)];
  }
};

/// The whole grid on one rank, with plain loops.
class Whole {
 public:
  Whole(Int3 cells, Bool3 periodic)
      : n(cells), periodic_(periodic), values_(static_cast<std::size_t>(Box{{}, cells}.cells())) {}
  double operator()(int x, int y, int z) const {
    Int3 c{x, y, z};
    for (int a = 0; a < 3; ++a) {
      if (c[a] >= 0 && c[a] < n[a]) continue;
      if (!periodic_[a]) return outside;
      c[a] = (c[a] % n[a] + n[a]) % n[a];
    }
    return values_[index(c)];
  }
  template <class F>
  void set(F&& f) {
    each_cell({{}, n}, [&](Int3 c) { values_[index(c)] = f(c.x, c.y, c.z); });
  }
  Bool3 periodic() const { return periodic_; }
  Int3 n;

 private:
  std::size_t index(Int3 c) const { return static_cast<std::size_t>((c.z * n.y + c.y) * n.x + c.x); }
  Bool3 periodic_;
  std::vector<double> values_;
};

Int3 halved(Int3 n) { return {(n.x + 1) / 2, (n.y + 1) / 2, (n.z + 1) / 2}; }
bool single(Int3 n) { return n == Int3{1, 1, 1}; }

Whole serial(const Whole& f) {
  Whole s = f;
  s.set([&](int x, int y, int z) {
    return f(x, y, z) + 0.5 * (f(x + 1, y, z) + f(x, y + 1, z) + f(x, y, z + 1)) -
           0.25 * (f(x - 1, y, z) + f(x, y - 1, z) - f(x, y, z - 1));
  });
  if (single(f.n)) return s;
  Whole coarse(halved(f.n), f.periodic());
  coarse.set([&](int X, int Y, int Z) {
    double sum = 0;
    for (int z = 2 * Z; z < 2 * Z + 2 && z < f.n.z; ++z)
      for (int y = 2 * Y; y < 2 * Y + 2 && y < f.n.y; ++y)
        for (int x = 2 * X; x < 2 * X + 2 && x < f.n.x; ++x) sum += s(x, y, z);
    return 0.125 * sum - s(2 * X - 1, 2 * Y, 2 * Z) + 0.5 * s(2 * X, 2 * Y - 1, 2 * Z) +
           0.25 * s(2 * X, 2 * Y, 2 * Z - 1);
  });
  const Whole t = serial(coarse);
  Whole result = s;
  result.set([&](int x, int y, int z) {
    const int X = x / 2, Y = y / 2, Z = z / 2;
    return s(x, y, z) + (t(X, Y, Z) + 0.5 * t(X + x % 2, Y, Z) - 0.25 * t(X, Y + y % 2, Z + z % 2));
  });
  return result;
}

/// Whether coarsening would leave a non-empty block without cells.
bool too_thin(const Grid& fine) {
  const Grid coarse = fine.coarsen({2, 2, 2}, 1);
  for (int rank = 0; rank < fine.context().size(); ++rank)
    if (!fine.box_of(rank).empty() && coarse.box_of(rank).empty()) return true;
  return false;
}

struct Ladder {
  Runner& runner;
  int fewer;  ///< number of ranks used below 8 cells along every axis; 0: all, as long as possible
  Space space;

  /// s after going down and up the hierarchy; f is the input of the level.
  void climb(Field<double>& f, Field<double>& s) {
    const Grid grid = f.grid();
    const Int3 n = grid.cells();
    Sweep star("star", Star{}, writes(s.now()), reads(f.now(), sc::star(1)));
    runner.run(star);
    if (single(n)) return;
    if (fewer > 0 && std::max({n.x, n.y, n.z}) < 8)
      on(grid.on(fewer), s, 0);
    else
      down(s);
  }
  void on(const Grid& some, Field<double>& s, int fewer_later) {
    Field<double> gathered(some, "gathered", {.space = space});
    close_in(gathered);
    runner.move(s.now(), gathered.now());
    Ladder{runner, fewer_later, space}.down(gathered);
    runner.move(gathered.now(), s.now());
  }
  void down(Field<double>& s) {
    if (too_thin(s.grid())) return on(s.grid().on(1), s, fewer);
    const Grid coarse = s.grid().coarsen({2, 2, 2}, 1);
    Field<double> f(coarse, "f", {.space = space}), t(coarse, "t", {.space = space});
    close_in(f);
    close_in(t);
    Sweep collect("collect", Collect{s.grid().cells()}, writes(f.now()), reads(s.now(), refine(2, box(1))));
    runner.run(collect);
    climb(f, t);
    Sweep spread("spread", Spread{}, updates(s.now()), reads(t.now(), coarsen(2, box(1))));
    runner.run(spread);
  }
  static void close_in(Field<double>& field) {
    for (const Face face : all_faces) boundary(field, face, Fixed{outside});
  }
};

void compare(Context& context, Int3 cells, Bool3 periodic, Int3 split, Strategy strategy, int fewer,
             Space space) {
  Whole start(cells, periodic);
  const auto value = [](int x, int y, int z) { return double((7 * x + 5 * y + 3 * z) % 16); };
  start.set(value);
  const Whole expected = serial(start);
  const Grid grid(context, {.cells = cells, .periodic = periodic, .halo = 1, .split = split});
  Field<double> f(grid, "f", {.space = space}), s(grid, "s", {.space = space});
  Ladder::close_in(f);
  Ladder::close_in(s);
  Runner runner(context, {.strategy = strategy, .poke_seconds = 1e-6});
  for (int round = 0; round < 2; ++round) {  // in the second round, demand is known
    f.fill(value);
    Ladder{runner, fewer, space}.climb(f, s);
    each_cell(grid.own(), [&](Int3 c) {
      const Int3 g = grid.origin() + c;
      ASSERT_EQ(s.get(c), expected(g.x, g.y, g.z))
          << to_string(g) << " split " << to_string(split) << " cells " << to_string(cells) << " "
          << strategy.name << " on " << fewer;
    });
  }
}

class OnDevices : public OnBackend {};
INSTANTIATE_TEST_SUITE_P(On, OnDevices, testing::ValuesIn(backends()), backend_name);

TEST_P(OnDevices, CoarsenedGridsAgreeWithASerialLoop) {
  std::vector<Strategy> strategies = {Strategy::blocking, Strategy::boundary_first, Strategy::interior_first,
                                      Strategy::pipelined};
  if (GetParam() == Backend::host) strategies.push_back(Strategy::halo_thread);
  TestContext context;
  open(context, GetParam());
  std::size_t turn = 0;
  for (const Int3 cells : {Int3{13, 9, 11}, Int3{8, 12, 7}, Int3{6, 6, 17}})
    for (const Bool3 periodic : {Bool3{}, Bool3{true, true, true}, Bool3{false, true, false}})
      for (const Int3 split : splits(context.size()))
        for (int fewer : {0, 2}) {
          compare(context, cells, periodic, split, strategies[turn++ % strategies.size()], fewer,
                  space_of(GetParam()));
          if (testing::Test::HasFailure()) return;
        }
}

}  // namespace
}  // namespace sc::test
