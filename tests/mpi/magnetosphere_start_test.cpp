// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2
// The initial state of a planet in the wind: the wind's field along x adds no divergence to it.
#include "solvers/magnetosphere/solver.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "tests/mpi/test_context.hpp"

namespace {

using namespace sc;
using namespace sc::magnetosphere;

double divergence_of(Context& context, double along_x) {
  MagnetosphereOptions o;
  o.cells = {24, 25, 25};
  o.low = {-30, -24, -24};
  o.spacing = 2;
  o.faces.fill(FaceKind::free);
  o.faces[0] = FaceKind::wind;
  o.initial = Initial::planet;
  o.planet = PlanetOptions{};
  o.planet->mirror = -15;
  o.wind = {.rho = 5e-4, .v = {0.044, 0, 0}, .p = 3.56e-8, .B = {along_x, 0, 1.6e-4}};
  return std::make_unique<Magnetosphere>(context, o)->measure().divergence;
}

TEST(Magnetosphere, TheWindsFieldAlongXAddsNoDivergence) {
  test::TestContext context;
  const double without = divergence_of(context, 0);
  EXPECT_GT(without, 0);
  EXPECT_NEAR(divergence_of(context, 1.6e-4), without, 1e-15);
}

}  // namespace
