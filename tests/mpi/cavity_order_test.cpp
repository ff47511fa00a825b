// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2
// timeout: 300
// Order in time: differences of a flow computed with dt, dt / 2 and dt / 4 on one grid, of velocity and
// pressure; and the steps that are stable.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "tests/mpi/channels.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/mpi/whole_field.hpp"

namespace {

using namespace sc;
using cavity::CavityOptions;
using cavity::Clustering;
using test::FaceKind;
using test::Vec3;

constexpr double pi = std::numbers::pi;
using Values = std::vector<double>;
using Start = std::function<void(cavity::Cavity&)>;

double largest_difference(const Values& a, const Values& b) {
  double most = 0;
  for (std::size_t n = 0; n < a.size(); ++n) most = std::max(most, std::abs(a[n] - b[n]));
  return most;
}

/// Velocity and pressure at the same time.
std::array<Values, 2> flow_after(Context& context, CavityOptions o, int steps, double time,
                                 const Start& start) {
  o.dt = time / steps;
  o.pressure.tolerance = 1e-9;
  cavity::Cavity solver(context, o);
  start(solver);
  for (int n = 0; n < steps; ++n) solver.step();
  return {test::on_root(solver.velocity()), test::on_root(solver.pressure())};
}

/// log2 of how many times the differences fall when the step is halved, of velocity and pressure, on rank 0.
std::array<double, 2> orders(Context& context, const CavityOptions& o, int steps, double time,
                             const Start& start, const char* name) {
  const auto coarse = flow_after(context, o, steps, time, start),
             half = flow_after(context, o, 2 * steps, time, start),
             fine = flow_after(context, o, 4 * steps, time, start);
  std::array<double, 2> found{};
  for (std::size_t q = 0; q < 2; ++q) {
    const double first = largest_difference(coarse[q], half[q]),
                 second = largest_difference(half[q], fine[q]);
    found[q] = std::log2(first / second);
    if (context.rank() == 0)
      std::printf("%s, order %d, %s: %.2e %.2e, order %.2f\n", name, o.order,
                  q == 0 ? "velocity" : "pressure", first, second, found[q]);
  }
  return found;
}

void expect_second_order(Context& context, CavityOptions o, int steps, double time, const Start& start,
                         const char* name) {
  o.order = 2;
  const auto found = orders(context, o, steps, time, start, name);
  if (context.rank() != 0) return;
  EXPECT_NEAR(found[0], 2, 0.15) << name << " velocity";
  EXPECT_NEAR(found[1], 2, 0.15) << name << " pressure";
}

TEST(CavityOrder, OfDecayingVortices) {
  test::TestContext context;
  CavityOptions o;
  o.points = {16, 16, 4};
  o.reynolds = 20;
  for (auto& face : o.faces) face.kind = FaceKind::periodic;
  o.initial = cavity::Initial::taylor_green;
  expect_second_order(
      context, o, 20, 0.2, [](cavity::Cavity&) {}, "vortices");
}

// Walls on a grid with mixed derivatives: the pressure on them follows from the velocity at the same time.
TEST(CavityOrder, OfAFlowBetweenWalls) {
  test::TestContext context;
  CavityOptions o;
  o.points = {13, 12, 14};
  o.reynolds = 30;
  o.clustering = Clustering::skewed;
  o.skew = 0.1;
  const auto start = [&](cavity::Cavity& solver) {
    solver.start_from(test::flow_at_points(o, test::off_centre));
  };
  expect_second_order(context, o, 20, 0.2, start, "walls");
}

// Fluid enters, leaves against a given pressure and slips.
TEST(CavityOrder, OfAFlowThroughOpenFaces) {
  test::TestContext context;
  CavityOptions o = test::channel({15, 8, 12}, {1.5, 1, 1}, 30);
  o.faces[1] = {.kind = FaceKind::pressure, .pressure = 0};
  o.faces[3].kind = o.faces[2].kind = FaceKind::wall;
  o.faces[5].kind = FaceKind::slip;
  const auto flow = [](const Vec3& x) {
    const Vec3 more = test::off_centre({x[0] / 1.5, x[1], x[2]});
    return Vec3{36 * x[1] * (1 - x[1]) * x[2] * (1 - x[2]) + more[0], more[1], more[2]};
  };
  const auto start = [&](cavity::Cavity& solver) { solver.start_from(test::flow_at_points(o, flow)); };
  expect_second_order(context, o, 80, 0.2, start, "open faces");
}

TEST(CavityOrder, OfAFlowThatLeaves) {
  test::TestContext context;
  CavityOptions o = test::channel({15, 4, 12}, {1.5, 0.4, 1}, 30);
  const auto flow = [](const Vec3& x) {
    const double more = std::sin(pi * x[2]) * std::sin(pi * x[2]);
    return Vec3{6 * x[2] * (1 - x[2]) + 0.5 * more * std::sin(2 * pi * x[0] / 1.5), 0, 0};
  };
  const auto start = [&](cavity::Cavity& solver) { solver.start_from(test::flow_at_points(o, flow)); };
  expect_second_order(context, o, 40, 0.2, start, "outflow");
}

}  // namespace
