// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2
// timeout: 300
// Order in time: differences of a flow computed with dt, dt / 2 and dt / 4 on one grid, of velocity and pressure;
// and the steps that are stable.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <numbers>

#include "engine/move/gather.hpp"
#include "tests/mpi/annulus.hpp"
#include "tests/mpi/channels.hpp"
#include "tests/mpi/test_context.hpp"

namespace {

using namespace sc;
using cavity::CavityOptions;
using cavity::Clustering;
using test::FaceKind;
using test::Vec3;

constexpr double pi = std::numbers::pi;
using Values = std::vector<double>;
using Start = std::function<void(cavity::Cavity&)>;

Values whole(AnyField& field) {
  const std::vector<std::byte> bytes = gather(field.storage(0));
  Values values(bytes.size() / sizeof(double));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

double largest_difference(const Values& a, const Values& b) {
  double most = 0;
  for (std::size_t n = 0; n < a.size(); ++n) most = std::max(most, std::abs(a[n] - b[n]));
  return most;
}

/// Velocity and pressure at the same time.
std::array<Values, 2> flow_after(Context& context, CavityOptions o, int steps, double time, const Start& start) {
  o.dt = time / steps;
  o.pressure.tolerance = 1e-9;
  cavity::Cavity solver(context, o);
  start(solver);
  for (int n = 0; n < steps; ++n) solver.step();
  return {whole(solver.velocity()), whole(solver.pressure())};
}

/// log2 of how many times the differences fall when the step is halved, of velocity and pressure, on rank 0.
std::array<double, 2> orders(Context& context, const CavityOptions& o, int steps, double time, const Start& start,
                             const char* name) {
  const auto coarse = flow_after(context, o, steps, time, start), half = flow_after(context, o, 2 * steps, time, start),
             fine = flow_after(context, o, 4 * steps, time, start);
  std::array<double, 2> found{};
  for (std::size_t q = 0; q < 2; ++q) {
    const double first = largest_difference(coarse[q], half[q]), second = largest_difference(half[q], fine[q]);
    found[q] = std::log2(first / second);
    if (context.rank() == 0)
      std::printf("%s, order %d, %s: %.2e %.2e, order %.2f\n", name, o.order, q == 0 ? "velocity" : "pressure", first,
                  second, found[q]);
  }
  return found;
}

void expect_order(Context& context, CavityOptions o, int steps, double time, const Start& start, const char* name) {
  for (const int order : {1, 2}) {
    o.order = order;
    const auto found = orders(context, o, steps, time, start, name);
    if (context.rank() != 0) continue;
    EXPECT_NEAR(found[0], order, 0.15) << name << " velocity";
    EXPECT_NEAR(found[1], order, 0.15) << name << " pressure";
  }
}

TEST(CavityOrder, OfDecayingVortices) {
  test::TestContext context;
  CavityOptions o;
  o.points = {16, 16, 4};
  o.reynolds = 20;
  for (auto& face : o.faces) face.kind = FaceKind::periodic;
  o.initial = cavity::Initial::taylor_green;
  expect_order(context, o, 20, 0.2, [](cavity::Cavity&) {}, "vortices");
}

}  // namespace
