// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4
// device: yes
// optimise: no
// label: checked
// Values between points: linear functions to rounding, smooth ones with second order, the same bits for any
// split and place, and positions outside of the points refused.
#include "engine/move/output/samples.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "engine/field/field.hpp"
#include "engine/move/stream/slab_place.hpp"
#include "tests/mpi/backends.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/placed_fields.hpp"
#include "tests/mpi/shared_folder.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/refusal.hpp"

namespace sc::test {
namespace {

std::vector<Position> some_positions(const Position& low, const Position& high, int count) {
  std::mt19937_64 random(7);
  std::vector<Position> positions(static_cast<std::size_t>(count));
  for (Position& x : positions)
    for (std::size_t a = 0; a < 3; ++a)
      x[a] = std::uniform_real_distribution<double>(low[a], high[a])(random);
  return positions;
}

double linear(const Position& x) { return 3 + 2 * x[0] - 5 * x[1] + 0.25 * x[2]; }
// Of period 1 along x.
double smooth(const Position& x) {
  return std::sin(2 * std::numbers::pi * x[0]) * std::cos(2 * x[1]) + x[2] * x[2];
}

/// A field with walls in its first halo layer, as the cavity has them.
template <int N, class F>
void fill_with_layers(Field<double, N>& q, int layers, F&& f) {
  const Grid& grid = q.grid();
  Storage& all = q.storage(0);
  all.begin_host_write();
  auto* base = reinterpret_cast<double*>(all.host_base());
  each_cell(grid.own().grown({layers, layers, layers}), [&](Int3 c) {
    for (int k = 0; k < N; ++k)
      base[k * all.component_stride() + grid.layout().offset(c)] = f(k, grid.origin() + c);
  });
}

TEST(Samples, OfLinearFunctionsAreExactUpToRounding) {
  TestContext context;
  const Position origin = {-1.5, 2, 0}, spacing = {0.3, 0.25, 0.1};
  const Grid grid(context, {.cells = {9, 8, 12}, .halo = 1});
  const auto at = [&](Int3 c) {
    return Position{origin[0] + c.x * spacing[0], origin[1] + c.y * spacing[1], origin[2] + c.z * spacing[2]};
  };
  for (const int layers : {0, 1}) {
    Field<double> q(grid, "q");
    fill_with_layers(q, layers, [&](int, Int3 g) { return linear(at(g)); });
    const Position low = at({-layers, -layers, -layers}),
                   high = at(grid.cells() + Int3{layers - 1, layers - 1, layers - 1});
    std::vector<Position> positions = some_positions(low, high, 60);
    positions.push_back(low);
    positions.push_back(high);
    const Samples samples({grid, layers},
                          place_between({grid, layers}, EvenPoints{origin, spacing}, positions, "at"));
    Storage* field = &q.storage(0);
    const std::vector<double> found = samples.of({&field, 1});
    ASSERT_EQ(found.size(), context.rank() == 0 ? positions.size() : 0);
    for (std::size_t n = 0; n < found.size(); ++n) EXPECT_NEAR(found[n], linear(positions[n]), 1e-13) << n;
  }
}

/// Largest error between points of a distorted grid of `n` cells along each axis.
double error_on_distorted(Context& context, int n, bool periodic, double (*f)(const Position&)) {
  const Grid grid(context, {.cells = {n, n, n}, .periodic = {periodic, false, false}, .halo = 2});
  const auto at = [&](Int3 c) {
    const double h = 1.0 / (n + 1);
    const Position s = {periodic ? double(c.x) / n : (c.x + 1) * h, (c.y + 1) * h, (c.z + 1) * h};
    const double bump = 0.08 * std::sin((periodic ? 2 : 1) * std::numbers::pi * s[0]) *
                        std::sin(std::numbers::pi * s[1]) * std::sin(std::numbers::pi * s[2]);
    return Position{s[0] + bump, s[1] - 0.8 * bump,
                    s[2] * s[2] * (1.5 - 0.5 * s[2]) + 0.3 * s[2] + 0.6 * bump};
  };
  Field<double, 3> x(grid, "x");
  Field<double> q(grid, "q");
  fill_with_layers(x, 2, [&](int k, Int3 g) { return at(g)[std::size_t(k)]; });
  fill_with_layers(q, 1, [&](int, Int3 g) { return f(at(g)); });
  std::vector<Position> positions = some_positions({0, 0, 0}, {1, 1, 1.3}, 80);
  positions.push_back({0, 0, 0});
  positions.push_back({1, 1, 1.3});
  const Samples samples({grid, 1}, place_between({grid, 1}, x.storage(0), positions, "at"));
  Storage* field = &q.storage(0);
  const std::vector<double> found = samples.of({&field, 1});
  double worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    worst = std::max(worst, std::abs(found[i] - f(positions[i])));
  return context.max(worst);
}

TEST(Samples, OnDistortedGridsAreExactForLinearFunctionsAndOfSecondOrder) {
  TestContext context;
  EXPECT_LT(error_on_distorted(context, 12, false, linear), 1e-13);
  for (const bool periodic : {false, true}) {
    const double coarse = error_on_distorted(context, 15, periodic, smooth);
    const double fine = error_on_distorted(context, 31, periodic, smooth);
    EXPECT_LT(coarse, 0.1);
    EXPECT_GT(std::log2(coarse / fine), 1.7) << periodic;
    EXPECT_LT(std::log2(coarse / fine), 2.4) << periodic;
  }
}

// The values at the points come from their global numbers, so a sample of the whole periodic box has one
// answer: it is computed here point by point.
double between_points(const Position& index, Int3 cells, int k) {
  double sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    double weight = 1;
    Int3 point;
    for (int a = 0; a < 3; ++a) {
      const double low = std::floor(index[std::size_t(a)]), t = index[std::size_t(a)] - low;
      const int up = corner >> a & 1;
      weight *= up ? t : 1 - t;
      point[a] = (static_cast<int>(low) + up + cells[a]) % cells[a];
    }
    sum += weight * first(k, point.x, point.y, point.z);
  }
  return sum;
}

TEST(Samples, HaveTheSameBitsForEverySplitAndPlace) {
  TestContext context;
  const SharedFolder folder(context, "scratch-samples-");
  const Int3 cells = {10, 12, 16};
  std::vector<Position> positions = some_positions({0, 0, 0}, {10, 12, 16}, 40);
  for (const double x : {0.25, 9.0, 9.75, 10.0}) positions.push_back({x, 12 - 1.1 * x, 15.5});
  std::vector<double> before;
  std::vector<Int3> splits = {{context.size(), 1, 1}, {1, context.size(), 1}, {1, 1, context.size()}};
  for (const Int3 split : splits)
    for (const bool far : {false, true}) {
      const Grid grid(context, {.cells = cells, .periodic = {true, true, true}, .halo = 1, .split = split});
      FileMemory files(folder.options());
      Field<double, 2> q(grid, "q", far ? FieldOptions{.place = in_files(files, 2)} : FieldOptions{});
      Field<float> single(grid, "single", far ? FieldOptions{.place = in_files(files, 2)} : FieldOptions{});
      q.fill(first);
      single.fill([](int x, int y, int z) { return float(first(2, x, y, z)); });
      const Samples samples(grid, place_between(grid, EvenPoints{}, positions, "at"));
      const std::array fields = {&q.storage(0), &single.storage(0)};
      const std::vector<double> found = samples.of(fields);
      if (before.empty()) before = found;
      EXPECT_EQ(found, before);
    }
  for (std::size_t n = 0; n < before.size(); ++n) {
    const int k = int(n % 3);
    EXPECT_NEAR(before[n], between_points(positions[n / 3], cells, k), k == 2 ? 1e-6 : 1e-14);
  }
}

std::string refused_at(const Position& x, const EvenPoints& points, const Grid& grid) {
  const std::array positions = {Position{1, 1, 1}, x};
  return refusal([&] { place_between(grid, points, positions, "output.probes"); });
}

TEST(Samples, OutsideOfThePointsAreRefused) {
  TestContext context;
  const Grid grid(context, {.cells = {8, 8, 12}, .periodic = {false, true, false}, .halo = 2});
  const EvenPoints points{{0.5, 0.5, 0.5}, {1, 1, 1}};
  EXPECT_EQ(refused_at({7.5, 8, 11.5}, points, grid), "accepted");
  EXPECT_EQ(refused_at({7.6, 4, 4}, points, grid),
            "output.probes[1] = [7.6, 4, 4] lies outside of the grid, which reaches from 0.5 to 7.5 along x");
  EXPECT_EQ(refused_at({2, -0.1, 4}, points, grid),
            "output.probes[1] = [2, -0.1, 4] lies outside of the grid, which reaches from 0 to 8 along y");
  EXPECT_NE(refused_at({2, 2, std::nan("")}, points, grid), "accepted");

  Field<double, 3> x(grid, "x");
  fill_with_layers(x, 2, [](int k, Int3 g) { return k == 0 ? g.x + 0.5 * g.z : double(g[k]); });
  const auto outside = [&](const Position& at) {
    return refusal([&] {
      place_between({grid, 1}, x.storage(0), std::array{Position{4, 1, 1}, at}, "output.probes");
    });
  };
  EXPECT_EQ(outside({8, 8, 0}), "accepted");
  EXPECT_EQ(
      outside({-1, 1, 12}),  // in the box of all points, and beside the sheared ones
      "output.probes[1] = [-1, 1, 12] lies outside of the grid, whose points reach from [-1.5, 0, -1] to "
      "[14, 7, 12]");
}

class OnDevicesSamples : public OnBackend {};

TEST_P(OnDevicesSamples, AreThoseOfTheHost) {
  TestContext context;
  open(context, GetParam());
  const Grid grid(context, {.cells = {9, 8, 12}, .periodic = {false, true, false}, .halo = 1});
  const std::vector<Position> positions = some_positions({0, 0, 0}, {8, 8, 11}, 30);
  const Samples samples(grid, place_between(grid, EvenPoints{}, positions, "at"));
  std::vector<std::vector<double>> found;
  for (const Space space : {Space::host, space_of(GetParam())}) {
    Field<double, 2> q(grid, "q", {.space = space});
    Field<float> single(grid, "single", {.space = space});
    q.fill(first);
    single.fill([](int x, int y, int z) { return float(first(2, x, y, z)); });
    const std::array fields = {&q.storage(0), &single.storage(0)};
    found.push_back(samples.of(fields));
  }
  EXPECT_EQ(found[0], found[1]);
}
INSTANTIATE_TEST_SUITE_P(On, OnDevicesSamples, testing::ValuesIn(backends()), backend_name);

}  // namespace
}  // namespace sc::test
